#include <gtest/gtest.h>

#include <optional>

#include "core/ops/families/standard_ops.h"

namespace stashscope {
namespace pytorch_test {

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

}  // namespace pytorch_test
}  // namespace stashscope
