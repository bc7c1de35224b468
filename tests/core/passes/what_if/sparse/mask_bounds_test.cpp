// Which numbers a mask of zeros leads to.

#include "core/passes/what_if/sparse/mask_bounds.h"

#include <gtest/gtest.h>

#include "core/passes/infer_shapes.h"
#include "core/passes/what_if/sparse/followed_mask.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace mask_bounds_test {

using test::ModelBuilder;

constexpr double infinity = std::numeric_limits<double>::infinity();

ModelBuilder start() {
  ModelBuilder m;
  m.input("mask", {"B", "S"}, ElementType::int64).input("other", {"B", "S"});
  m.input("flag", {"B", "S"}, ElementType::boolean);
  m.weight("one", {}, {1}).weight("low", {}, {-10000}).weight("zero", {}, {0});
  m.constant("none", Tensor::int64_scalar(0));
  return m.node("Cast", {"mask"}, {"shown"}, {{"to", std::int64_t{1}}});
}

/// The bounds of the first output. @param mask invalid: there is none
Bounds bounds_in(const Rewriter& graph, ValueId mask, KeyKind kind) {
  const Shape* const shape = graph.shape(mask);
  const TokenSizes sizes = shape == nullptr ? TokenSizes() : TokenSizes{(*shape)[0], (*shape)[1]};
  const FollowedMask followed = follow_mask(graph, sizes, mask);
  return MaskBounds(graph, followed, kind).of(graph.outputs()[0]);
}

/// The bounds of a value of the model, which is made its output.
Bounds bounds_of(ModelBuilder& m, const std::string& name) {
  const Graph graph = infer_shapes(m.output(name).build());
  const Rewriter rewriter(graph, {});
  return bounds_in(rewriter, graph.data().inputs[0], KeyKind::hidden);
}

void expect_bounds(ModelBuilder m, double low, double high) {
  const Bounds found = bounds_of(m, "y");
  EXPECT_EQ(found.low, low);
  EXPECT_EQ(found.high, high);
}

TEST(MaskBounds, FollowArithmetic) {
  ModelBuilder m = start();
  m.node("Sub", {"one", "shown"}, {"hidden"});
  expect_bounds(ModelBuilder(m).node("Mul", {"hidden", "low"}, {"y"}), -10000, -10000);
  expect_bounds(ModelBuilder(m).node("Neg", {"hidden"}, {"y"}), -1, -1);
  expect_bounds(ModelBuilder(m).node("Add", {"hidden", "other"}, {"y"}), -infinity, infinity);
  expect_bounds(ModelBuilder(m).node("Mul", {"shown", "other"}, {"y"}), -infinity, infinity);
  expect_bounds(ModelBuilder(m).node("Clip", {"other", "low", "one"}, {"y"}), -10000, 1);
}

TEST(MaskBounds, FollowTruthValues) {
  ModelBuilder m = start();
  m.node("Cast", {"mask"}, {"is_shown"}, {{"to", std::int64_t{9}}});
  m.node("Not", {"is_shown"}, {"is_hidden"});
  expect_bounds(ModelBuilder(m).node("Or", {"is_hidden", "flag"}, {"y"}), 1, 1);
  expect_bounds(ModelBuilder(m).node("And", {"is_hidden", "flag"}, {"y"}), 0, 1);
  expect_bounds(ModelBuilder(m).node("And", {"is_shown", "flag"}, {"y"}), 0, 0);
  expect_bounds(ModelBuilder(m).node("Equal", {"mask", "none"}, {"y"}), 1, 1);
  expect_bounds(ModelBuilder(m).node("Where", {"is_hidden", "low", "other"}, {"y"}), -10000,
                -10000);
  expect_bounds(ModelBuilder(m).node("Where", {"is_shown", "one", "zero"}, {"y"}), 0, 0);
  expect_bounds(ModelBuilder(m).node("Where", {"flag", "low", "zero"}, {"y"}), -10000, 0);
}

TEST(MaskBounds, KnowNothingOfOtherOperators) {
  ModelBuilder m = start();
  expect_bounds(ModelBuilder(m).node("Exp", {"shown"}, {"y"}), -infinity, infinity);
}

TEST(FollowedMask, LeftOutOperandsDoNotDependOnTheMask) {
  ModelBuilder m = start();
  m.node("Dropout", {"shown"}, {"d", ""}).node("Clip", {"other", "", "one"}, {"y"});
  const Graph graph = infer_shapes(m.output("d").output("y").build());
  const ValueId mask = graph.data().inputs[0];
  const Shape& sizes = *graph.value(mask).type.shape;
  const Rewriter rewriter(graph, {});
  const FollowedMask followed = follow_mask(rewriter, {sizes[0], sizes[1]}, mask);
  EXPECT_TRUE(followed.dependent.contains(test::id_of(graph, "d")));
  EXPECT_FALSE(followed.dependent.contains(test::id_of(graph, "y")));
}

/// Numbers that an integer type cannot hold start again at its other end.
TEST(MaskBounds, KnowNothingOfIntegersOutsideTheirType) {
  ModelBuilder m;
  m.input("mask", {"B", "S"}, ElementType::uint8)
      .node("Cast", {"mask"}, {"wide"}, {{"to", std::int64_t{7}}});
  m.constant("one", Tensor::int64_scalar(1)).weight("half", {}, {-0.5});
  m.node("Cast", {"one"}, {"small_one"}, {{"to", std::int64_t{2}}});
  expect_bounds(ModelBuilder(m).node("Sub", {"mask", "small_one"}, {"y"}), -infinity, infinity);
  expect_bounds(ModelBuilder(m).node("Sub", {"wide", "one"}, {"y"}), -1, -1);
  expect_bounds(ModelBuilder(m).node("Cast", {"half"}, {"y"}, {{"to", std::int64_t{7}}}), 0, 0);
}

/// Places of rows `r` [S, 1] and of keys `k` [S], one key more `more` [S + 1].
ModelBuilder places() {
  ModelBuilder m;
  m.input("ids", {"B", "S"}, ElementType::int64).constant("zero", Tensor::int64_scalar(0));
  m.constant("one", Tensor::int64_scalar(1)).int64s("last", {-1}).int64s("column", {-1, 1});
  m.weight("low", {}, {-10000}).weight("null", {}, {0}).int64s("start", {0}).int64s("second", {1});
  m.node("Shape", {"ids"}, {"dims"}).node("Gather", {"dims", "one"}, {"count"});
  m.node("Range", {"zero", "count", "one"}, {"k"}).node("Reshape", {"k", "column"}, {"r"});
  m.node("Add", {"count", "one"}, {"more_count"});
  return m.node("Range", {"zero", "more_count", "one"}, {"more"});
}

Bounds later_keys(ModelBuilder m) {
  const Graph graph = infer_shapes(m.output("y").build());
  const Rewriter rewriter(graph, {});
  return bounds_in(rewriter, ValueId(), KeyKind::hidden);
}

void expect_later(const ModelBuilder& m, double low, double high) {
  const Bounds found = later_keys(m);
  EXPECT_EQ(found.low, low);
  EXPECT_EQ(found.high, high);
}

TEST(MaskBounds, ComparePlacesOfLaterKeys) {
  const ModelBuilder m = places();
  expect_later(ModelBuilder(m).node("Greater", {"k", "r"}, {"y"}), 1, 1);
  expect_later(ModelBuilder(m).node("Greater", {"more", "r"}, {"y"}), 1, 1);
  expect_later(ModelBuilder(m).node("GreaterOrEqual", {"r", "k"}, {"y"}), 0, 0);
  expect_later(ModelBuilder(m).node("LessOrEqual", {"k", "r"}, {"y"}), 0, 0);
  expect_later(ModelBuilder(m).node("Less", {"r", "k"}, {"y"}), 1, 1);
  expect_later(ModelBuilder(m).node("Sub", {"r", "k"}, {"y"}), -infinity, -1);
  expect_later(
      ModelBuilder(m).node("Add", {"r", "one"}, {"next"}).node("Less", {"k", "next"}, {"y"}), 0, 0);
  expect_later(
      ModelBuilder(m).node("Sub", {"k", "one"}, {"before"}).node("Greater", {"before", "r"}, {"y"}),
      0, 1);
  expect_later(ModelBuilder(m).node("Greater", {"k", "k"}, {"y"}), 0, 1);
}

TEST(MaskBounds, KnowNothingOfPlacesThatAreRandom) {
  ModelBuilder m = places();
  m.node("RandomUniform", {}, {"noise"}, {{"shape", Integers{4}}});
  m.node("Cast", {"noise"}, {"anywhere"}, {{"to", std::int64_t{7}}});
  expect_later(m.node("Greater", {"anywhere", "r"}, {"y"}), 0, 1);
}

TEST(MaskBounds, FollowTrianglesAndTables) {
  ModelBuilder m = places();
  m.node("Greater", {"k", "r"}, {"is_later"})
      .node("Where", {"is_later", "low", "null"}, {"masked"});
  expect_later(ModelBuilder(m).node("Unsqueeze", {"masked", "start"}, {"y"}), -10000, -10000);
  expect_later(ModelBuilder(m).node("Unsqueeze", {"masked", "last"}, {"y"}), -infinity, infinity);
  expect_later(ModelBuilder(m).node("Transpose", {"masked"}, {"y"}), -infinity, infinity);
  expect_later(ModelBuilder(m).node("Slice", {"masked", "start", "second", "second"}, {"y"}),
               -10000, -10000);
  expect_later(ModelBuilder(m).node("Slice", {"masked", "second", "last", "second"}, {"y"}),
               -infinity, infinity);
  m.weight("table", {3, 3}, {0, -1, -2, 0, 0, -3, 0, 0, 0})
      .weight("ones", {3, 3}, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  expect_later(ModelBuilder(m).node("Identity", {"table"}, {"y"}), -3, -1);
  expect_later(ModelBuilder(m).node("Trilu", {"ones", "one"}, {"y"}), 1, 1);
  expect_later(ModelBuilder(m).node("Trilu", {"ones"}, {"y"}, {{"upper", std::int64_t{0}}}), 0, 0);
  expect_later(ModelBuilder(m).node("Trilu", {"ones", "one"}, {"y"}, {{"upper", std::int64_t{0}}}),
               0, 1);
}

/// The range for the own key of each row.
void expect_own(ModelBuilder m, double low, double high) {
  const Graph graph = infer_shapes(m.output("y").build());
  const Rewriter rewriter(graph, {});
  const Bounds found = bounds_in(rewriter, ValueId(), KeyKind::shown);
  EXPECT_EQ(found.low, low);
  EXPECT_EQ(found.high, high);
}

TEST(MaskBounds, KnowOwnKeys) {
  ModelBuilder m = places();
  expect_own(ModelBuilder(m).node("Greater", {"k", "r"}, {"y"}), 0, 0);
  expect_own(ModelBuilder(m).node("GreaterOrEqual", {"k", "r"}, {"y"}), 1, 1);
  expect_own(ModelBuilder(m).node("Sub", {"r", "k"}, {"y"}), 0, 0);
  m.weight("table", {3, 3}, {5, -1, -2, 0, 6, -3, 0, 0, 7});
  expect_own(ModelBuilder(m).node("Identity", {"table"}, {"y"}), 5, 7);
  const Attributes lower = {{"upper", std::int64_t{0}}};
  m.constant("before", Tensor::int64_scalar(-1));
  expect_own(ModelBuilder(m).node("Trilu", {"table", "one"}, {"y"}), 0, 0);
  expect_own(ModelBuilder(m).node("Trilu", {"table"}, {"y"}), 5, 7);
  expect_own(ModelBuilder(m).node("Trilu", {"table"}, {"y"}, lower), 5, 7);
  expect_own(ModelBuilder(m).node("Trilu", {"table", "before"}, {"y"}, lower), 0, 0);
}

}  // namespace mask_bounds_test
}  // namespace stashscope
