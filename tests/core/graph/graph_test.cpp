#include "core/graph/graph.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/graph/dataflow.h"
#include "core/graph/half.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace graph_test {

using test::ModelBuilder;

std::string refusal(const ModelBuilder& model) {
  return test::refusal(ErrorKind::input, [&] { model.build(); });
}

TEST(Graph, NamesTheNodeAndTheTensorThatNothingMakes) {
  const std::string text =
      refusal(ModelBuilder().input("x", {4}).node("Add", {"x", "ghost"}, {"y"}).output("y"));
  EXPECT_NE(text.find("make_y"), std::string::npos) << text;
  EXPECT_NE(text.find("ghost"), std::string::npos) << text;
}

TEST(Graph, NamesBothMakers) {
  const std::string text = refusal(ModelBuilder()
                                       .input("x", {4})
                                       .node("Relu", {"x"}, {"y"})
                                       .node("Neg", {"x"}, {"y"})
                                       .output("y"));
  EXPECT_NE(text.find("Relu"), std::string::npos) << text;
  EXPECT_NE(text.find("Neg"), std::string::npos) << text;
}

TEST(Graph, RefusesACycle) {
  const std::string text = refusal(ModelBuilder()
                                       .input("x", {4})
                                       .node("Add", {"x", "b"}, {"a"})
                                       .node("Relu", {"a"}, {"b"})
                                       .node("Relu", {"b"}, {"y"})
                                       .output("y"));
  EXPECT_NE(text.find("cycle"), std::string::npos) << text;
}

TEST(Graph, SortsNodesThatAreOutOfOrderAndSaysSo) {
  const Graph graph = ModelBuilder()
                          .input("x", {4})
                          .node("Relu", {"a"}, {"y"})
                          .node("Neg", {"x"}, {"a"})
                          .output("y")
                          .build();
  EXPECT_EQ(graph.node(NodeId(0)).op_type, "Neg");
  EXPECT_EQ(graph.value(test::id_of(graph, "y")).producer, NodeId(1));
  EXPECT_EQ(graph.data().warnings.size(), 1U);
}

TEST(Graph, ReadersAreListedOnceAndInOrder) {
  const Graph graph = ModelBuilder()
                          .input("x", {4})
                          .node("Add", {"x", "x"}, {"a"})
                          .node("Add", {"x", "a"}, {"y"})
                          .output("y")
                          .build();
  const auto readers = graph.topology().readers[test::id_of(graph, "x")];
  EXPECT_EQ(std::vector<NodeId>(readers.begin(), readers.end()),
            (std::vector<NodeId>{NodeId(0), NodeId(1)}));
}

TEST(Tensor, ChecksSizesInsteadOfWrapping) {
  const std::vector<std::int64_t> huge = {std::int64_t{1} << 32, std::int64_t{1} << 32};
  EXPECT_THROW(element_count(huge), Error);
  EXPECT_EQ(element_count(std::vector<std::int64_t>{0, std::int64_t{1} << 40}), 0);
  EXPECT_THROW(element_count(std::vector<std::int64_t>{-2, -2}), Error);
}

TEST(Half, EveryValueSurvivesTheWayThroughFloat) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const bool is_nan = (half & 0x7C00) == 0x7C00 && (half & 0x3FF) != 0;
    if (!is_nan) {
      ASSERT_EQ(half_from_float(float_from_half(half)), half) << bits;
    }
  }
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(half_from_float(1.0F + 0x1p-11F), half_from_float(1.0F));
  EXPECT_EQ(half_from_float(1.0F + 3 * 0x1p-11F), half_from_float(1.0F + 2 * 0x1p-10F));
  EXPECT_EQ(half_from_float(65520.0F), 0x7C00);
  EXPECT_EQ(half_from_float(65519.0F), 0x7BFF);
  EXPECT_EQ(bfloat_from_float(1.0F + 0x1p-8F), bfloat_from_float(1.0F));
}

}  // namespace graph_test
}  // namespace stashscope
