// Tensor by tensor, a step's memory is what the timeline says, whatever was chosen.

#include <gtest/gtest.h>

#include "core/memory/tensor_bands.h"
#include "core/onnx/model_file.h"
#include "core/study/step/study.h"

namespace stashscope {
namespace tensors_add_up_test {

TEST(TensorsAddUp, ToTheLiveBytesOfEveryStep) {
  const auto model =
      std::make_shared<const Graph>(load_model(STASHSCOPE_SAMPLES "/gpt2_tiny.onnx"));
  std::vector<Choices> cases(4);
  cases[1].plans.level = 1;
  cases[2].fusion.strategy = "dataflow";
  cases[3].update.optimizer = "adamw";
  cases[3].order.strategy = "depth-first";
  for (const Choices& choices : cases) {
    const auto study = compute_study(model, choices, nullptr, Progress());
    const Variant& variant = *study->current;
    // In so much detail that no tensor is too small to be shown.
    const TensorBands tensors(variant.timeline, variant.timeline.peak_bytes);
    EXPECT_EQ(tensors.merged(), 0U);
    for (std::size_t step = 0; step < tensors.steps(); ++step) {
      ASSERT_EQ(tensors.told_apart(step) + of(variant.bands[step], Band::workspace),
                variant.timeline.live_bytes[step])
          << step;
    }
    const TensorBands merged(variant.timeline);
    EXPECT_GT(merged.merged(), 0U);
    for (std::size_t step = 0; step < merged.steps(); ++step) {
      ASSERT_GE(merged.rest_bytes(step), 0) << step;
    }
  }
}

}  // namespace tensors_add_up_test
}  // namespace stashscope
