#pragma once

#include <string_view>

namespace stashscope {

/// Prefixes of the lines that stashscope-run prints when it runs a session for another program. The
/// events of trace.h come between these lines.
constexpr std::string_view worker_step_line = "G ";     ///< followed by the step's identity
constexpr std::string_view worker_variant_line = "V ";  ///< followed by `baseline` or `current`
/// Followed by `warm-up` or `run`; then come the events of that run. The runs of a variant are
/// consecutive.
constexpr std::string_view worker_run_line = "N ";
/// Followed by the size of a dim, a space, and the name of the dim.
constexpr std::string_view worker_size_line = "D ";
/// Median seconds of the whole step over the measured runs of a variant; printed after these runs.
constexpr std::string_view worker_time_line = "T ";
constexpr std::string_view worker_remark_line =
    "M ";  ///< followed by a remark on a variant's runs; printed after the runs
/// The baseline does not fit on the device; followed by the reason. This line replaces the lines D,
/// T and M of the baseline. The lines of the variant `current` follow.
constexpr std::string_view worker_no_room_line = "O ";
constexpr std::string_view worker_done_line = "Z";  ///< the session ended without an error

}  // namespace stashscope
