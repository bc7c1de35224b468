#include "core/study/facts/named_sizes.h"

#include <gtest/gtest.h>

#include "tests/support/named_model.h"

namespace stashscope {
namespace named_sizes_test {

std::shared_ptr<const Study> study_with(const SizeChoices& sizes) {
  test::ModelBuilder m;
  m.input("x", {"a", "b"}).input("y", {"a", "b"});
  m.node("Add", {"x", "y"}, {"z"}).output("z");
  Choices choices;
  choices.dims = sizes;
  return compute_study(test::named(m), choices, nullptr, Progress());
}

TEST(NamedSizes, HaveAWordOrTheirName) {
  EXPECT_EQ(word_of({"n", DimensionUnit::samples, 1}), "batch");
  EXPECT_EQ(word_of({"n", DimensionUnit::tokens, 1}), "sequence");
  EXPECT_EQ(word_of({"n", DimensionUnit::pixels, 1}), "image");
  EXPECT_EQ(word_of({"n", DimensionUnit::none, 1}), "n");
}

TEST(NamedSizes, AreThoseOfAllDimensions) {
  const auto study = study_with({{"a", 3}, {"b", 5}});
  const std::vector<NamedSize> sizes = named_sizes(*study);
  ASSERT_EQ(sizes.size(), 2U);
  EXPECT_EQ(sizes[0].dimension, "a");
  EXPECT_EQ(sizes[0].value, 3);
  EXPECT_EQ(sizes[1].dimension, "b");
  EXPECT_EQ(sizes[1].value, 5);
}

TEST(NamedSizes, ASizeIsSaidOnce) {
  const auto study = study_with({{"a", 3}, {"b", 5}});
  const std::vector<NamedSize> sizes = distinct_sizes(*study);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = i + 1; j < sizes.size(); ++j) {
      EXPECT_FALSE(word_of(sizes[i]) == word_of(sizes[j]) && sizes[i].value == sizes[j].value);
    }
  }
  EXPECT_EQ(sizes.size(), 2U);
}

TEST(NamedSizes, FormulasHaveTheirWords) {
  const SizeWords words = size_words(*study_with({}));
  EXPECT_EQ(words.at("a"), "batch");
  EXPECT_EQ(in_words("4*a*b^2 + 12*max(ab, a)/2", words), "4*batch*b^2 + 12*max(ab, batch)/2");
  EXPECT_EQ(in_words("a", words), "batch");
  EXPECT_EQ(in_words("", words), "");
}

TEST(NamedSizes, AWordOfTwoSizesStandsForNone) {
  test::ModelBuilder m;
  m.input("x", {"a", 2}).input("y", {"c", 2});
  m.node("Relu", {"x"}, {"p"}).node("Relu", {"y"}, {"q"}).output("p").output("q");
  const auto study = compute_study(test::named(m), Choices(), nullptr, Progress());
  ASSERT_EQ(named_sizes(*study).size(), 2U);
  EXPECT_EQ(in_words("a*c", size_words(*study)), "a*c");
}

}  // namespace named_sizes_test
}  // namespace stashscope
