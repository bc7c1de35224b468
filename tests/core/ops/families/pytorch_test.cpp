#include <gtest/gtest.h>

#include <optional>

#include "core/ops/families/standard_ops.h"
#include "core/passes/infer_shapes.h"
#include "tests/support/shape_text.h"

namespace stashscope {
namespace pytorch_test {

using test::shape_text;

double flops_of(const char* type, Attributes attributes, std::optional<double> counted = {}) {
  Node node;
  node.domain = "pytorch.aten";
  node.op_type = type;
  node.attributes = std::move(attributes);
  const std::vector<std::vector<std::int64_t>> dims = {{3, 5}};
  return flops_of(standard_ops().find(node), {node, dims, dims, {}, {}, counted});
}

TEST(CapturedOps, AreFoundInEveryNamespaceOfPyTorch) {
  const Op* const any = standard_ops().find("pytorch.torchvision", "nms");
  ASSERT_NE(any, nullptr);
  EXPECT_EQ(standard_ops().find("pytorch.aten", "gelu"), any);
  EXPECT_EQ(any->unit, ComputeUnit::vector);
  EXPECT_EQ(standard_ops().find("pytorch.aten", "addmm")->unit, ComputeUnit::matrix);
  EXPECT_EQ(standard_ops().find("torch", "gelu"), nullptr);
  EXPECT_EQ(standard_ops().find("pytorchlike", "gelu"), nullptr);
}

TEST(CapturedOps, CountWhatTheCaptureCounted) {
  EXPECT_EQ(flops_of("addmm", {}, 1000), 1000);
  EXPECT_EQ(flops_of("gelu", {}), 15) << "one for each element";
  EXPECT_EQ(flops_of("transpose", {{"tags", Strings{"view"}}}), 0);
}

TEST(CapturedOps, CountNothingWhereNoKernelRuns) {
  for (const char* const type : {"empty_like", "empty", "new_empty_strided", "_unsafe_view"}) {
    EXPECT_EQ(flops_of(type, {}), 0) << type;
  }
  Node node;
  node.domain = "pytorch.python";
  node.op_type = "tensor";
  const std::vector<std::vector<std::int64_t>> none;
  const std::vector<std::vector<std::int64_t>> number = {{}};
  const std::vector<std::vector<std::int64_t>> list = {{7}};
  const Op* const op = standard_ops().find(node);
  EXPECT_EQ(flops_of(op, {node, none, number, {}, {}, {}}), 0) << "a number that a kernel takes";
  EXPECT_EQ(flops_of(op, {node, none, list, {}, {}, {}}), 7);
}

TEST(CapturedOps, AreNoOperatorsOfModels) {
  for (const auto& [key, op] : standard_ops().all()) {
    EXPECT_FALSE(op.domain.starts_with("pytorch")) << key;
  }
}

/// A node for a function of ATen on queries [B, 2, S, 8], keys [B, 2, T, 8] and values [B, 2, T,
/// 4].
Graph attention(const std::string& function) {
  test::ModelBuilder m;
  m.input("q", {"B", 2, "S", 8}).input("k", {"B", 2, "T", 8}).input("v", {"B", 2, "T", 4});
  m.node("ATen", {"q", "k", "v"}, {"y", "sums"}, {{"operator", function}}, "org.pytorch.aten");
  return infer_shapes(m.output("y").output("sums").build());
}

TEST(AtenAttentionShapes, AreThoseOfTheResultAndOfTheSums) {
  const Graph efficient = attention("_scaled_dot_product_efficient_attention");
  EXPECT_EQ(shape_text(efficient, "y"), "B, 2, S, 4");
  EXPECT_EQ(shape_text(efficient, "sums"), "B, 2, 32*floor((S + 31)/32)");
  const Graph flash = attention("_scaled_dot_product_flash_attention");
  EXPECT_EQ(shape_text(flash, "y"), "B, 2, S, 4");
  EXPECT_EQ(shape_text(flash, "sums"), "B, 2, S");
  EXPECT_EQ(shape_text(attention("_scaled_dot_product_cudnn_attention"), "sums"), "unknown");
  for (const char* const name : {"y", "sums"}) {
    EXPECT_EQ(flash.value(test::id_of(flash, name)).type.element, ElementType::float32) << name;
  }
}

TEST(AtenAttentionWork, CountsProductsAndSoftmax) {
  const Graph graph = attention("scaled_dot_product_attention");
  const std::vector<std::vector<std::int64_t>> inputs = {{3, 2, 5, 8}, {3, 2, 7, 8}, {3, 2, 7, 4}};
  const std::vector<std::vector<std::int64_t>> outputs = {{3, 2, 5, 4}};
  const Node& node = graph.nodes()[NodeId(0)];
  EXPECT_EQ(standard_ops().find(node)->flops({node, inputs, outputs}),
            3.0 * 2 * 5 * 7 * (2 * 8 + 2 * 4 + 8));
}

}  // namespace pytorch_test
}  // namespace stashscope
