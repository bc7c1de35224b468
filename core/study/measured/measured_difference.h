#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// Why the measured bytes of a slot differ from the predicted bytes.
enum class DifferenceCause : std::uint8_t {
  none,            ///< the bytes are equal
  inner_memory,    ///< memory inside the node is predicted but not measured
  data_dependent,  ///< a live tensor has a size that depends on the data of the run
  rounding,        ///< the device's allocator rounds every tensor up
  unknown,
};

/// The measurement and the prediction for one slot of the execution order.
struct StepDifference {
  std::size_t step = 0;  ///< the slot
  NodeId node;
  std::int64_t predicted_bytes = 0;
  std::int64_t measured_bytes = 0;
  double predicted_seconds = 0;
  double measured_seconds = 0;
  std::int64_t workspace_bytes = 0;  ///< measured workspace; not part of the difference
  DifferenceCause cause = DifferenceCause::none;

  std::int64_t bytes() const { return measured_bytes - predicted_bytes; }
  double seconds() const { return measured_seconds - predicted_seconds; }
};

struct MeasuredDifferences {
  /// Every slot of a run, in execution order; empty if the run has a different number of slots than
  /// the variant. The predicted times come from the chosen device profile, even if the study uses
  /// measured times. They leave out what runners do not time: the waiting for copies, and the
  /// duration of copies that overlapped (0 seconds).
  std::vector<StepDifference> slots;
  /// The predicted seconds for which nodes wait for copies, which runs do not measure. Nothing if
  /// no copies overlapped.
  std::optional<double> waiting_seconds;
};
MeasuredDifferences measured_differences(const Study& study, const Variant& variant,
                                         const Measurement& measured);

/// The cause in a few words.
std::string_view explanation(DifferenceCause cause);

}  // namespace stashscope
