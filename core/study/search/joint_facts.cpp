#include "core/study/search/joint_facts.h"

#include <array>

namespace stashscope {

std::string_view name_of(ExplainedChoice::Kind kind) {
  constexpr std::array<std::string_view, 6> names = {"what_if", "pass",     "recompute",
                                                     "offload", "compress", "sequence"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace stashscope
