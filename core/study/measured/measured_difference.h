#pragma once

#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// Why a step's measured bytes are not the predicted ones.
enum class DifferenceCause : std::uint8_t {
  none,            ///< they are
  inner_memory,    ///< what the node takes inside of itself is predicted, but not measured
  data_dependent,  ///< something alive has a size that only the data of the run tells
  rounding,        ///< the device's allocator rounds every tensor up
  unknown,
};

/// One step of a run beside its prediction.
struct StepDifference {
  std::size_t step = 0;
  NodeId node;
  std::int64_t predicted_bytes = 0;
  std::int64_t measured_bytes = 0;
  double predicted_seconds = 0;
  double measured_seconds = 0;
  std::int64_t workspace_bytes = 0;  ///< measured beside the tensors, no part of the difference
  DifferenceCause cause = DifferenceCause::none;

  std::int64_t bytes() const { return measured_bytes - predicted_bytes; }
  double seconds() const { return measured_seconds - predicted_seconds; }
};

/// Every step of a run, in the order of the steps; empty when the run had another number of steps.
/// Times are predicted for the chosen device profile, even where the study took measured ones over.
std::vector<StepDifference> measured_differences(const Study& study, const Variant& variant,
                                                 const Measurement& measured);

/// The cause in a few words.
std::string_view explanation(DifferenceCause cause);

}  // namespace stashscope
