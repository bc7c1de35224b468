#pragma once

// A small training step that needs no files, and runs of it on emulated devices.

#include "core/run/cuda/execute/cuda_runner.h"
#include "emulated_device.h"
#include "made_tensors.h"
#include "tests/core/run/models/model_run.h"
#include "tests/support/model_builder.h"

namespace stashscope::testing_run {

/// Two layers with a normalization between them, and the mean cross entropy of the scores.
inline Graph small_model() {
  test::ModelBuilder m;
  m.input("x", {"N", 6}).input("labels", {"N"}, ElementType::int64);
  const auto weight = [&m](const char* name, Dims dims, double low, double high) {
    m.constant(name, spread(ElementType::float32, std::move(dims), low, high));
  };
  weight("w1", {6, 40}, -0.5, 0.5);
  weight("b1", {40}, -0.1, 0.1);
  weight("scale", {40}, 0.5, 1.5);
  weight("shift", {40}, -0.2, 0.2);
  weight("w2", {40, 5}, -0.4, 0.4);
  m.node("MatMul", {"x", "w1"}, {"h"}).node("Add", {"h", "b1"}, {"a"});
  m.node("Gelu", {"a"}, {"g"}, {}, "com.microsoft");
  m.node("LayerNormalization", {"g", "scale", "shift"}, {"n"});
  m.node("MatMul", {"n", "w2"}, {"scores"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"});
  return m.output("loss").output("scores").build();
}

inline NamedTensors small_inputs() {
  return {{"x", spread(ElementType::float32, {7, 6}, -2, 2)},
          {"labels", Tensor::int64s({0, 3, 1, 4, 2, 0, 1})}};
}

inline ModelStep small_step(const PassSelection& passes = {}) {
  return {prepare_training_step(small_model(), {}, passes), small_inputs()};
}

/// Bytes of all buffers alive in a slot, as the allocator rounds them.
inline std::int64_t rounded_bytes(const Timeline& timeline, std::size_t step) {
  std::int64_t bytes = 0;
  for (const Buffer& buffer : timeline.buffers) {
    const bool is_there = buffer.persistent || (buffer.first_slot <= step &&
                                                (buffer.returned || step <= buffer.last_slot));
    if (is_there) bytes += EmulatedDevice::rounded(buffer.bytes);
  }
  return bytes;
}

inline std::vector<std::int64_t> rounded_bytes(const Timeline& timeline) {
  std::vector<std::int64_t> bytes;
  for (std::size_t i = 0; i < timeline.order.size(); ++i) {
    bytes.push_back(rounded_bytes(timeline, i));
  }
  return bytes;
}

}  // namespace stashscope::testing_run
