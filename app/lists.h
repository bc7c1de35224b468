#pragma once

#include <string>

namespace stashscope::app {

/// One line for each order that can be chosen.
std::string order_list();

/// One line for each fusion strategy.
std::string fusion_list();

/// One line for each pass that can be chosen.
std::string pass_list();

/// One line for each what-if, with its values.
std::string what_if_list();

/// Prints the values of --optimizer and returns exit code 0.
int print_optimizers();

/// Prints the built-in values of --profile and returns exit code 0.
int print_profiles();

}  // namespace stashscope::app
