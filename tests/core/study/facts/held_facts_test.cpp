// Who holds a storage of a captured step that no node reads any more.

#include "core/study/facts/held_facts.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "core/graph/captured_step.h"
#include "core/study/facts/step_tensors.h"
#include "tests/support/captured_chain.h"

namespace stashscope {
namespace held_facts_test {

constexpr std::size_t storage_of_h = 2;  // the chain makes x, w and then the first module's h

using Change = std::function<void(nlohmann::json& storages, nlohmann::json& saved)>;

std::shared_ptr<const Study> study_of(const Change& change) {
  GraphData data = test::CapturedChain(2).data();
  const auto text = [&](const char* key) -> std::string& { return data.metadata[key]; };
  nlohmann::json storages = nlohmann::json::parse(text("stashscope.storages"));
  nlohmann::json saved = nlohmann::json::parse(text("stashscope.saved"));
  if (change) change(storages, saved);
  text("stashscope.storages") = storages.dump();
  text("stashscope.saved") = saved.dump();
  return test::captured_study(std::move(data));
}

/// The chain, in which a variable of the script holds `h` of the first module up to `last`.
std::shared_ptr<const Study> study_with(std::optional<int> last) {
  if (!last) return study_of(nullptr);
  return study_of([&](nlohmann::json& storages, nlohmann::json&) {
    for (const char* const column : {"last", "python_last"}) storages[column][storage_of_h] = *last;
  });
}

BufferId buffer_of_h(const Study& study) {
  const Variant& step = *study.current;
  return step.timeline.buffer_of[step.dataflow.topology.outputs[step.timeline.order[0]][0]];
}

Band band_of_h(const Study& study) {
  return band_of_buffers(study, *study.current)[buffer_of_h(study)];
}

TEST(HeldFacts, AVariableOfTheScriptHoldsWhatNoNodeReads) {
  const auto free = study_with(std::nullopt);
  EXPECT_FALSE(hold_beyond_reads(*free, buffer_of_h(*free)));
  const int last = static_cast<int>(free->current->timeline.order.size()) - 3;
  const auto study = study_with(last);
  const auto hold = hold_beyond_reads(*study, buffer_of_h(*study));
  ASSERT_TRUE(hold);
  EXPECT_EQ(hold->holder, Hold::Holder::script);
  EXPECT_EQ(hold->until, static_cast<std::size_t>(last));
}

TEST(HeldFacts, WhatTheScriptHoldsIsNotStashed) {
  const auto free = study_with(std::nullopt);
  const auto study = study_with(static_cast<int>(free->current->timeline.order.size()) - 3);
  EXPECT_EQ(band_of_h(*study), Band::activations);
}

TEST(HeldFacts, WhatOutlivesTheStepIsHeldByItsCaller) {
  const auto free = study_with(std::nullopt);
  const auto study = study_with(static_cast<int>(free->current->timeline.order.size()));
  const auto hold = hold_beyond_reads(*study, buffer_of_h(*study));
  ASSERT_TRUE(hold);
  EXPECT_EQ(hold->holder, Hold::Holder::caller);
}

/// Autograd lets go of a mask one node after the derivative that reads it.
TEST(HeldFacts, AutogradHoldsWhatItSavedUntilItsDerivativeIsDone) {
  constexpr std::size_t mask = 4;
  const auto study = study_of([](nlohmann::json& storages, nlohmann::json& saved) {
    storages["last"][mask] = storages["last"][mask].get<int>() + 1;
    for (std::size_t i = 0; i < saved["storage"].size(); ++i) {
      if (saved["storage"][i] == mask) saved["released"][i] = storages["last"][mask];
    }
  });
  const Variant& step = *study->current;
  const BufferId buffer =
      step.timeline.buffer_of[study->graph().data().captured->storages[StorageId(mask)].root];
  const auto hold = hold_beyond_reads(*study, buffer);
  ASSERT_TRUE(hold);
  EXPECT_EQ(hold->holder, Hold::Holder::autograd);
  ASSERT_TRUE(hold->node.valid());
  EXPECT_EQ(study->graph().node(hold->node).op_type, "mul");
}

}  // namespace held_facts_test
}  // namespace stashscope
