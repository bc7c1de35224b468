// The analysis and the CPU runner know every operator of the reference models.

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "core/onnx/model_file.h"
#include "core/ops/families/control_flow.h"
#include "core/ops/families/standard_ops.h"
#include "core/ops/rules/op.h"
#include "core/run/cpu/kernels/standard_kernels.h"
#include "core/run/shared/kernel.h"

namespace stashscope {
namespace operator_coverage_test {

namespace fs = std::filesystem;

const fs::path models = STASHSCOPE_SHARED "/models";

/// Undefined operators, refused by name at run time; and operators on sequences of tensors, which
/// are unpacked before the run where their tensors are known.
const std::set<std::string> not_run = {"test.customop.CustomOpOne", "test.customop.CustomOpTwo",
                                       "com.microsoft.AdamWOptimizer", ".SequenceConstruct"};

std::string full_name(const Node& node) { return node.domain + "." + node.op_type; }

template <class Body>
void for_each_node(const Graph& graph, const Body& body) {
  for (const Node& node : graph.nodes()) {
    body(node);
    for (const Subgraph& inner : subgraphs_of(node)) for_each_node(*inner, body);
  }
}

/// Calls `body(node)` for the nodes of all models in a folder; false when there is none.
template <class Body>
bool for_each_model_node(const std::string& folder, const Body& body) {
  if (!fs::exists(models / folder)) return false;
  for (const auto& entry : fs::recursive_directory_iterator(models / folder)) {
    if (entry.path().extension() != ".onnx") continue;
    SCOPED_TRACE(entry.path().string());
    for_each_node(load_model(entry.path()), body);
  }
  return true;
}

class ModelFolder : public testing::TestWithParam<const char*> {};

TEST_P(ModelFolder, HasOnlyOperatorsWithAShapeRuleAndAKernel) {
  std::set<std::string> missing;
  const bool there = for_each_model_node(GetParam(), [&](const Node& node) {
    if (node.op_type == "YieldOp" || is_control_flow(node)) return;
    const Op* const op = standard_ops().find(node);
    const bool known = op != nullptr && op->infer != nullptr;
    const bool runs = cpu::standard_kernels().find(node) != nullptr;
    if ((!known || !runs) && !not_run.contains(full_name(node))) missing.insert(full_name(node));
  });
  if (!there) GTEST_SKIP() << "the models are not there";
  EXPECT_EQ(missing, std::set<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Reference, ModelFolder,
                         testing::Values("small", "full", "joint", "ort", "ort_exec"),
                         [](const auto& info) { return std::string(info.param); });

class ForwardFolder : public testing::TestWithParam<const char*> {};

TEST_P(ForwardFolder, HasOnlyOperatorsThatAreDifferentiated) {
  std::set<std::string> missing;
  const bool there = for_each_model_node(GetParam(), [&](const Node& node) {
    const Op* const op = standard_ops().find(node);
    const bool known = op != nullptr && (op->gradient != nullptr || op->stops_gradients);
    if (!known && !is_control_flow(node)) missing.insert(full_name(node));
  });
  if (!there) GTEST_SKIP() << "the models are not there";
  EXPECT_EQ(missing, std::set<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Reference, ForwardFolder, testing::Values("small", "full", "joint"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace operator_coverage_test
}  // namespace stashscope
