#pragma once

#include "tests/support/model_builder.h"

namespace stashscope::test {

/// The order in which the file lists the nodes of the ten paths.
enum class Listing { path_by_path, level_by_level };

/// Ten parallel paths that end in one chain: a published case for orders and fusions. For
/// k = 1..10: `t1 = relu(in_k); t2 = t1 t1; t3 = relu(t2); a_k = t3 a_(k-1)`, all of 256 x 256
/// float32 (0.25 MiB). The inputs and a_0 are persistent.
inline ModelBuilder ten_paths(Listing listing) {
  constexpr int paths = 10;
  ModelBuilder m;
  for (int k = 1; k <= paths; ++k) m.input("in_" + std::to_string(k), {256, 256});
  m.input("a_0", {256, 256});
  const auto add = [&](int k, int level) {
    const std::string path = "_" + std::to_string(k);
    if (level == 0) m.node("Relu", {"in" + path}, {"t1" + path});
    if (level == 1) m.node("MatMul", {"t1" + path, "t1" + path}, {"t2" + path});
    if (level == 2) m.node("Relu", {"t2" + path}, {"t3" + path});
    if (level == 3) m.node("MatMul", {"t3" + path, "a_" + std::to_string(k - 1)}, {"a" + path});
  };
  constexpr int levels = 4;
  for (int i = 0; i < paths * levels; ++i) {
    const bool by_path = listing == Listing::path_by_path;
    add(1 + (by_path ? i / levels : i % paths), by_path ? i % levels : i / paths);
  }
  return m.output("a_10");
}

}  // namespace stashscope::test
