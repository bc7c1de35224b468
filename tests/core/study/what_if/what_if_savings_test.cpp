// What each what-if would change, beside studies with and without it.

#include "core/study/what_if/what_if_savings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/onnx/model_file.h"

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

TEST(WhatIfOffers, LeaveOutWhatIsOn) {
  for (const WhatIfSaving& offer : what_if_offers(*study_of({{"attention", "flash"}}))) {
    EXPECT_FALSE(offer.result.name == "attention" && offer.result.value == "flash");
  }
}

/// The bytes that one fused attention stashes: its operands, its result and the logarithms of the
/// sums of its softmax.
Expr stash_of(const Graph& graph, const Node& node) {
  Expr bytes = 0;
  for (const ValueId value :
       {node.inputs[0], node.inputs[1], node.inputs[2], node.outputs[0], node.outputs[1]}) {
    bytes = bytes + *element_count(graph.value(value).type) * Expr(4);
  }
  return bytes;
}

TEST(FlashAttention, StashesWhatTheFormulaSays) {
  const auto study = study_of({{"attention", "flash"}});
  const Graph& graph = study->graph();
  const auto dim = [&](const char* name) {
    return Expr::symbol(graph.symbols().find(name).value());
  };
  const Expr batch = dim("inputs_input_ids_dim0");
  const Expr rows = dim("inputs_input_ids_dim1");
  std::size_t found = 0;
  for (const Node& node : graph.nodes()) {
    if (node.op_type != "FusedAttention") continue;
    ++found;
    // The sample's four heads have 16 numbers each.
    const Expr heads = 4;
    const Expr size = 16;
    const Expr formula = Expr(4) * batch * (heads * rows * (size + size)) +
                         Expr(4) * batch * (heads * rows * (size + size)) +
                         Expr(4) * batch * heads * rows;
    EXPECT_EQ(stash_of(graph, node), formula) << to_string(stash_of(graph, node), graph.symbols());
  }
  EXPECT_GT(found, 0U);
}

TEST(WhatIfChoices, AreReadAndRefusedByName) {
  WhatIfChoices choices;
  add_what_if("attention=flash", choices);
  EXPECT_EQ(choices.at("attention"), "flash");
  add_what_if("attention=efficient", choices);
  EXPECT_EQ(choices.at("attention"), "efficient");
  for (const char* const wrong : {"", "attention", "attention=", "attention=slow", "nothing=1"}) {
    EXPECT_THROW(add_what_if(wrong, choices), Error) << wrong;
  }
}

}  // namespace what_if_savings_test
}  // namespace stashscope
