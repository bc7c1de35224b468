#pragma once

#include <optional>

namespace stashscope::app {

/// If the command line asks for a layout child, does its work and returns its exit code.
std::optional<int> run_layout_child(int argc, char** argv);

}  // namespace stashscope::app
