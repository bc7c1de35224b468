#pragma once

#include <optional>

namespace stashscope::app {

/// If the command line has the option of a layout child, does the child's work and returns an exit
/// code; else returns nothing.
std::optional<int> run_layout_child(int argc, char** argv);

}  // namespace stashscope::app
