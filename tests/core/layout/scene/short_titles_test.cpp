#include "core/layout/scene/short_titles.h"

#include <gtest/gtest.h>

namespace stashscope::layout {
namespace short_titles_test {

using Titles = std::vector<std::string>;

TEST(ShorterTitles, AreCutAtModules) {
  EXPECT_EQ(shorter_titles("layer1/0/conv1"), (Titles{"…0/conv1", "…conv1"}));
  EXPECT_EQ(shorter_titles("model.layers.0.self_attn"),
            (Titles{"…layers.0.self_attn", "…self_attn"}));
}

TEST(ShorterTitles, AreCutAtWords) {
  EXPECT_EQ(shorter_titles("SoftmaxCrossEntropyLoss"),
            (Titles{"SoftmaxCrossEntropy…", "SoftmaxCross…", "Softmax…Loss", "Softmax…"}));
  EXPECT_EQ(shorter_titles("rotary_emb"), (Titles{"rotary…"}));
  EXPECT_EQ(shorter_titles("part 4: Shape … Transpose"), (Titles{"part 4"}));
}

TEST(ShorterTitles, OfOneWordThereAreNone) {
  for (const char* const title : {"", "h.0", "Gelu", "LSTM", "/", "_"}) {
    EXPECT_EQ(shorter_titles(title), Titles()) << title;
  }
}

TEST(ShorterTitles, OfVeryLongTitlesAreTheirBeginning) {
  std::string title;
  for (int i = 0; i < 200'000; ++i) title += "a.";
  const Titles shorter = shorter_titles(title);
  ASSERT_EQ(shorter.size(), 1U);
  EXPECT_LT(shorter[0].size(), 300U);
}

TEST(DistinctShortTitles, TellTheTitlesApart) {
  const auto shorter =
      distinct_short_titles({"layer1/conv", "layer2/conv", "LayerNorm", "LayerNormGrad", "norm"});
  EXPECT_EQ(shorter[0], Titles()) << "both end in conv";
  EXPECT_EQ(shorter[1], Titles());
  EXPECT_EQ(shorter[2], Titles()) << "both begin with Layer";
  EXPECT_EQ(shorter[3], (Titles{"LayerNorm…", "Layer…Grad"}));
}

TEST(DistinctShortTitles, EqualTitlesShareTheirShortForms) {
  const auto shorter = distinct_short_titles({"ReduceMean", "ReduceMean", "Add"});
  EXPECT_EQ(shorter[0], (Titles{"Reduce…"}));
  EXPECT_EQ(shorter[1], shorter[0]);
}

}  // namespace short_titles_test
}  // namespace stashscope::layout
