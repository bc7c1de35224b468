#pragma once

#include <cstdint>
#include <string>

#include "core/study/step/study.h"

namespace stashscope {

/// Identifies the step of a measurement: equal for studies whose variants run the same nodes in the
/// same order with the same predicted memory.
struct StepIdentity {
  std::uint64_t graph = 0;     ///< fingerprint of the nodes, without tensor sizes
  std::uint64_t baseline = 0;  ///< fingerprint of the order and live bytes without plans
  std::uint64_t current = 0;   ///< fingerprint of the order and live bytes with plans

  friend bool operator==(const StepIdentity&, const StepIdentity&) = default;
};

StepIdentity identity_of(const Study& study);

/// The identity as the worker program prints it.
std::string to_string(const StepIdentity& step);

}  // namespace stashscope
