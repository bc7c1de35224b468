#include "app/layout_child.h"

#include <iostream>
#include <string_view>

#include "app/options.h"
#include "core/layout/place/child.h"

namespace stashscope::app {

std::optional<int> run_layout_child(int argc, char** argv) {
  if (argc != 2 || argv[1] != std::string_view(layout::child_option)) return std::nullopt;
  return guarded("stashscope", [] {
    layout::serve_layout(std::cin, std::cout);
    return 0;
  });
}

}  // namespace stashscope::app
