#include "core/recompute/keep_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/study/step/study.h"
#include "tests/support/captured_chain.h"

namespace stashscope {
namespace keep_rules_test {

using test::CapturedChain;

std::shared_ptr<const Study> study_of(const std::string& config = "") {
  return test::captured_study(CapturedChain(2).data(), config);
}

const Region& region_of(const Study& study, const std::string& cluster) {
  const auto& plans = study.opportunities->plans;
  const auto found = std::ranges::find(plans, cluster, &NodePlan::cluster);
  EXPECT_NE(found, plans.end()) << cluster;
  return *found->region;
}

std::vector<std::string> names_of(const std::vector<KeepOption>& options) {
  std::vector<std::string> names;
  names.reserve(options.size());
  for (const KeepOption& each : options) {
    names.push_back(each.kept.name + " " + std::to_string(each.kept.occurrence));
  }
  return names;
}

std::vector<std::string> values_of(const Study& study, const std::vector<ValueId>& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const ValueId value : values) names.push_back(study.graph().value(value).name);
  std::ranges::sort(names);
  return names;
}

/// How often an operator runs in the step with the plans.
std::ptrdiff_t runs_of(const Study& study, const std::string& op_type) {
  const Variant& current = *study.current;
  return std::ranges::count_if(current.timeline.order, [&](NodeId node) {
    return current.dataflow.runs_origin(node) &&
           study.graph().node(current.dataflow.origin(node)).op_type == op_type;
  });
}

/// The work of operators that do not depend on each other.
std::vector<SparedWork> sum_of(const std::vector<double>& works) {
  return {[works](const std::vector<bool>& kept) {
    double sum = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) sum += kept[i] ? works[i] : 0;
    return sum;
  }};
}

TEST(KeepRules, OptionsLeaveOutViewsChangedAndRandomOutputs) {
  const auto study = study_of();
  const auto options = KeepFinder(study->graph()).options(region_of(*study, "net.*"));
  EXPECT_EQ(names_of(options),
            (std::vector<std::string>{"aten.mm.default 0", "aten.tanh.default 0"}))
      << "the second product comes after the last tensor that autograd saves";
  ASSERT_EQ(options.size(), 2U);
  EXPECT_TRUE(options[0].is_product);
  EXPECT_FALSE(options[1].is_product);
  for (const KeepOption& each : options) EXPECT_EQ(each.bytes, CapturedChain::tensor_bytes);
}

TEST(KeepRules, OptionsAreInEveryCallOfTheModule) {
  GraphData data = CapturedChain(2).data();
  std::string& calls = data.metadata["stashscope.calls"];
  calls.replace(calls.find("net.1"), 5, "net.0");
  data.nodes[NodeId(CapturedChain::forward_nodes + 2)].op_type = "sin";
  const auto study = test::captured_study(data);
  const Region& region = region_of(*study, "net.*");
  ASSERT_EQ(region.calls.size(), 2U);
  EXPECT_EQ(names_of(KeepFinder(study->graph()).options(region)),
            std::vector<std::string>{"aten.mm.default 0"});
}

TEST(KeepRules, GoFromTheSmallestToTheLargest) {
  const auto study = study_of();
  std::vector<std::string> clusters;
  clusters.reserve(study->opportunities->plans.size());
  for (const NodePlan& plan : study->opportunities->plans) clusters.push_back(plan.cluster);
  std::ranges::sort(clusters);
  EXPECT_EQ(clusters,
            (std::vector<std::string>{"net.*", "net.*", "net.*[keep mm]", "net.*[keep mm]",
                                      "net.*[keep tanh]", "net.*[keep tanh]"}))
      << "without tanh nothing needs the product";
  std::vector<KeepOption> options;
  std::vector<double> works;
  for (std::size_t i = 0; i < 40; ++i) {
    works.push_back(1.0 + static_cast<double>((7 * i) % 40));
    options.push_back(
        {{"aten.mul.Tensor", i}, NodeId(i), static_cast<std::int64_t>(100 + i), i == 39});
  }
  const std::vector<KeepRule> rules = keep_rules(options, 1'000'000, sum_of(works));
  ASSERT_GT(rules.size(), 1U);
  EXPECT_LE(rules.size(), 7U) << "a few sets, and that of the products";
  std::int64_t before = 0;
  for (const KeepRule& rule : rules) {
    const auto& kept = rule.at("aten.mul.Tensor");
    std::int64_t bytes = 0;
    for (const KeepOption& each : options) {
      if (kept.empty() || kept.contains(each.kept.occurrence)) bytes += each.bytes;
    }
    EXPECT_GT(bytes, before);
    before = bytes;
  }
  EXPECT_NE(std::ranges::find(rules, KeepRule{{"aten.mul.Tensor", {39}}}), rules.end());
}

TEST(KeepRules, KeepLessThanTheRegionFreesAndNothingOfLargeModules) {
  std::vector<KeepOption> options = {{{"aten.mm.default", 0}, NodeId(0), 100, true},
                                     {{"aten.tanh.default", 0}, NodeId(1), 100, false}};
  const std::vector<SparedWork> spared = sum_of({10, 1});
  EXPECT_EQ(keep_rules(options, 150, spared), std::vector<KeepRule>({{{"aten.mm.default", {}}}}));
  EXPECT_TRUE(keep_rules(options, 100, spared).empty());
  EXPECT_TRUE(keep_rules({}, 100, spared).empty());
  options.resize(61, options[1]);
  EXPECT_TRUE(keep_rules(options, 1'000'000, spared).empty());
}

TEST(KeepRules, ARegionThatKeepsFreesLessAndRunsLess) {
  const auto study = study_of();
  const Region& all = region_of(*study, "net.*");
  const auto names = [&](int module, const std::vector<const char*>& letters) {
    std::vector<std::string> found;
    found.reserve(letters.size());
    for (const char* each : letters) found.push_back(each + std::to_string(module));
    return found;
  };
  const int module = all.module.back() - '0';
  EXPECT_EQ(values_of(*study, all.freed), names(module, {"m", "r", "t"}));
  const auto kept = study_of("net.*[keep mm+tanh]:5:-1");
  const Region& keeping = region_of(*kept, "net.*[keep mm+tanh]");
  EXPECT_EQ(keeping.module, all.module);
  EXPECT_EQ(values_of(*kept, keeping.freed), names(module, {"m", "r"}));
  EXPECT_EQ(values_of(*kept, keeping.held), names(module, {"h"}));
  EXPECT_EQ(all.calls[0].again.size(), 6U);
  EXPECT_EQ(keeping.calls[0].again.size(), 4U);
  EXPECT_EQ(runs_of(*study, "mm"), 8);
  EXPECT_EQ(runs_of(*study_of("net.*:5:-1"), "mm"), 10);
  EXPECT_EQ(runs_of(*study_of("net.*:5:-1"), "tanh"), 4);
  EXPECT_EQ(runs_of(*kept, "mm"), 8) << "no product runs again";
  EXPECT_EQ(runs_of(*kept, "tanh"), 2);
  EXPECT_EQ(runs_of(*kept, "bernoulli"), 4);
}

TEST(KeepRules, ATextComesBackAsItWas) {
  const KeepRule rule = {{"aten.addmm.default", {0, 2, 3}},
                         {"aten.tanh.default", {}},
                         {"aten.add.Tensor", {7}},
                         {"mine.fused.default", {1, 2, 3}}};
  EXPECT_EQ(to_string(rule), "add.Tensor 7+addmm 0 2-3+tanh+mine.fused.default 1-3");
  EXPECT_EQ(parse_keep_rule(to_string(rule)), rule);
  EXPECT_EQ(parse_keep_rule("aten.tanh.default"), parse_keep_rule("tanh"));
}

TEST(KeepRules, OtherTextsAreNoRule) {
  for (const char* const text :
       {"", "+", "mm+", "mm 2-1", "mm -1", "mm 1-", "mm x", "mm 1x", "mm  1", "mm 1-2-3", "mm+mm 1",
        "mm 0-100000", "mm 0-99999+tanh 0-99999", "mm 99999999999999999999"}) {
    EXPECT_FALSE(parse_keep_rule(text)) << text;
  }
}

/// A rule is limited by how many occurrences it names, not by which.
TEST(KeepRules, MayNameALateOccurrence) {
  const auto rule = parse_keep_rule("mm 0-99998+gelu 300000");
  ASSERT_TRUE(rule);
  EXPECT_EQ(to_string(*rule), "gelu 300000+mm 0-99998");
  EXPECT_FALSE(parse_keep_rule("mm 0-99998+gelu 5-6"));
}

TEST(KeepRules, AConfigMayAskForOthersThanTheTableLists) {
  const auto asked = study_of("net.1[keep tanh 0]:5:-1");
  EXPECT_TRUE(asked->warnings.empty());
  EXPECT_EQ(asked->applied.size(), 1U);
  EXPECT_EQ(runs_of(*asked, "tanh"), 2);
  EXPECT_EQ(runs_of(*asked, "mm"), 8) << "only the kept tanh read the product";
  for (const char* const name : {"net.*[keep tanh 1]", "net.*[keep bernoulli]", "net.*[keep mm 1]",
                                 "net.*[keep mm 2-1]", "net.*[keep mm", "net.7[keep mm]"}) {
    const auto refused = study_of(name + std::string(":5:-1"));
    EXPECT_TRUE(refused->applied.empty()) << name;
    ASSERT_EQ(refused->warnings.size(), 1U) << name;
    EXPECT_TRUE(refused->warnings[0].starts_with("plan '" + std::string(name) +
                                                 "' matches nothing in the model"))
        << refused->warnings[0];
  }
}

/// A call without any output would have no place for the state of the generator.
TEST(KeepRules, AModuleWithACallThatMakesNothingIsNoRegion) {
  GraphData data = CapturedChain(1).data();
  Node last = data.nodes[NodeId(0)];
  last.outputs.clear();
  last.attributes.set("phase", std::string("backward"));
  last.attributes.set("storages", std::vector<std::int64_t>());
  data.nodes.push_back(last);
  const std::string position = std::to_string(data.nodes.size() - 1);
  data.metadata["stashscope.calls"] = R"({"module": ["net.0", "net.0"], "first": [0, )" + position +
                                      R"(], "end": [7, )" + std::to_string(data.nodes.size()) +
                                      R"(], "arguments": [[0], []]})";
  EXPECT_TRUE(test::captured_study(data, "net.0:5:-1")->applied.empty());
}

/// Backward cannot ask for a tensor before the module has run.
TEST(KeepRules, AModuleThatWouldRunAgainBeforeItsEndIsNoRegion) {
  const auto applied_with = [](std::int64_t unpacked) {
    GraphData data = CapturedChain(1).data();
    nlohmann::json saved = nlohmann::json::parse(data.metadata["stashscope.saved"]);
    saved["unpacked"][0] = unpacked;
    data.metadata["stashscope.saved"] = saved.dump();
    return test::captured_study(data, "net.0:5:-1")->applied.size();
  };
  EXPECT_EQ(applied_with(CapturedChain::forward_nodes), 1U);
  EXPECT_EQ(applied_with(CapturedChain::forward_nodes - 1), 0U);
}

}  // namespace keep_rules_test
}  // namespace stashscope
