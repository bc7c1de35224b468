#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/study/step/study.h"
#include "tests/support/model_builder.h"

namespace stashscope::test {

/// A step in which each tensor is larger than all that were freed before it, and small tensors
/// between them live long.
inline std::shared_ptr<const Study> fragmenting_step() {
  ModelBuilder m;
  m.input("x", {1 << 20});
  std::string last = "x";
  std::vector<std::string> kept;
  for (int i = 0; i < 5; ++i) {
    const std::string name = "grown" + std::to_string(i);
    m.node("Concat", {last, last}, {name}, {{"axis", std::int64_t{0}}});
    kept.push_back("kept" + std::to_string(i));
    m.node("ReduceSum", {name}, {kept.back()});
    last = name;
  }
  m.node("Sum", kept, {"sum"});
  return compute_study(std::make_shared<const Graph>(m.output("sum").build()), Choices(), nullptr,
                       Progress());
}

}  // namespace stashscope::test
