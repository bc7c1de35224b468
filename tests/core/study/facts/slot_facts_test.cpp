#include "core/study/facts/slot_facts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/onnx/captured_step_reader.h"
#include "tests/support/captured_model.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace slot_facts_test {

std::size_t count_of(const std::vector<SlotFacts>& slots, SlotPhase phase) {
  return static_cast<std::size_t>(std::ranges::count(slots, phase, &SlotFacts::phase));
}

TEST(SlotFacts, NameWhatRunsInEachSlot) {
  const auto study = test::study_of(test::named(test::blocks(2)));
  const std::vector<SlotFacts> slots = slot_facts(*study, *study->current);
  const Timeline& timeline = study->current->timeline;
  ASSERT_EQ(slots.size(), timeline.order.size());
  EXPECT_EQ(slots[0].node, "/model/h.0/attn/MatMul");
  EXPECT_EQ(slots[0].op_type, "MatMul");
  EXPECT_EQ(slots[0].module, "model.h.0.attn");
  EXPECT_EQ(slots[timeline.peak_slot].node, peak_node(*study, *study->current));
}

TEST(SlotFacts, TellForwardFromRecomputeAndBackward) {
  const auto study = test::study_of(test::named(test::blocks(3)), 1);
  const std::vector<SlotFacts> before = slot_facts(*study, *study->baseline);
  const std::vector<SlotFacts> after = slot_facts(*study, *study->current);
  EXPECT_EQ(count_of(before, SlotPhase::recompute), 0U);
  EXPECT_EQ(count_of(before, SlotPhase::forward), study->baseline->forward_slots);
  EXPECT_EQ(count_of(after, SlotPhase::forward), count_of(before, SlotPhase::forward));
  EXPECT_EQ(count_of(after, SlotPhase::backward), count_of(before, SlotPhase::backward));
  EXPECT_EQ(count_of(after, SlotPhase::recompute), after.size() - before.size());
  EXPECT_GT(count_of(after, SlotPhase::recompute), 0U);
}

TEST(SlotFacts, HaveThePhasesOfACapturedStep) {
  GraphData data = test::captured_data();
  read_captured_step(data);
  const auto study =
      compute_study(std::make_shared<const Graph>(std::move(data)), {}, nullptr, Progress());
  std::vector<std::string_view> phases;
  for (const SlotFacts& each : slot_facts(*study, *study->current)) {
    phases.push_back(name_of(each.phase));
  }
  EXPECT_EQ(phases, (std::vector<std::string_view>{"forward", "forward", "forward", "backward",
                                                   "backward", "optimizer"}));
}

}  // namespace slot_facts_test
}  // namespace stashscope
