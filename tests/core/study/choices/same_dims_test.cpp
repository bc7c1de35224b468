#include "core/study/choices/same_dims.h"

#include <gtest/gtest.h>

#include "core/study/step/study.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace same_dims_test {

using test::ModelBuilder;
using test::refusal;
using Names = std::map<std::string, std::string>;

/// Two inputs whose batch and length nothing ties together.
Graph two_inputs() {
  ModelBuilder m;
  m.input("a", {"a_0", "a_1"}).input("b", {"b_0", "b_1"});
  return m.node("Identity", {"a"}, {"x"})
      .node("Identity", {"b"}, {"y"})
      .output("x")
      .output("y")
      .build();
}

std::vector<std::string> dims_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const ValueId input : graph.data().inputs) {
    for (const Expr& dim : *graph.value(input).type.shape) {
      names.push_back(to_string(dim, graph.symbols()));
    }
  }
  return names;
}

std::vector<std::string> renamed(const Names& names) {
  return dims_of(with_same_dims(two_inputs(), names));
}

TEST(SameDims, ANewNameStandsForAllThatMatch) {
  EXPECT_EQ(renamed({{"*_0", "batch"}}),
            (std::vector<std::string>{"batch", "a_1", "batch", "b_1"}));
}

TEST(SameDims, ANewNameMayBeGivenOneByOne) {
  EXPECT_EQ(renamed({{"a_0", "batch"}, {"b_0", "batch"}}),
            (std::vector<std::string>{"batch", "a_1", "batch", "b_1"}));
}

TEST(SameDims, ANameOfTheModelIsKept) {
  EXPECT_EQ(renamed({{"a_0", "b_0"}}), (std::vector<std::string>{"b_0", "a_1", "b_0", "b_1"}));
}

TEST(SameDims, ChainsAreFollowed) {
  EXPECT_EQ(renamed({{"a_0", "b_0"}, {"b_0", "batch"}}),
            (std::vector<std::string>{"batch", "a_1", "batch", "b_1"}));
  EXPECT_EQ(renamed({{"b_0", "a_0"}, {"a_0", "batch"}}),
            (std::vector<std::string>{"batch", "a_1", "batch", "b_1"}));
}

TEST(SameDims, CirclesAreOneDimension) {
  const auto names = renamed({{"a_0", "b_0"}, {"b_0", "a_0"}});
  EXPECT_EQ(names[0], names[2]);
  EXPECT_NE(names[0], names[1]);
}

TEST(SameDims, TheOrderOfDimensionsStays) {
  const Graph before = two_inputs();
  const Graph after = with_same_dims(before, {{"a_0", "later"}});
  EXPECT_EQ(*after.symbols().find("later"), *before.symbols().find("a_0"));
}

TEST(SameDims, OldNamesStillTakeSizes) {
  Choices choices;
  choices.graph.same_dims = {{"*_0", "batch"}};
  choices.dims = {{"b_0", 5}, {"*_1", 3}};
  const auto study =
      compute_study(std::make_shared<const Graph>(two_inputs()), choices, nullptr, Progress());
  ASSERT_EQ(study->sizes->dims.dimensions.size(), 3U);
  EXPECT_EQ(study->sizes->dims.dimensions[0].name, "batch");
  EXPECT_EQ(study->sizes->dims.dimensions[0].value, 5);
}

TEST(SameDims, WhatIsNoNameIsRefused) {
  for (const char* name : {"3.5", "1e3", " 8", "-2", "*", "a b", ""}) {
    const std::string said = refusal(ErrorKind::usage, [&] { renamed({{"a_0", name}}); });
    EXPECT_NE(said.find("neither a whole number nor a name"), std::string::npos) << name;
  }
  EXPECT_NE(refusal(ErrorKind::usage,
                    [] {
                      renamed({{"c_0", "batch"}});
                    })
                .find("c_0"),
            std::string::npos);
}

}  // namespace same_dims_test
}  // namespace stashscope
