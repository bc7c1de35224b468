// What must hold for the entry of every operator.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "core/ops/families/families.h"
#include "core/ops/families/standard_ops.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace registry_test {

/// The entries in an order that is the same in every run.
std::vector<const Op*> all_ops() {
  std::vector<const Op*> ops;
  for (const auto& [key, op] : standard_ops().all()) ops.push_back(&op);
  std::sort(ops.begin(), ops.end(), [](const Op* a, const Op* b) {
    return std::tie(a->domain, a->type) < std::tie(b->domain, b->type);
  });
  return ops;
}

/// Checks all operators in turn and names the one that failed.
void for_every_op(const std::function<void(const Op&)>& check) {
  for (const Op* const op : all_ops()) {
    SCOPED_TRACE("operator " + op->domain + ":" + op->type);
    check(*op);
  }
}

TEST(EveryOp, IsFoundByItsName) {
  for_every_op([](const Op& op) {
    EXPECT_FALSE(op.type.empty());
    EXPECT_EQ(standard_ops().find(op.domain, op.type), &op);
    EXPECT_TRUE(
        std::set<std::string>({"", "com.microsoft", "org.pytorch.aten", "ai.onnx.preview.training"})
            .contains(op.domain))
        << op.domain;
  });
}

TEST(EveryOp, HasVersionsThatAscend) {
  for_every_op([](const Op& op) {
    EXPECT_TRUE(std::is_sorted(op.versions.begin(), op.versions.end()));
    EXPECT_EQ(std::adjacent_find(op.versions.begin(), op.versions.end()), op.versions.end());
    for (const std::int64_t version : op.versions) {
      EXPECT_GE(version, 1);
      EXPECT_LE(version, 30);
      EXPECT_EQ(since_version(op, version), version);
    }
    EXPECT_FALSE(op.domain.empty() && op.versions.empty()) << "ONNX numbers its versions";
  });
}

TEST(EveryOp, ThatStopsGradientsHasNoRuleForThem) {
  for_every_op([](const Op& op) { EXPECT_FALSE(op.stops_gradients && op.gradient != nullptr); });
}

TEST(EveryOp, IsRecomputedByRulesForItsVersions) {
  for_every_op([](const Op& op) {
    EXPECT_EQ(op.recompute == RecomputeLevel::never, op.recompute_rules.empty());
    std::set<std::int64_t> ruled;
    for (const RecomputeRule& rule : op.recompute_rules) {
      EXPECT_FALSE(rule.versions.empty());
      for (const std::int64_t version : rule.versions) {
        EXPECT_TRUE(ruled.insert(version).second) << "two rules for version " << version;
        // A rule for a version that since_version never returns has no effect.
        EXPECT_EQ(since_version(op, version), version);
      }
      EXPECT_TRUE(std::is_sorted(rule.ignored_inputs.begin(), rule.ignored_inputs.end()));
      EXPECT_EQ(std::adjacent_find(rule.ignored_inputs.begin(), rule.ignored_inputs.end()),
                rule.ignored_inputs.end());
    }
  });
}

TEST(EveryOp, SharesBuffersInOneWay) {
  for_every_op([](const Op& op) {
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    for (const InPlace& share : op.in_place) {
      EXPECT_TRUE(pairs.emplace(share.input, share.output).second);
      EXPECT_LT(share.input, 16U);
      EXPECT_LT(share.output, 16U);
    }
  });
}

TEST(EveryOp, CostsNoNegativeAmount) {
  for_every_op([](const Op& op) {
    if (op.flops == nullptr) return;
    Node node;
    node.op_type = op.type;
    const std::vector<std::vector<std::int64_t>> tensors(8, {2, 4, 6, 8});
    EXPECT_GE(op.flops({node, tensors, tensors}), 0);
    const std::vector<std::vector<std::int64_t>> empty(8, {0, 4, 6, 8});
    const double of_nothing = op.flops({node, empty, empty});
    EXPECT_GE(of_nothing, 0) << "an empty tensor is no reason to divide by zero";
  });
}

TEST(Registry, NoFamilyOverwritesAnother) {
  std::size_t sum = 0;
  for (const auto& add_family : op_families) {
    OpRegistry alone;
    add_family(alone);
    EXPECT_GT(alone.size(), 0U);
    sum += alone.size();
  }
  EXPECT_EQ(sum, standard_ops().size());
}

TEST(Registry, KnowsBothNamesOfTheStandardDomain) {
  const OpRegistry& registry = standard_ops();
  EXPECT_EQ(registry.find("ai.onnx", "Relu"), registry.find("", "Relu"));
  EXPECT_NE(registry.find("", "Relu"), nullptr);
  EXPECT_EQ(registry.find("", "NoSuchOperator"), nullptr);
  EXPECT_EQ(registry.find("no.such.domain", "Relu"), nullptr);
  EXPECT_EQ(registry.find("", ""), nullptr);
}

TEST(Registry, LaterEntriesReplaceEarlierOnes) {
  OpRegistry registry;
  registry.add({.type = "Twice", .versions = {1}});
  registry.add({.domain = "ai.onnx", .type = "Twice", .versions = {2}});
  EXPECT_EQ(registry.size(), 1U);
  EXPECT_EQ(registry.find("", "Twice")->versions, std::vector<std::int64_t>{2});
}

TEST(SinceVersion, IsTheLastThatIsNotLater) {
  const Op op = {.versions = {6, 9, 13}};
  EXPECT_EQ(since_version(op, 5), 1);
  EXPECT_EQ(since_version(op, 6), 6);
  EXPECT_EQ(since_version(op, 12), 9);
  EXPECT_EQ(since_version(op, 99), 13);
  EXPECT_EQ(since_version(Op(), 17), 1);
}

TEST(ResolveOps, LeavesUnknownOperatorsOut) {
  const Graph graph = test::ModelBuilder()
                          .input("x", {4})
                          .node("Relu", {"x"}, {"a"})
                          .node("Mystery", {"a"}, {"y"}, {}, "example")
                          .output("y")
                          .build();
  const auto ops = resolve_ops(graph);
  ASSERT_NE(ops[NodeId(0)], nullptr);
  EXPECT_EQ(ops[NodeId(0)]->type, "Relu");
  EXPECT_EQ(ops[NodeId(1)], nullptr);
}

}  // namespace registry_test
}  // namespace stashscope
