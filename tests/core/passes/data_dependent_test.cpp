// Data-dependent sizes have a name and, if possible, an upper bound.

#include <gtest/gtest.h>

#include "core/passes/infer_shapes.h"
#include "tests/support/model_builder.h"
#include "tests/support/shape_text.h"

namespace stashscope {
namespace data_dependent_test {

using test::ModelBuilder;
using test::shape_text;

/// The bound of a data-dependent size: `none` without a bound, `not listed` for another size.
std::string bound_of(const Graph& graph, const std::string& size) {
  for (const DataDependentDim& each : graph.data().data_dependent) {
    if (graph.symbols().name(each.symbol) != size) continue;
    return each.at_most ? to_string(*each.at_most, graph.symbols()) : "none";
  }
  return "not listed";
}

ModelBuilder of_input() {
  ModelBuilder m;
  m.input("x", {"N", 4}).input("keep", {"K"}, ElementType::boolean);
  m.input("count", {}, ElementType::int64);
  return m;
}

TEST(DataDependent, NonZeroFindsAtMostAllElements) {
  const Graph graph = infer_shapes(of_input().node("NonZero", {"x"}, {"places"}).build());
  EXPECT_EQ(shape_text(graph, "places"), "2, places_dim1");
  EXPECT_EQ(bound_of(graph, "places_dim1"), "4*N");
}

TEST(DataDependent, CompressKeepsAtMostWhatItIsAskedAbout) {
  ModelBuilder m = of_input();
  m.node("Compress", {"x", "keep"}, {"rows"}, {{"axis", std::int64_t{-1}}});
  m.node("Compress", {"x", "keep"}, {"items"});
  const Graph graph = infer_shapes(m.build());
  EXPECT_EQ(shape_text(graph, "rows"), "N, rows_dim1");
  EXPECT_EQ(bound_of(graph, "rows_dim1"), "min(4, K)");
  EXPECT_EQ(shape_text(graph, "items"), "items_dim0");
}

TEST(DataDependent, UniqueCountsTheSameThingsInAllItsOutputs) {
  ModelBuilder m = of_input();
  m.node("Unique", {"x"}, {"u", "first", "place", "counts"}, {{"axis", std::int64_t{0}}});
  const Graph graph = infer_shapes(m.build());
  EXPECT_EQ(shape_text(graph, "u"), "u_dim0, 4");
  EXPECT_EQ(shape_text(graph, "first"), "u_dim0");
  EXPECT_EQ(shape_text(graph, "place"), "N");
  EXPECT_EQ(shape_text(graph, "counts"), "u_dim0");
  EXPECT_EQ(bound_of(graph, "u_dim0"), "N");
}

TEST(DataDependent, SuppressionSelectsAtMostItsLimitOfEachClass) {
  ModelBuilder m;
  m.input("boxes", {2, "B", 4}).input("scores", {2, 3, "B"}).int64s("limit", {5});
  m.node("NonMaxSuppression", {"boxes", "scores", "limit"}, {"chosen"});
  const Graph graph = infer_shapes(m.build());
  EXPECT_EQ(shape_text(graph, "chosen"), "chosen_dim0, 3");
  EXPECT_EQ(bound_of(graph, "chosen_dim0"), "6*min(5, B)");
}

TEST(DataDependent, ARangeOfAComputedEndHasNoBound) {
  ModelBuilder m = of_input();
  m.constant("zero", Tensor::int64_scalar(0)).constant("one", Tensor::int64_scalar(1));
  m.node("Range", {"zero", "count", "one"}, {"r"});
  const Graph graph = infer_shapes(m.build());
  EXPECT_EQ(shape_text(graph, "r"), "r_dim0");
  EXPECT_EQ(bound_of(graph, "r_dim0"), "none");
}

/// A loop body that returns the number of its iteration.
Subgraph counting() {
  ModelBuilder body;
  body.input("i", {}, ElementType::int64).input("go_on", {}, ElementType::boolean);
  body.node("Identity", {"go_on"}, {"still"}).node("Identity", {"i"}, {"made"});
  return std::make_shared<const Graph>(body.output("still").output("made").build());
}

TEST(DataDependent, LoopsOfOneNameRunDifferentlyOften) {
  ModelBuilder m = of_input();
  m.constant("three", Tensor::int64_scalar(3));
  m.node("Loop", {"three", ""}, {"a"}, {{"body", counting()}});
  m.node("Loop", {"count", ""}, {"b"}, {{"body", counting()}});
  GraphData data = m.data();
  for (Node& node : data.nodes) node.name.clear();
  const Graph graph = infer_shapes(Graph(std::move(data)));
  EXPECT_EQ(shape_text(graph, "a"), "a_iterations");
  EXPECT_EQ(bound_of(graph, "a_iterations"), "3");
  EXPECT_EQ(shape_text(graph, "b"), "b_iterations");
  EXPECT_EQ(bound_of(graph, "b_iterations"), "none");
}

TEST(DataDependent, ADeclaredSizeIsTakenWithTheBoundOfTheRule) {
  ModelBuilder m = of_input();
  m.node("NonZero", {"x"}, {"places"}).declare("places", {2, "found"}, ElementType::int64);
  const Graph graph = infer_shapes(m.build());
  EXPECT_EQ(shape_text(graph, "places"), "2, found");
  EXPECT_EQ(bound_of(graph, "found"), "4*N");
  EXPECT_EQ(graph.data().data_dependent.size(), 1U);
}

TEST(DataDependent, ANameDeclaredLaterIsThatOfTheSize) {
  ModelBuilder m = of_input();
  m.node("NonZero", {"x"}, {"places"}).node("Transpose", {"places"}, {"rows"});
  m.declare("rows", {"found", 2}, ElementType::int64);
  m.node("Shape", {"places"}, {"dims"});
  const Graph graph = infer_shapes(m.build());
  EXPECT_EQ(shape_text(graph, "places"), "2, found");
  EXPECT_EQ(shape_text(graph, "rows"), "found, 2");
  EXPECT_EQ(graph.value(*graph.find_value("dims")).contents->back(),
            graph.value(*graph.find_value("rows")).type.shape->front());
  EXPECT_EQ(graph.data().data_dependent.size(), 1U);
  EXPECT_EQ(bound_of(graph, "found"), "4*N");
}

TEST(DataDependent, ADeclaredSizeOfAnInputIsKnownWithoutTheData) {
  ModelBuilder m = of_input();
  m.node("NonZero", {"x"}, {"places"}).declare("places", {2, "K"}, ElementType::int64);
  const Graph graph = infer_shapes(m.build());
  EXPECT_EQ(shape_text(graph, "places"), "2, K");
  EXPECT_TRUE(graph.data().data_dependent.empty());
}

TEST(DataDependent, ShapesThatAreDataHaveNames) {
  ModelBuilder m = of_input();
  m.input("dims", {2}, ElementType::int64).input("k", {1}, ElementType::int64);
  m.node("Reshape", {"x", "dims"}, {"r"}).node("Expand", {"x", "dims"}, {"e"});
  m.node("TopK", {"x", "k"}, {"best", "where"});
  const Graph graph = infer_shapes(m.build());
  EXPECT_EQ(shape_text(graph, "r"), "r_dim0, r_dim1");
  EXPECT_EQ(shape_text(graph, "e"), "e_dim0, e_dim1");
  EXPECT_EQ(shape_text(graph, "best"), "N, best_dim1");
  EXPECT_EQ(bound_of(graph, "best_dim1"), "4");
  EXPECT_EQ(bound_of(graph, "r_dim0"), "none");
}

TEST(DataDependent, InferringAgainGivesTheSameNames) {
  const Graph once = infer_shapes(of_input().node("NonZero", {"x"}, {"places"}).build());
  const Graph twice = infer_shapes(once);
  EXPECT_EQ(twice.data().data_dependent, once.data().data_dependent);
  EXPECT_EQ(shape_text(twice, "places"), "2, places_dim1");
}

}  // namespace data_dependent_test
}  // namespace stashscope
