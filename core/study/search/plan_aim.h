#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/study/step/study.h"

namespace stashscope {

/// The kind of added cost that a search for a plan within a budget minimizes.
enum class PlanAim : std::uint8_t {
  time,       ///< seconds on the device of the profile, including kernel launches
  operations  ///< only for captured steps; among plans with equal operations, the faster one wins
};

/// The name of an aim: `time` or `operations`.
std::string_view name_of(PlanAim aim);
/// The aim with this name. For an unknown name, throws a usage Error that lists the names.
PlanAim find_aim(std::string_view name);

/// The study with times that are nearly proportional to operations. Searches use this study; it is
/// never shown.
std::shared_ptr<const Study> counting_operations(const Study& study);

}  // namespace stashscope
