#include <gtest/gtest.h>

#include "core/onnx/captured_step_reader.h"
#include "core/study/search/budget.h"
#include "core/study/search/next_moves.h"
#include "core/study/search/resized_step.h"
#include "core/study/step/fusion_table.h"
#include "core/study/step/study.h"
#include "tests/support/captured_model.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace captured_study_test {

std::shared_ptr<const Study> study_of(const Choices& choices = {},
                                      GraphData data = test::captured_data()) {
  read_captured_step(data);
  return compute_study(std::make_shared<const Graph>(std::move(data)), choices, nullptr,
                       Progress());
}

TEST(CapturedStudy, HasTheMemoryThatPyTorchHad) {
  const auto study = study_of();
  const Timeline& timeline = study->current->timeline;
  EXPECT_EQ(timeline.live_bytes, (std::vector<std::int64_t>{96, 96, 100, 104, 128, 52}));
  EXPECT_EQ(timeline.idle_bytes, (std::vector<std::int64_t>{32, 96, 96, 100, 104, 52, 52}));
  EXPECT_EQ(timeline.peak_bytes, 128);
  EXPECT_EQ(peak_node(*study, *study->current), "make_w.grad");
}

TEST(CapturedStudy, FreesWhatTheStepFrees) {
  GraphData data = test::captured_data();
  std::string& storages = data.metadata["stashscope.storages"];
  storages.replace(storages.rfind('['), std::string::npos, "[6, 4, 4, 6, 4, 6]}");
  const auto ends_at_4 = study_of({}, data);
  EXPECT_EQ(ends_at_4->current->timeline.live_bytes,
            (std::vector<std::int64_t>{96, 96, 100, 104, 128, 36}));
  EXPECT_EQ(ends_at_4->current->timeline.idle_bytes.front(), 32);
  EXPECT_EQ(of(peak_bands(*ends_at_4->current), Band::constants), 16);
}

TEST(CapturedStudy, KnowsForwardParametersAndBands) {
  const auto study = study_of();
  EXPECT_EQ(study->current->forward_slots, 3U);
  ASSERT_EQ(study->prepared->step.parameters.size(), 1U);
  EXPECT_EQ(study->graph().value(study->prepared->step.parameters[0].gradient).name, "w.grad");
  const BandBytes bands = peak_bands(*study->current);
  EXPECT_EQ(of(bands, Band::parameters), 16);
  EXPECT_EQ(of(bands, Band::constants), 16);
  EXPECT_EQ(of(bands, Band::gradients), 16);
  EXPECT_EQ(of(bands, Band::stashed), 64);
  EXPECT_EQ(of(bands, Band::activations), 8);
  EXPECT_EQ(of(bands, Band::workspace), 8);
}

TEST(CapturedStudy, KeepsItsOwnOptimizer) {
  Choices choices;
  choices.update.optimizer = "adam";
  const auto study = study_of(choices);
  EXPECT_EQ(study->current->timeline.peak_bytes, 128);
  EXPECT_EQ(study->current->update_slot, 5U);
  ASSERT_EQ(study->warnings.size(), 1U);
  EXPECT_TRUE(study->warnings[0].starts_with("the chosen optimizer is left out"));
  EXPECT_EQ(peak_symbolic(*study, *study->current), "120");
  EXPECT_TRUE(fusion_table(*study).empty());
  EXPECT_TRUE(next_moves(*study, 5, Progress()).empty());
  const StepResizer resizer(*study, Progress());
  EXPECT_EQ(resizer.resize(resizer.current(), study->sizes).timeline.peak_bytes, 128);
}

TEST(CapturedStudy, KeepsTheOrderOfPyTorch) {
  Choices choices;
  choices.order.strategy = "depth-first";
  choices.fusion.strategy = "dataflow";
  const auto study = study_of(choices);
  EXPECT_EQ(study->order, "file");
  EXPECT_EQ(order_rows(*study).size(), 1U);
  EXPECT_EQ(study->warnings,
            (std::vector<std::string>{
                "the chosen order is left out: the model is a captured step, which stays as "
                "PyTorch ran it",
                "the fusion is left out: the model is a captured step, which stays as PyTorch ran "
                "it"}));
}

TEST(CapturedStudy, HasNoPlansYet) {
  const auto study = study_of();
  EXPECT_TRUE(study->plan_table->plans.empty());
  EXPECT_TRUE(study->plan_table->extensions.empty());
  ParetoFront archive;
  const std::string refused = test::refusal(ErrorKind::usage, [&] {
    plan_for_budget(*study, {100, PlanGranularity::sequence, {}}, archive, Progress(), {}, {});
  });
  EXPECT_EQ(refused,
            "planning: the model is a captured step, for which there are no plans; plan for an "
            "ONNX model of the same network");
}

}  // namespace captured_study_test
}  // namespace stashscope
