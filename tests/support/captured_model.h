#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/model_builder.h"

namespace stashscope::test {

/// A captured step as PyTorch would run `loss = (x * w).view(4).sum()`, its backward pass and an
/// update of w in place. Autograd holds the product until its backward node ends, although that
/// node does not read it. Each storage is as large as its first value, float32, except for the
/// product, for which 64 bytes are allocated.
/// @param makes_state whether the optimizer first makes a state of 256 bytes
inline GraphData captured_data(bool makes_state = false) {
  const auto node = [](const char* phase, std::vector<std::int64_t> storages,
                       Attributes attributes = {}) {
    attributes.set("phase", std::string(phase));
    attributes.set("storages", std::move(storages));
    return attributes;
  };
  const std::string aten = "pytorch.aten";
  ModelBuilder m;
  m.input("w", {2, 2}).input("x", {2, 2});
  for (const char* const name : {"product", "w.grad", "w.1"}) m.declare(name, {2, 2});
  m.declare("flat", {4}).declare("loss", {}).declare("loss.grad", {});
  m.node("mul", {"x", "w"}, {"product"}, node("forward", {2}), aten);
  m.node("view", {"product"}, {"flat"}, node("forward", {2}, {{"tags", Strings{"view"}}}), aten);
  m.node("sum", {"flat"}, {"loss"}, node("forward", {3}), aten);
  m.node("ones_like", {"loss"}, {"loss.grad"}, node("backward", {4}), aten);
  m.node("mul", {"loss.grad", "x"}, {"w.grad"},
         node("backward", {5}, {{"workspace", std::int64_t{8}}}), aten);
  if (makes_state) {
    m.declare("w.state", {8, 8});
    m.node("zeros_like", {"w"}, {"w.state"}, node("optimizer", {6}), aten);
  }
  m.node("add_", {"w", "w.grad"}, {"w.1"}, node("optimizer", {0}), aten);
  m.output("loss").output("w.grad");
  GraphData data = m.data();
  data.metadata = {{"stashscope.captured_step", "1"},
                   {"stashscope.input_storages", "[0, 1]"},
                   {"stashscope.storages",
                    R"({"bytes": [16, 16, 64, 4, 4, 16],
                        "role": ["parameter", "input", "other", "other", "other", "gradient"],
                        "last": [6, 6, 4, 6, 4, 6]})"}};
  if (makes_state) {
    data.metadata["stashscope.storages"] =
        R"({"bytes": [16, 16, 64, 4, 4, 16, 256],
            "role": ["parameter", "input", "other", "other", "other", "gradient", "optimizer"],
            "last": [7, 7, 4, 7, 4, 7, 7]})";
  }
  return data;
}

}  // namespace stashscope::test
