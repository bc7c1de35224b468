// Nodes whose outputs stay in memory, though their clusters are on.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/study/choices/node_names.h"
#include "core/study/edits/edits.h"
#include "core/study/facts/exported_config.h"
#include "core/study/facts/node_facts.h"
#include "core/study/search/budget.h"
#include "core/study/step/planned_step.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace pinned_test {

using Names = std::set<std::string>;

std::shared_ptr<const Study> study_of(const Graph& model, const Choices& choices) {
  return compute_study(std::make_shared<const Graph>(model), choices, nullptr, Progress());
}

/// Four Gelus that can be recomputed, `make_layer.0.g` to `make_layer.3.g`, in one cluster.
std::shared_ptr<const Study> four_layers(const std::string& plans, const Names& pinned,
                                         int level = 0,
                                         Reference reference = Reference::release_1_19_2) {
  Choices choices;
  choices.plans.search.reference = reference;
  choices.dims["N"] = 64;
  choices.plans.config = parse_config(plans);
  choices.plans.pinned = pinned;
  choices.plans.level = level;
  return study_of(test::deep_perceptron(5).build(), choices);
}

Names applied_in(const Study& study) {
  Names names;
  for (const NodePlan* const plan : study.applied) {
    names.insert(study.graph().node(plan->node).name);
  }
  return names;
}

const PlanRow& gelus(const Study& study) {
  return *std::ranges::find(study.plan_table->plans, "Gelu+:1:-1", &PlanRow::config);
}

bool warns_of(const Study& study, const std::string& text) {
  return std::ranges::any_of(study.warnings, [&](const std::string& each) {
    return each.find(text) != std::string::npos;
  });
}

TEST(Pinned, NodesAreNotRecomputed) {
  const auto all = four_layers("Gelu+:1:-1", {});
  const auto pinned = four_layers("Gelu+:1:-1", {"make_layer.1.g"});
  EXPECT_EQ(applied_in(*pinned), (Names{"make_layer.0.g", "make_layer.2.g", "make_layer.3.g"}));
  EXPECT_EQ(gelus(*pinned).applied, 3);
  EXPECT_EQ(gelus(*all).saved_bytes, gelus(*all).saving_bytes);
  EXPECT_EQ(4 * gelus(*pinned).saved_bytes, 3 * gelus(*pinned).saving_bytes);
  EXPECT_EQ(pinned->current->dataflow.cloned_nodes.size() + 1,
            all->current->dataflow.cloned_nodes.size());
  EXPECT_TRUE(pinned->warnings.empty()) << pinned->warnings.front();
}

TEST(Pinned, NodesArePinnedAtEveryLevel) {
  for (const int level : {1, 2}) {
    const auto study = four_layers("", {"make_layer.0.g"}, level);
    EXPECT_FALSE(applied_in(*study).contains("make_layer.0.g"));
    EXPECT_EQ(gelus(*study).applied, 3);
  }
}

TEST(Pinned, NodesCountAsTheOthersDo) {
  const auto study = four_layers("Gelu+:1:2", {"make_layer.0.g"});
  EXPECT_EQ(applied_in(*study), (Names{"make_layer.1.g"}));
}

TEST(Pinned, AStudyThatFollowsAnotherFollowsThePins) {
  const auto all = four_layers("Gelu+:1:-1", {});
  Choices choices = all->choices;
  choices.plans.pinned = {"make_layer.2.g"};
  const auto next = compute_study(all->model, choices, all.get(), Progress());
  const auto anew = compute_study(all->model, choices, nullptr, Progress());
  EXPECT_EQ(next->current->timeline.live_bytes, anew->current->timeline.live_bytes);
  EXPECT_EQ(gelus(*next).applied, 3);
}

TEST(Pinned, NodesPutNothingAwayEither) {
  const auto study = four_layers("MatMul:3:-1,Gelu:4:-1", {"make_layer.1.h", "make_layer.1.g"});
  const Names names = applied_in(*study);
  EXPECT_TRUE(names.contains("make_layer.2.h"));
  EXPECT_FALSE(names.contains("make_layer.1.h") || names.contains("make_layer.1.g"));
}

TEST(Pinned, NamesThatNoNodeHasAreSaid) {
  const auto study = four_layers("Gelu+:1:-1", {"make_layer.1.g", "layer nine"});
  EXPECT_TRUE(warns_of(*study, "pinned node 'layer nine' is not in the step"));
  EXPECT_EQ(study->warnings.size(), 1U);
}

TEST(Pinned, AllOfAPlanIsSaid) {
  const auto study = four_layers("Gelu+:1:1", {"make_layer.0.g"});
  EXPECT_TRUE(warns_of(*study, "'Gelu+:1:1'"));
  EXPECT_TRUE(warns_of(*study, "its nodes are pinned"));
}

TEST(Pinned, ANodesFactsTellIt) {
  const auto study = four_layers("Gelu+:1:-1", {"make_layer.1.g"});
  for (const Occurrence& each : *gelus(*study).occurrences) {
    const NodeId node = each.parts.front()->node;
    const NodePlanState state = plans_of_node(*study, node).front();
    EXPECT_TRUE(state.chosen);
    EXPECT_EQ(state.pinned, study->graph().node(node).name == "make_layer.1.g");
    EXPECT_EQ(state.applied, !state.pinned);
  }
}

/// Layers whose nodes have the same name, or none.
Graph with_names(const std::string& name) {
  GraphData data = test::deep_perceptron(4).data();
  for (Node& node : data.nodes) node.name = name;
  return Graph(data);
}

TEST(Pinned, NodesWithoutANameOfTheirOwnHaveThatOfTheirOutput) {
  for (const std::string& name : {std::string(), std::string("same")}) {
    Choices choices;
    choices.plans.config = parse_config("Gelu+:1:-1");
    choices.plans.pinned = {"layer.1.g"};
    const auto study = study_of(with_names(name), choices);
    EXPECT_EQ(study->applied.size(), 2U);
    EXPECT_TRUE(study->warnings.empty() || !warns_of(*study, "pinned node"));
    const NodeId node = (*gelus(*study).occurrences)[1].parts.front()->node;
    EXPECT_EQ(NodeNames(study->graph()).of(node), "layer.1.g");
    EXPECT_TRUE(with_pinned(*study, study->choices, std::vector{node}, false).plans.pinned.empty());
  }
  Choices all;
  all.plans.config = parse_config("Gelu+:1:-1");
  all.plans.pinned = {"same"};
  EXPECT_TRUE(study_of(with_names("same"), all)->applied.empty());
}

TEST(Pinned, ANodePinnedByItsTensorIsUnpinnedToo) {
  const auto pinned = four_layers("Gelu+:1:-1", {"layer.1.g", "make_layer.2.g"});
  EXPECT_EQ(applied_in(*pinned), (Names{"make_layer.0.g", "make_layer.3.g"}));
  const NodeId node = (*gelus(*pinned).occurrences)[1].parts.front()->node;
  EXPECT_EQ(with_pinned(*pinned, pinned->choices, std::vector{node}, false).plans.pinned,
            Names{"make_layer.2.g"});
  EXPECT_TRUE(with_plan(*pinned, pinned->choices, gelus(*pinned), true).plans.pinned.empty());
  EXPECT_EQ(with_occurrence(*pinned, pinned->choices, gelus(*pinned), node, true).plans.pinned,
            Names{"make_layer.2.g"});
}

/// Four layers in which every name of the second Gelu identifies another node.
std::shared_ptr<const Study> nameless_layer(const std::string& plans, const Names& pinned) {
  GraphData data = test::deep_perceptron(5).data();
  const auto second = std::ranges::find(data.nodes, "make_layer.1.g", &Node::name);
  second->name = "";
  data.nodes[NodeId(0)].name = "layer.1.g";
  Choices choices;
  choices.dims["N"] = 64;
  choices.plans.config = parse_config(plans);
  choices.plans.pinned = pinned;
  return study_of(Graph(std::move(data)), choices);
}

TEST(Pinned, WhatNoNameMeansIsNotPinnedInAnothersPlace) {
  const auto study = nameless_layer("Gelu+:1:-1", {});
  ASSERT_EQ(study->applied.size(), 4U);
  const PlanRow& row = gelus(*study);
  const NodeId nameless = (*row.occurrences)[1].parts.front()->node;
  const NodeId last = (*row.occurrences)[3].parts.front()->node;
  EXPECT_EQ(with_pinned(*study, study->choices, std::vector{last, nameless}, true), study->choices);
  EXPECT_EQ(with_occurrence(*study, study->choices, row, nameless, false), study->choices);
  EXPECT_NE(with_occurrence(*study, study->choices, row, last, false), study->choices);
  const std::string why =
      why_not_named(study->graph(), study->current->dataflow, {{last, nameless}});
  EXPECT_NE(why.find("rename the node in the model"), std::string::npos) << why;
  EXPECT_EQ(why_not_named(study->graph(), study->current->dataflow, {{last}}), "");
}

TEST(Pinned, LastOnesAreACountWhereCountsAreTaken) {
  const auto older = Reference::november_2023;
  const auto last = four_layers("Gelu+:1:-1", {"make_layer.2.g", "make_layer.3.g"}, 0, older);
  EXPECT_EQ(to_string(exported_config(*last).config), "Gelu+:1:2");
  EXPECT_TRUE(exported_config(*last).left_out.empty());
  const auto counted = four_layers("Gelu+:1:3", {"make_layer.2.g"}, 0, older);
  EXPECT_EQ(to_string(exported_config(*counted).config), "Gelu+:1:2");
  const auto typed = four_layers("Gelu+:1:2", {}, 0, older);
  EXPECT_EQ(typed->current->timeline.live_bytes, last->current->timeline.live_bytes);
}

TEST(Pinned, OthersAreToldWhereAConfigStringIsWritten) {
  const auto study =
      four_layers("Gelu+:1:-1", {"make_layer.1.g", "make_layer.3.g"}, 0, Reference::november_2023);
  const ExportedConfig exported = exported_config(*study);
  EXPECT_EQ(to_string(exported.config), "Gelu+:1:3");
  ASSERT_EQ(exported.left_out.size(), 1U);
  EXPECT_NE(exported.left_out[0].find("make_layer.1.g"), std::string::npos);
  EXPECT_EQ(exported.left_out[0].find("make_layer.3.g"), std::string::npos);
  const std::string block = exported_environment(*study, "").block;
  EXPECT_NE(block.find("# ONNX Runtime also recomputes these pinned nodes"), std::string::npos);
}

TEST(Pinned, AreCountedWhereCountsAreIgnored) {
  for (const auto& study :
       {four_layers("Gelu+:1:-1", {"make_layer.3.g"}), four_layers("Gelu+:1:3", {})}) {
    const ExportedConfig exported = exported_config(*study);
    ASSERT_EQ(exported.left_out.size(), 1U);
    EXPECT_NE(exported.left_out[0].find("4 occurrences of Gelu+ instead of 3"), std::string::npos)
        << exported.left_out[0];
  }
}

/// Two activations that share a buffer are freed together.
TEST(Pinned, AnOccurrenceOfACombinationIsAllItsParts) {
  test::ModelBuilder m;
  m.input("x", {"N", 8}).input("labels", {"N"}, ElementType::int64).weight("w", {8, 8});
  m.int64s("flat", {-1}).int64s("square", {-1, 8});
  std::string last = "x";
  for (const std::string layer : {"a", "b", "c"}) {
    m.node("MatMul", {last, "w"}, {layer + "h"});
    m.node("Gelu", {layer + "h"}, {layer + "g"}, {}, "com.microsoft");
    m.node("Gelu", {layer + "g"}, {layer + "k"}, {}, "com.microsoft");
    m.node("Reshape", {layer + "g", "flat"}, {layer + "r"});
    m.node("Gelu", {layer + "r"}, {layer + "s"}, {}, "com.microsoft");
    m.node("Reshape", {layer + "s", "square"}, {layer + "t"});
    m.node("Add", {layer + "k", layer + "t"}, {layer + "y"});
    last = layer + "y";
  }
  m.node("SoftmaxCrossEntropyLoss", {last, "labels"}, {"loss"});
  Choices choices;
  choices.dims["N"] = 16;
  const auto plain = study_of(m.output("loss").build(), choices);
  const auto shared = std::ranges::find_if(plain->plan_table->plans, [](const PlanRow& row) {
    return row.entries.size() > 1 && row.frequency == 3;
  });
  if (shared == plain->plan_table->plans.end()) GTEST_FAIL() << "no combination";
  const auto part_nodes = [&](std::size_t i) {
    std::vector<NodeId> nodes;
    for (const NodePlan* const part : (*shared->occurrences)[i].parts) nodes.push_back(part->node);
    return nodes;
  };
  const Choices one = with_occurrence(*plain, plain->choices, *shared, part_nodes(1).front(), true);
  const auto chosen = compute_study(plain->model, one, plain.get(), Progress());
  const auto& row = *std::ranges::find(chosen->plan_table->plans, shared->config, &PlanRow::config);
  EXPECT_EQ(row.applied, 1);
  EXPECT_EQ(row.saved_bytes, (*row.occurrences)[1].saving_bytes);
  for (const NodeId node : part_nodes(1)) {
    EXPECT_TRUE(plans_of_node(*chosen, node).front().applied);
  }
  const Choices none = with_occurrence(*chosen, one, row, part_nodes(1).front(), false);
  EXPECT_EQ(none, plain->choices);
}

constexpr SearchLimit few_moves{0, 20'000, 1};

TEST(Pinned, NodesStayPinnedInPlansForABudget) {
  for (const PlanGranularity grain :
       {PlanGranularity::cluster, PlanGranularity::node, PlanGranularity::sequence}) {
    const auto study = four_layers("", {"make_layer.1.g", "make_layer.2.h"});
    const std::int64_t budget = study->baseline->timeline.peak_bytes * 85 / 100;
    ParetoFront archive;
    const BudgetAnswer answer =
        plan_for_budget(*study, {budget, grain, few_moves}, archive, Progress());
    EXPECT_EQ(answer.best.choices.plans.pinned, study->choices.plans.pinned);
    EXPECT_GT(answer.best.extra_seconds, 0);
    const auto there = compute_study(study->model, answer.best.choices, nullptr, Progress());
    EXPECT_EQ(there->current->timeline.peak_bytes, answer.best.peak_bytes);
    EXPECT_FALSE(warns_of(*there, "pinned"));
    const Dataflow& dataflow = there->current->dataflow;
    for (std::size_t i = 0; i < dataflow.cloned_nodes.size(); ++i) {
      const NodeId clone(dataflow.graph_nodes + i);
      EXPECT_FALSE(is_pinned(there->pinned, dataflow.origin(clone))) << name_of(grain);
    }
  }
}

TEST(Pinned, ASequenceThatWasPlannedBeforeIsSaidToIgnoreThem) {
  const auto study = four_layers("", {});
  const std::int64_t budget = study->baseline->timeline.peak_bytes * 85 / 100;
  ParetoFront archive;
  Choices planned =
      plan_for_budget(*study, {budget, PlanGranularity::node, few_moves}, archive, Progress())
          .best.choices;
  const auto repeated = repeated_nodes(*planned.plans.sequence);
  ASSERT_FALSE(repeated.empty());
  planned = with_pinned(*study, planned, std::vector{repeated.begin()->first}, true);
  const auto there = compute_study(study->model, planned, study.get(), Progress());
  EXPECT_TRUE(warns_of(*there, "but this node is pinned"));
  EXPECT_EQ(there->choices.order.strategy, std::nullopt);
}

}  // namespace pinned_test
}  // namespace stashscope
