// Chains of shape arithmetic as exporters write them give exact sizes.

#include <gtest/gtest.h>

#include <limits>

#include "core/passes/infer_shapes.h"
#include "core/study/step/study.h"
#include "tests/support/model_builder.h"
#include "tests/support/passed.h"
#include "tests/support/shape_text.h"

namespace stashscope {
namespace shape_chains_test {

using test::ModelBuilder;
using test::shape_text;

/// The shape of x[N, 6] cut along one axis.
std::string sliced(std::int64_t start, std::int64_t end, std::int64_t axis, std::int64_t step = 1) {
  ModelBuilder m;
  m.input("x", {"N", 6}).int64s("start", {start}).int64s("end", {end});
  m.int64s("axis", {axis}).int64s("step", {step});
  m.node("Slice", {"x", "start", "end", "axis", "step"}, {"y"}).output("y");
  return shape_text(infer_shapes(m.build()), "y");
}

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

TEST(ShapeChains, SlicesBeginAndEndFarOutside) {
  EXPECT_EQ(sliced(lowest, -2, 1), "N, 4");
  EXPECT_EQ(sliced(lowest, highest, 0), "N, 6");
  EXPECT_EQ(sliced(lowest, lowest, 0), "0, 6");
  EXPECT_EQ(sliced(highest, lowest, 1, -1), "N, 6");
  EXPECT_EQ(sliced(-1, lowest, 0, -1), "N, 6");
  EXPECT_EQ(sliced(lowest, highest, 0, -1), "0, 6");
}

/// The shape of x[1, 1, N] pooled with rounding up, with N as a symbol and then as each number.
void expect_equal_windows(std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
  const auto pooled = [&](const ModelBuilder::Dim& size) {
    ModelBuilder m;
    m.input("x", {1, 1, size});
    m.node("MaxPool", {"x"}, {"y"},
           {{"kernel_shape", Integers{kernel}},
            {"strides", Integers{stride}},
            {"pads", Integers{pad, pad}},
            {"ceil_mode", std::int64_t{1}}});
    return infer_shapes(m.output("y").build());
  };
  const Graph symbolic = pooled("N");
  const Expr count = symbolic.value(symbolic.data().outputs[0]).type.shape->back();
  for (std::int64_t size = kernel; size < kernel + 12; ++size) {
    Bindings bindings(symbolic.symbols().size());
    bindings[*symbolic.symbols().find("N")] = size;
    const Graph known = pooled(size);
    EXPECT_EQ(count.evaluate(bindings),
              known.value(known.data().outputs[0]).type.shape->back().integer())
        << kernel << " " << stride << " " << pad << " " << size;
  }
}

TEST(ShapeChains, WindowsOfASymbolicSizeThatStartInThePaddingAreDropped) {
  for (const auto& [kernel, stride] : {std::pair{1, 2}, {1, 3}, {2, 2}, {2, 3}, {3, 2}, {2, 5}}) {
    for (int pad = 0; 2 * pad <= kernel; ++pad) expect_equal_windows(kernel, stride, pad);
  }
}

TEST(ShapeChains, ACastToATypeBeyond32BitsIsUnknown) {
  ModelBuilder m;
  m.input("x", {2}).node("Cast", {"x"}, {"y"}, {{"to", (std::int64_t{1} << 32) + 1}}).output("y");
  EXPECT_THROW(infer_shapes(m.build()), Error);
}

/// As in torch's reshape(*x.shape[:-2], -1): the start of the slice is the lowest number.
TEST(ShapeChains, AllButTheLastSizesOfAShape) {
  ModelBuilder m;
  m.input("x", {"N", 3, 4, 5}).int64s("start", {lowest}).int64s("end", {-2}).int64s("rest", {-1});
  m.node("Shape", {"x"}, {"dims"}).node("Slice", {"dims", "start", "end"}, {"first"});
  m.node("Concat", {"first", "rest"}, {"to"}, {{"axis", std::int64_t{0}}});
  m.node("Reshape", {"x", "to"}, {"y"}).output("y");
  EXPECT_EQ(shape_text(infer_shapes(m.build()), "y"), "N, 3, 20");
}

/// torch.roll computes where it cuts: -shift modulo the size.
Graph rolled(std::int64_t shift, const ModelBuilder::Dim& size) {
  ModelBuilder m;
  m.input("x", {"N", size}).int64s("shift", {shift}).int64s("one", {1}).int64s("zero", {0});
  m.int64s("end", {highest});
  m.node("Shape", {"x"}, {"dims"}, {{"start", std::int64_t{1}}, {"end", std::int64_t{2}}});
  m.node("Mod", {"shift", "dims"}, {"cut"});
  m.node("Slice", {"x", "cut", "end", "one"}, {"tail"});
  m.node("Slice", {"x", "zero", "cut", "one"}, {"head"});
  m.node("Concat", {"tail", "head"}, {"y"}, {{"axis", std::int64_t{1}}}).output("y");
  return infer_shapes(m.build());
}

TEST(ShapeChains, ANegativeRemainderCountsFromTheEnd) {
  const Graph graph = rolled(-2, 16);
  EXPECT_EQ(shape_text(graph, "tail"), "N, 2");
  EXPECT_EQ(shape_text(graph, "head"), "N, 14");
  EXPECT_EQ(shape_text(graph, "y"), "N, 16");
  EXPECT_EQ(shape_text(rolled(18, 16), "head"), "N, 2");
}

/// The elements of `a mod b`.
std::vector<Expr> remainder(std::int64_t a, std::int64_t b, std::int64_t truncates) {
  ModelBuilder m;
  m.int64s("a", {a}).int64s("b", {b});
  m.node("Mod", {"a", "b"}, {"y"}, {{"fmod", truncates}}).output("y");
  const Graph graph = infer_shapes(m.build());
  const auto& known = graph.value(test::id_of(graph, "y")).contents;
  return known ? *known : std::vector<Expr>();
}

TEST(ShapeChains, RemaindersHaveTheSignOfOneOperand) {
  EXPECT_EQ(remainder(-7, 3, 0), std::vector<Expr>{2});
  EXPECT_EQ(remainder(7, -3, 0), std::vector<Expr>{-2});
  EXPECT_EQ(remainder(-7, 3, 1), std::vector<Expr>{-1});
  EXPECT_EQ(remainder(7, -3, 1), std::vector<Expr>{1});
  EXPECT_TRUE(remainder(7, 0, 0).empty());
}

TEST(ShapeChains, AnUnknownPositionLeavesTheOtherAxesKnown) {
  ModelBuilder m;
  m.input("x", {"N", 6}).input("end", {1}, ElementType::int64).int64s("zero", {0});
  m.int64s("one", {1}).node("Slice", {"x", "zero", "end", "one"}, {"y"}).output("y");
  const Graph graph = infer_shapes(m.build());
  EXPECT_EQ(shape_text(graph, "y"), "N, y_dim1");
  ASSERT_EQ(graph.data().data_dependent.size(), 1U);
  EXPECT_EQ(graph.data().data_dependent[0].at_most, Expr(6));
}

TEST(ShapeChains, ASumOverUnknownAxesKeepsSizesOrMakesThemOne) {
  ModelBuilder m;
  m.input("x", {"N", 1, 6}).input("axes", {1}, ElementType::int64);
  m.node("ReduceSum", {"x", "axes"}, {"y"}).output("y");
  const Graph graph = infer_shapes(m.build());
  EXPECT_EQ(shape_text(graph, "y"), "y_dim0, 1, y_dim2");
  EXPECT_EQ(graph.data().data_dependent.size(), 2U);
}

std::shared_ptr<const Study> study_of(const ModelBuilder& m, const SizeChoices& dims) {
  Choices choices;
  choices.dims = dims;
  return compute_study(std::make_shared<const Graph>(m.build()), choices, nullptr, Progress());
}

/// Only a run shows whether the gradient of a broadcast is summed. Its size is known before the
/// run.
TEST(ShapeChains, GradientsOfBroadcastsHaveKnownSizes) {
  ModelBuilder m;
  m.input("x", {"N", 4}).weight("w", {4}).weight("table", {8, 4});
  m.node("Mul", {"x", "w"}, {"a"}).node("Add", {"a", "table"}, {"y"}).output("y");
  for (const std::int64_t rows : {1, 8}) {
    const auto study = study_of(m, {{"N", rows}});
    EXPECT_TRUE(study->sizes->unknown.empty());
    EXPECT_EQ(test::count(study->graph(), "BroadcastGradientArgs"), 1U);
  }
}

/// The bound of a size may use dimension names that other names have replaced.
TEST(ShapeChains, BoundsFollowSizesThatAreEqual) {
  ModelBuilder m;
  m.input("x", {"N", 4}).input("end", {1}, ElementType::int64).int64s("zero", {0});
  m.weight("w", {4}).node("Mul", {"x", "w"}, {"p"});
  m.node("Slice", {"p", "zero", "end", "zero"}, {"a"});
  m.node("Slice", {"p", "zero", "end", "zero"}, {"b"});
  m.node("Add", {"a", "b"}, {"c"}).output("c");
  m.node("Slice", {"b", "zero", "end", "zero"}, {"d"}).output("d");
  const auto study = study_of(m, {{"N", 5}, {"a_dim0", 3}, {"d_dim0", 2}});
  const std::vector<Dimension>& dims = study->sizes->dims.dimensions;
  const auto d = std::ranges::find(dims, "d_dim0", &Dimension::name);
  ASSERT_NE(d, dims.end());
  EXPECT_EQ(d->value, 2);
}

}  // namespace shape_chains_test
}  // namespace stashscope
