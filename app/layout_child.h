#pragma once

#include <optional>

namespace stashscope::app {

/// If the command line has the hidden option of a layout process (`child_option`), reads one layout
/// request from standard input, writes the result and returns an exit code. Else returns nothing.
std::optional<int> run_layout_child(int argc, char** argv);

}  // namespace stashscope::app
