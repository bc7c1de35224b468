#pragma once

#include <string_view>

namespace stashscope {

/// What the worker program prints, line by line, when it runs a session for another program: events
/// of trace.h between these.
constexpr std::string_view worker_step_line = "G ";     ///< followed by what tells the step
constexpr std::string_view worker_variant_line = "V ";  ///< followed by `baseline` or `current`
/// `warm-up` or `run`; the runs of a variant follow each other, the events of each behind its line.
constexpr std::string_view worker_run_line = "N ";
constexpr std::string_view worker_size_line = "D ";  ///< followed by size, space and name of a dim
/// Seconds of the whole step, the median over the runs of a variant that count; behind them.
constexpr std::string_view worker_time_line = "T ";
constexpr std::string_view worker_remark_line = "M ";  ///< about a variant's runs; behind them
/// The baseline found no room on the device, and why; instead of all that comes behind its runs.
constexpr std::string_view worker_no_room_line = "O ";
constexpr std::string_view worker_done_line = "Z";  ///< everything went well

}  // namespace stashscope
