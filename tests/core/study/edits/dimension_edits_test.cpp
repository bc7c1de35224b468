#include "core/study/edits/dimension_edits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/study/choices/dimension_uses.h"
#include "core/study/choices/same_dims.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace dimension_edits_test {

using Names = std::vector<std::string>;
using SameDims = std::map<std::string, std::string>;

/// Three inputs whose dimensions are independent.
std::shared_ptr<const Graph> three_inputs() {
  test::ModelBuilder m;
  m.input("a", {"a_0", 4}).input("b", {"b_0", 4}).input("c", {"c_0", 4});
  for (const char* name : {"a", "b", "c"}) {
    m.node("Relu", {name}, {std::string(name) + "_out"}).output(std::string(name) + "_out");
  }
  return test::named(m);
}

class DimensionEdits : public testing::Test {
 protected:
  void study(const Choices& choices) {
    study_ = compute_study(model_, choices, nullptr, Progress());
  }
  const Dimension& dimension(const std::string& name) const {
    for (const Dimension& each : study_->sizes->dims.dimensions) {
      if (each.name == name) return each;
    }
    throw std::runtime_error("no dimension " + name);
  }
  Names names() const {
    Names names;
    for (const Dimension& each : study_->sizes->dims.dimensions) names.push_back(each.name);
    return names;
  }
  void make_same(const std::string& name, const std::string& other) {
    study(with_same_dimension(*study_, study_->choices, dimension(name), dimension(other)));
  }
  void take_apart(const std::string& of, const std::string& name) {
    study(with_separate_name(*study_, study_->choices, dimension(of), name));
  }

  std::shared_ptr<const Graph> model_ = three_inputs();
  std::shared_ptr<const Study> study_;
};

TEST_F(DimensionEdits, OneStandsForAnotherAndIsTakenApartAgain) {
  study({});
  const Choices before = study_->choices;
  make_same("a_0", "c_0");
  EXPECT_EQ(names(), (Names{"c_0", "b_0"}));
  EXPECT_EQ(names_made_same(*study_, dimension("c_0")), Names{"a_0"});
  EXPECT_TRUE(names_made_same(*study_, dimension("b_0")).empty());
  take_apart("c_0", "a_0");
  EXPECT_EQ(study_->choices, before);
}

TEST_F(DimensionEdits, TheSizeOfTheOtherCountsWhereBothWereGiven) {
  Choices choices;
  choices.dims = {{"a_0", 3}, {"b_0", 5}};
  study(choices);
  make_same("a_0", "b_0");
  EXPECT_EQ(dimension("b_0").value, 5);
  take_apart("b_0", "a_0");
  EXPECT_EQ(dimension("a_0").value, 5);
  EXPECT_EQ(dimension("b_0").value, 5);
  EXPECT_FALSE(dimension("a_0").assumed);
}

TEST_F(DimensionEdits, AGivenSizeIsKeptWhereTheOtherHadNone) {
  Choices choices;
  choices.dims = {{"a_0", 7}};
  study(choices);
  make_same("a_0", "b_0");
  EXPECT_EQ(study_->choices.dims, (DimensionSizes{{"b_0", 7}}));
}

TEST_F(DimensionEdits, PatternsAreWrittenOutForThoseThatStay) {
  Choices choices;
  choices.graph.same_dims = {{"*_0", "batch"}};
  choices.dims = {{"batch", 6}};
  study(choices);
  ASSERT_EQ(names(), Names{"batch"});
  EXPECT_EQ(names_made_same(*study_, dimension("batch")), (Names{"a_0", "b_0", "c_0"}));
  take_apart("batch", "b_0");
  EXPECT_EQ(study_->choices.graph.same_dims, (SameDims{{"a_0", "batch"}, {"c_0", "batch"}}));
  EXPECT_EQ(names(), (Names{"batch", "b_0"}));
  EXPECT_EQ(dimension("b_0").value, 6);
  take_apart("batch", "a_0");
  take_apart("batch", "c_0");
  EXPECT_EQ(names(), (Names{"a_0", "b_0", "c_0"}));
  EXPECT_TRUE(study_->choices.graph.same_dims.empty());
  EXPECT_EQ(study_->choices.dims, (DimensionSizes{{"a_0", 6}, {"b_0", 6}, {"c_0", 6}}));
}

TEST_F(DimensionEdits, AChainOfNamesComesApartAtAnyOfThem) {
  Choices choices;
  choices.graph.same_dims = {{"a_0", "N"}, {"N", "b_0"}, {"b_0", "c_0"}};
  for (const char* name : {"a_0", "N", "b_0"}) {
    study(choices);
    ASSERT_EQ(names().size(), 1U);
    take_apart(study_->sizes->dims.dimensions.front().name, name);
    EXPECT_EQ(names().size(), 2U) << name;
  }
}

TEST_F(DimensionEdits, SetsManyAtOnceByAnyOfTheirNames) {
  Choices choices;
  choices.graph.same_dims = {{"a_0", "b_0"}};
  choices.dims = {{"c_0", 2}};
  study(choices);
  const Choices edited =
      with_dimensions(*study_, choices, {{"a_0", 9}, {"c_0", 4}, {"of another model", 1}});
  EXPECT_EQ(edited.dims, (DimensionSizes{{"b_0", 9}, {"c_0", 4}}));
}

TEST(DimensionUses, TellInputsAndUnits) {
  test::ModelBuilder m;
  m.input("image", {"N", 3, "H", "W"}).input("ids", {"N", "T"}, ElementType::int64);
  m.node("Relu", {"image"}, {"x"}).node("Identity", {"ids"}, {"y"}).output("x").output("y");
  const auto study = compute_study(test::named(m), {}, nullptr, Progress());
  const auto of = [&](const std::string& name) {
    return *std::ranges::find(study->sizes->dims.dimensions, name, &Dimension::name);
  };
  EXPECT_EQ(uses_of(study->graph(), of("N")),
            (std::vector<DimensionUse>{{"image", 0}, {"ids", 0}}));
  EXPECT_EQ(unit_of(study->graph(), of("N")), DimensionUnit::samples);
  EXPECT_EQ(unit_of(study->graph(), of("H")), DimensionUnit::pixels);
  EXPECT_EQ(unit_of(study->graph(), of("T")), DimensionUnit::tokens);
}

}  // namespace dimension_edits_test
}  // namespace stashscope
