// What each what-if would change, beside studies with and without it.

#include "core/study/what_if/what_if_savings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "core/base/error.h"
#include "core/onnx/model_file.h"
#include "core/study/search/budget.h"

namespace stashscope {
namespace what_if_savings_test {

std::shared_ptr<const Study> study_of(const WhatIfChoices& what_ifs) {
  static const auto model =
      std::make_shared<const Graph>(load_model(STASHSCOPE_SAMPLES "/gpt2_tiny.onnx"));
  Choices choices;
  choices.dims = {{"inputs_input_ids_dim0", 8}, {"inputs_input_ids_dim1", 64}};
  choices.graph.what_ifs = what_ifs;
  return compute_study(model, choices, nullptr, Progress());
}

TEST(WhatIfSavings, AreTheDifferenceOfTwoStudies) {
  const auto plain = study_of({});
  const auto flash = study_of({{"attention", "flash"}});
  EXPECT_TRUE(what_if_savings(*plain).empty());
  const std::vector<WhatIfSaving> savings = what_if_savings(*flash);
  ASSERT_EQ(savings.size(), 1U);
  const WhatIfSaving& saving = savings.front();
  EXPECT_EQ(saving.result.name, "attention");
  EXPECT_GT(saving.result.found, 0U);
  EXPECT_TRUE(saving.result.stopped_by.empty());
  EXPECT_EQ(saving.peak_bytes_saved,
            plain->current->timeline.peak_bytes - flash->current->timeline.peak_bytes);
  EXPECT_EQ(saving.stashed_bytes_saved,
            stashed_bytes(plain->baseline->timeline, plain->opportunities->stashed) -
                stashed_bytes(flash->baseline->timeline, flash->opportunities->stashed));
  EXPECT_EQ(saving.seconds,
            step_seconds(*flash, *flash->current) - step_seconds(*plain, *plain->current));
  EXPECT_NE(saving.symbolic_saved.find("inputs_input_ids_dim1"), std::string::npos)
      << saving.symbolic_saved;
}

TEST(WhatIfOffers, HaveTheEffectThatTheySayAndTheLargestSavingFirst) {
  const auto plain = study_of({});
  const std::vector<WhatIfSaving> offers = what_if_offers(*plain);
  ASSERT_FALSE(offers.empty());
  EXPECT_TRUE(std::ranges::is_sorted(offers, std::greater(), &WhatIfSaving::peak_bytes_saved));
  std::size_t compared = 0;
  for (const WhatIfSaving& offer : offers) {
    if (offer.result.changed == 0) continue;
    const auto with = study_of({{offer.result.name, offer.result.value}});
    EXPECT_EQ(offer.peak_bytes_saved,
              plain->current->timeline.peak_bytes - with->current->timeline.peak_bytes)
        << offer.result.name << "=" << offer.result.value;
    ++compared;
  }
  EXPECT_GE(compared, 3U) << "the forms of attention at least";
}

TEST(WhatIfOffers, CompareBothStepsWithoutPlansBesideAPlannedSequence) {
  const auto plain = study_of({});
  for (const WhatIfSaving& offer : what_if_offers(*plain)) EXPECT_FALSE(offer.is_without_plans);
  const BudgetRequest request{
      plain->current->timeline.peak_bytes * 9 / 10, PlanGranularity::node, {0, 200, 1}};
  ParetoFront archive;
  const BudgetAnswer answer = plan_for_budget(*plain, request, archive, Progress());
  ASSERT_TRUE(answer.best.choices.plans.sequence);
  const auto planned = compute_study(plain->model, answer.best.choices, plain.get(), Progress());
  ASSERT_LT(planned->current->timeline.peak_bytes, planned->baseline->timeline.peak_bytes);
  std::size_t compared = 0;
  for (const WhatIfSaving& offer : what_if_offers(*planned)) {
    if (offer.result.changed == 0) continue;
    const auto with = study_of({{offer.result.name, offer.result.value}});
    EXPECT_TRUE(offer.is_without_plans);
    EXPECT_EQ(offer.peak_bytes_saved,
              plain->baseline->timeline.peak_bytes - with->baseline->timeline.peak_bytes);
    ++compared;
  }
  EXPECT_GT(compared, 0U);
}

TEST(WhatIfOffers, LeaveOutWhatIsOn) {
  for (const WhatIfSaving& offer : what_if_offers(*study_of({{"attention", "flash"}}))) {
    EXPECT_FALSE(offer.result.name == "attention" && offer.result.value == "flash");
  }
}

/// The attentions of a model, by their published sizes.
struct AttentionModel {
  const char* file;  ///< below the samples; else below the shared models
  const char* batch;
  const char* sequence;
  std::int64_t query_heads;
  std::int64_t key_heads;
  std::int64_t head_size;
};

class FlashStash : public testing::TestWithParam<AttentionModel> {};

std::set<BufferId> stashed_buffers(const Study& study) {
  std::set<BufferId> buffers;
  for (const ValueId value : study.opportunities->stashed) {
    buffers.insert(study.baseline->timeline.buffer_of[value]);
  }
  return buffers;
}

/// The bytes of the tensors of an attention that the study stashes: operands, result, and the
/// logarithms of the sums of its softmax.
Expr stash_of(const Study& study, const Node& node) {
  const std::set<BufferId> stashed = stashed_buffers(study);
  Expr bytes = 0;
  for (const ValueId value :
       {node.inputs[0], node.inputs[1], node.inputs[2], node.outputs[0], node.outputs.at(1)}) {
    if (!stashed.contains(study.baseline->timeline.buffer_of[value])) continue;
    bytes = bytes + *element_count(study.graph().value(value).type) * Expr(4);
  }
  return bytes;
}

TEST_P(FlashStash, IsThatOfTheFormula) {
  const AttentionModel& model = GetParam();
  std::filesystem::path file = std::filesystem::path(STASHSCOPE_SAMPLES) / model.file;
  if (!std::filesystem::exists(file)) {
    file = std::filesystem::path(STASHSCOPE_SHARED) / "models" / model.file;
  }
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
  Choices choices;
  choices.graph.what_ifs = {{"attention", "flash"}};
  const auto graph = std::make_shared<const Graph>(load_model(file));
  const auto study = compute_study(graph, choices, nullptr, Progress());
  const SymbolTable& names = study->graph().symbols();
  const Expr batch = Expr::symbol(names.find(model.batch).value());
  const Expr rows = Expr::symbol(names.find(model.sequence).value());
  const Expr sizes = Expr(2 * model.head_size);  // of a key and of a value
  const Expr formula =
      Expr(4) * batch *
          (Expr(model.query_heads) * rows * sizes + Expr(model.key_heads) * rows * sizes) +
      Expr(4) * batch * Expr(model.query_heads) * rows;
  std::size_t found = 0;
  for (const Node& node : study->graph().nodes()) {
    if (node.op_type != "FusedAttention") continue;
    ++found;
    EXPECT_EQ(stash_of(*study, node), formula)
        << to_string(stash_of(*study, node), names) << " instead of " << to_string(formula, names);
  }
  EXPECT_EQ(found, 2U) << "one in each layer";
}

INSTANTIATE_TEST_SUITE_P(
    Models, FlashStash,
    testing::Values(AttentionModel{"gpt2_tiny.onnx", "inputs_input_ids_dim0",
                                   "inputs_input_ids_dim1", 4, 4, 16},
                    AttentionModel{"small/llama_tiny_gqa/model.onnx", "batch", "sequence", 4, 2,
                                   16},
                    AttentionModel{"small/llama_tiny_mha/model.onnx", "inputs_input_ids_dim0",
                                   "inputs_input_ids_dim1", 4, 4, 16},
                    AttentionModel{"small/bert_tiny/model.onnx", "inputs_input_ids_dim0",
                                   "inputs_input_ids_dim1", 4, 4, 16}),
    [](const auto& each) {
      std::string name = each.param.file;
      std::ranges::replace_if(
          name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
      return name;
    });

TEST(WhatIfChoices, AreReadAndRefusedByName) {
  WhatIfChoices choices;
  add_what_if("attention=flash", choices);
  EXPECT_EQ(choices.at("attention"), "flash");
  add_what_if("attention=efficient", choices);
  EXPECT_EQ(choices.at("attention"), "efficient");
  add_what_if("loss=pieces", choices);
  EXPECT_EQ(choices.at("loss"), "pieces");
  add_what_if("loss=pieces:0064", choices);
  EXPECT_EQ(choices.at("loss"), "pieces:64");
  for (const char* const wrong :
       {"", "attention", "attention=", "attention=slow", "nothing=1", "loss",
        "loss=pieces:", "loss=pieces:0", "loss=pieces:-3", "loss=pieces:x",
        "loss=pieces:99999999999999999999", "micro=0", "micro=x"}) {
    EXPECT_THROW(add_what_if(wrong, choices), Error) << wrong;
  }
}

}  // namespace what_if_savings_test
}  // namespace stashscope
