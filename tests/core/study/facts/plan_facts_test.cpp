#include "core/study/facts/plan_facts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/onnx/model_file.h"
#include "core/study/edits/edits.h"
#include "tests/support/captured_chain.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace plan_facts_test {

std::shared_ptr<const Study> study_with(const std::string& plans) {
  Choices choices;
  choices.dims["N"] = 32;
  choices.plans.config = parse_config(plans);
  return compute_study(test::named(test::mixed_precision(4)), choices, nullptr, Progress());
}

std::set<std::string> configs(const Study& study, const std::vector<std::size_t>& group) {
  std::set<std::string> names;
  for (const std::size_t row : group) names.insert(plan_row(study, row).config);
  return names;
}

TEST(PlanGroups, HoldWhatExcludesEachOther) {
  const auto study = study_with("");
  std::vector<std::set<std::string>> groups;
  std::size_t rows = 0;
  for (const auto& group : plan_groups(*study)) {
    groups.push_back(configs(*study, group));
    rows += group.size();
  }
  EXPECT_EQ(rows, plan_rows(*study));
  for (const std::set<std::string>& expected :
       {std::set<std::string>{"Gelu+Cast+:1:-1", "Cast+:2:-1"},
        std::set<std::string>{"Cast:3:-1", "Cast:4:-1"}}) {
    EXPECT_EQ(std::ranges::count(groups, expected), 1) << *expected.begin();
  }
}

TEST(PlanGroups, LeaveOthersAlone) {
  const auto study = compute_study(std::make_shared<const Graph>(test::deep_perceptron(4).build()),
                                   Choices(), nullptr, Progress());
  const auto groups = plan_groups(*study);
  EXPECT_TRUE(std::ranges::any_of(groups, [&](const auto& group) {
    return configs(*study, group) == std::set<std::string>{"Gelu+:1:-1"};
  }));
}

TEST(OccurrenceFacts, AddUpToTheRow) {
  Choices choices;
  choices.dims["inputs_input_ids_dim0"] = 4;
  const auto study =
      compute_study(std::make_shared<const Graph>(load_model(STASHSCOPE_SAMPLES "/gpt2_tiny.onnx")),
                    choices, nullptr, Progress());
  const OccurrenceFacts facts(*study);
  int single = 0;
  for (std::size_t i = 0; i < plan_rows(*study); ++i) {
    const PlanRow& row = plan_row(*study, i);
    ASSERT_EQ(static_cast<int>(row.occurrences->size()), row.frequency);
    std::int64_t saving = 0;
    std::int64_t at_peak = 0;
    double seconds = 0;
    for (const Occurrence& each : *row.occurrences) {
      saving += each.saving_bytes;
      at_peak += facts.bytes_at_peak(each);
      seconds += facts.seconds(each);
    }
    EXPECT_EQ(saving, row.saving_bytes) << row.config;
    if (row.entries.size() > 1) continue;  // such rows count shared parts once per entry
    ++single;
    EXPECT_EQ(at_peak, row.bytes_at_peak) << row.config;
    EXPECT_NEAR(seconds, row.cost.seconds, 1e-12) << row.config;
  }
  EXPECT_GT(single, 3);
}

const PlanRow& row_of(const Study& study, const std::string& config) {
  return *std::ranges::find(study.plan_table->plans, config, &PlanRow::config);
}

/// Of modules, too, whose row saves less than its places free: a module needs its memory again.
TEST(OccurrenceFacts, PlacesAddUpToWhatTheRowFrees) {
  const auto study = test::captured_study(test::CapturedChain(4).data(), "net.*:5:2");
  const OccurrenceFacts facts(*study);
  for (std::size_t i = 0; i < plan_rows(*study); ++i) {
    const PlanRow& row = plan_row(*study, i);
    std::int64_t freed = 0;
    std::int64_t in_use = 0;
    for (const Occurrence& each : *row.occurrences) {
      freed += each.saving_bytes;
      in_use += facts.is_applied(each) ? each.saving_bytes : 0;
      EXPECT_LE(facts.bytes_at_peak(each), each.saving_bytes);
    }
    EXPECT_EQ(freed_bytes(row), freed) << row.config;
    EXPECT_EQ(facts.freed_bytes_in_use(row), in_use) << row.config;
    EXPECT_LE(freed_bytes_at_peak(row), freed) << row.config;
    EXPECT_EQ(in_use > 0, row.applied > 0) << row.config;
  }
  const PlanRow& used = row_of(*study, "net.*:5:-1");
  EXPECT_EQ(used.applied, 2);
  EXPECT_EQ(facts.freed_bytes_in_use(used), freed_bytes(used) / 2);
}

TEST(OccurrenceFacts, PlansForOneNodeAreOnePlace) {
  const auto study = test::captured_study(test::CapturedChain(4).data(), "net.*:5:2");
  std::vector<const PlanRow*> rows;
  for (const PlanRow& row : study->plan_table->plans) rows.push_back(&row);
  ASSERT_GT(rows.size(), 1U) << "modules can keep some outputs";
  const OccurrenceFacts::Places places = OccurrenceFacts(*study).places(rows);
  EXPECT_EQ(places.all, 4);
  EXPECT_EQ(places.in_use, 2);
}

TEST(OccurrenceFacts, SayWhyNothingIsDone) {
  const std::string full = "Gelu+Cast+:1:-1";
  const std::string half = "Cast+:2:-1";
  const auto why = [](const Study& study, const std::string& config, std::size_t i) {
    const PlanRow& row = row_of(study, config);
    return OccurrenceFacts(study).why_not(row, (*row.occurrences)[i]);
  };
  EXPECT_EQ(why(*study_with(""), full, 0), "");
  const auto two = study_with("Gelu+Cast+:1:2," + half);
  EXPECT_EQ(why(*two, full, 0), "");
  EXPECT_NE(why(*two, full, 3).find("another plan"), std::string::npos);
  EXPECT_NE(why(*two, half, 0).find("another plan"), std::string::npos);
  EXPECT_NE(why(*study_with("Gelu+Cast+:1:2"), full, 3).find("count"), std::string::npos);
  const NodeId first = OccurrenceFacts::node((*row_of(*two, full).occurrences)[0]);
  const auto pinned = compute_study(
      two->model, with_pinned(*two, two->choices, std::vector{first}, true), two.get(), Progress());
  EXPECT_NE(why(*pinned, full, 0).find("pinned"), std::string::npos);
}

/// Whether the place of a node is an occurrence of this plan for the node's own output.
bool is_at(const Study& study, const std::string& node, const std::string& config) {
  for (const NodeId id : IdRange<NodeId>(study.graph().nodes().size())) {
    if (study.graph().node(id).name != node) continue;
    const auto place = table_place(study, id);
    if (!place || place->tensor.valid()) return false;
    const PlanRow& row = plan_row(study, place->row);
    return row.config == config &&
           OccurrenceFacts::node((*row.occurrences)[place->occurrence]) == id;
  }
  return false;
}

TEST(TablePlace, IsAPlanOfTheNodesOwnOutput) {
  const auto study = compute_study(test::named(test::deep_perceptron(4)), Choices(), nullptr, {});
  int found = 0;
  for (const PlanRow& row : study->plan_table->plans) {
    for (const Occurrence& each : *row.occurrences) {
      const NodeId node = OccurrenceFacts::node(each);
      const auto place = table_place(*study, node);
      ASSERT_TRUE(place && !place->tensor.valid());
      const auto& there = *plan_row(*study, place->row).occurrences;
      EXPECT_EQ(OccurrenceFacts::node(there[place->occurrence]), node);
      ++found;
    }
  }
  EXPECT_GT(found, 3);
}

std::set<NodeId> entry_nodes(const PlanRow& row) {
  std::set<NodeId> nodes;
  for (const Occurrence& each : *row.occurrences) nodes.insert(OccurrenceFacts::node(each));
  return nodes;
}

TEST(TablePlace, PrefersWhatIsCarriedOut) {
  const std::string longer = "Gelu+Cast+:1:-1";
  const std::string shorter = "Cast+:2:-1";
  for (const std::string& on : {longer, shorter}) {
    const auto study = study_with(on);
    const std::set<NodeId> in_longer = entry_nodes(row_of(*study, longer));
    const std::set<NodeId> in_shorter = entry_nodes(row_of(*study, shorter));
    int in_both = 0;
    for (const NodePlan* const plan : study->applied) {
      if (!in_longer.contains(plan->node) || !in_shorter.contains(plan->node)) continue;
      const std::string& name = study->graph().node(plan->node).name;
      EXPECT_TRUE(is_at(*study, name, on)) << name << " with " << on;
      ++in_both;
    }
    EXPECT_EQ(in_both, 4) << on;
  }
}

/// The table lists tensors with the largest first.
TEST(TablePlace, IsTheFirstTensorThatTheTableHasOfANode) {
  int made = 0;
  int stopped = 0;
  for (const std::string sample : {"lenet", "gpt2_tiny", "mlp_gelu"}) {
    const auto study = compute_study(
        std::make_shared<const Graph>(load_model(STASHSCOPE_SAMPLES "/" + sample + ".onnx")),
        Choices(), nullptr, {});
    const auto tensors = unplanned_tensors(*study);
    const auto maker = [&](const UnplannedTensor& each) {
      return study->graph().value(each.value).producer;
    };
    for (const NodeId node : IdRange<NodeId>(study->graph().nodes().size())) {
      const auto place = table_place(*study, node);
      if (!place || !place->tensor.valid()) continue;
      auto first = std::ranges::find(tensors, node, maker);
      ++(first == tensors.end() ? stopped : made);
      if (first == tensors.end()) {
        first = std::ranges::find(tensors, node, &UnplannedTensor::stopped_at);
      }
      ASSERT_NE(first, tensors.end());
      EXPECT_EQ(place->tensor, first->value);
    }
  }
  EXPECT_GT(made, 0);
  EXPECT_GT(stopped, 0);
}

TEST(TablePlace, IsTheTensorWhereThereIsNoPlanOfTheReference) {
  const auto study =
      compute_study(std::make_shared<const Graph>(load_model(STASHSCOPE_SAMPLES "/lenet.onnx")),
                    Choices(), nullptr, {});
  const auto relu = [&](const UnplannedTensor& each) {
    return study->graph().node(each.stopped_at).op_type == "Relu";
  };
  const auto tensors = unplanned_tensors(*study);
  const auto tensor = std::ranges::find_if(tensors, relu);
  ASSERT_NE(tensor, tensors.end());
  const auto place = table_place(*study, study->graph().value(tensor->value).producer);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->tensor, tensor->value);
}

TEST(TablePlace, IsNowhereForWhatKeepsNothing) {
  const auto study = compute_study(test::named(test::deep_perceptron(4)), Choices(), nullptr, {});
  int nowhere = 0;
  for (const NodeId node : IdRange<NodeId>(study->graph().nodes().size())) {
    nowhere += table_place(*study, node) ? 0 : 1;
  }
  EXPECT_GT(nowhere, 0);
}

TEST(Life, EndsEarlierWhereANodeRunsAgain) {
  const auto before = study_with("");
  const auto after = study_with("Gelu+Cast+:1:-1");
  const Occurrence& first = row_of(*before, "Gelu+Cast+:1:-1").occurrences->front();
  const ValueId value = OccurrenceFacts(*before).value(first);
  const auto long_life = OccurrenceFacts(*before).life(value);
  const auto short_life = OccurrenceFacts(*after).life(value);
  ASSERT_TRUE(long_life && short_life);
  EXPECT_LT(long_life->made, long_life->last_read);
  EXPECT_LT(short_life->last_read - short_life->made, long_life->last_read - long_life->made);
  const ValueId parameter = before->prepared->step.parameters.front().value;
  EXPECT_FALSE(OccurrenceFacts(*before).life(parameter));
}

TEST(Layers, OfARowAreThoseOfItsOccurrences) {
  const auto study = test::study_of(test::named(test::blocks(2)));
  const PlanRow& row = row_of(*study, "MatMul+:1:-1");
  EXPECT_EQ(layers_of(study->graph(), row),
            (std::vector<std::string>{"model.h.0.mlp", "model.h.1.mlp"}));
}

TEST(Layers, AreThePathsInNames) {
  const auto study = test::study_of(test::named(test::blocks(2)));
  for (const NodeId node : IdRange<NodeId>(study->graph().nodes().size())) {
    if (study->graph().node(node).name != "/model/h.1/attn/Tanh") continue;
    EXPECT_EQ(layer_of(study->graph(), node), "model.h.1.attn");
    return;
  }
  FAIL();
}

}  // namespace plan_facts_test
}  // namespace stashscope
