// Published cases: small graphs with ONNX Runtime's results.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/onnx/model_file.h"
#include "core/ops/families/standard_ops.h"
#include "core/passes/training_step.h"
#include "core/recompute/apply.h"
#include "core/recompute/clusters.h"
#include "core/schedule/orders/strategies.h"

namespace stashscope {
namespace reference_cases_test {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path cases_folder = STASHSCOPE_SHARED "/cases/recompute";

json read_json(const fs::path& path) {
  std::ifstream file(path);
  return json::parse(file);
}

/// The cases are those of the published version.
RecomputeSearchOptions search_of(const json& spec) {
  RecomputeSearchOptions search = parse_search_options(spec["probe"]);
  search.reference = Reference::november_2023;
  return search;
}

/// One case: its model, analysed and with its configuration applied.
struct Case {
  explicit Case(const json& spec)
      : step(prepare_training_step(load_model(cases_folder / spec["model"]), {})),
        graph(*step.graph),
        ops(resolve_ops(graph)),
        found(find_opportunities(graph, ops, step.boundary, search_of(spec))),
        bindings(graph.symbols().size()) {
    for (const auto& entry : spec["config"]) {
      for (const auto& [cluster, choice] : parse_config(entry)) config[cluster] = choice;
    }
    for (const auto& [name, value] : spec["dims"].items()) {
      if (const auto symbol = graph.symbols().find(name)) bindings[*symbol] = value.get<int>();
    }
    selected = select_plans(found, config);
    Dataflow applied = apply_plans(graph, ops, found, selected);
    std::swap(dataflow, applied);
  }

  std::string node_name(NodeId id) const { return graph.node(id).name; }

  TrainingStep step;
  const Graph& graph;
  IdVector<NodeId, const Op*> ops;
  Opportunities found;
  Bindings bindings;
  RecomputeConfig config;
  std::vector<const NodePlan*> selected;
  Dataflow dataflow{graph};
};

std::vector<std::string> sorted(std::vector<std::string> items) {
  std::sort(items.begin(), items.end());
  return items;
}

void check_node_plans(const Case& c, const json& expected, bool any_order) {
  std::vector<std::string> ours;
  for (const NodePlan& plan : c.found.plans) {
    std::vector<std::string> names;
    for (const NodeId id : plan.subgraph) names.push_back(c.node_name(id));
    if (any_order) names = sorted(names);
    ours.push_back(c.node_name(plan.node) + " type " + std::to_string(static_cast<int>(plan.type)) +
                   " " + json(names).dump() + " " + json(plan.save_ratio.to_double()).dump());
  }
  std::vector<std::string> theirs;
  for (const auto& plan : expected) {
    std::vector<std::string> names = plan["subgraph"];
    if (any_order) names = sorted(names);
    theirs.push_back(plan["node"].get<std::string>() + " type " +
                     std::to_string(plan["type"].get<int>()) + " " + json(names).dump() + " " +
                     json(plan["save_ratio"].get<double>()).dump());
  }
  EXPECT_EQ(sorted(ours), sorted(theirs));
}

void check_plan_table(const Case& c, const json& expected) {
  const auto rows = plan_table(c.graph, c.found, c.bindings);
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].config, expected[i]["config"]);
    EXPECT_EQ(rows[i].frequency, expected[i]["freq"]);
    EXPECT_EQ(rows[i].saving_bytes, expected[i]["saving_bytes"]);
    EXPECT_EQ(rows[i].saving_symbolic, expected[i]["saving_symbolic"]);
  }
}

json option_json(const Case& c, const ClusterRow& row, const ClusterOption& option) {
  const Node& node = c.graph.node(row.nodes.front());
  const StashedOutput& first = option.stashed.front();
  json reuse = json::object();
  for (const auto& [output, count] : option.reuse_frequency) reuse[std::to_string(output)] = count;
  return {static_cast<int>(option.type),
          option.cluster,
          element_count_text(c.graph, node.outputs[first.output]),
          first.bytes_per_element,
          first.saved_percent,
          reuse};
}

void check_clusters(const Case& c, const json& expected) {
  json ours = json::array();
  for (const ClusterRow& row : cluster_table(c.graph, c.found, c.config, c.selected)) {
    json options = json::array();
    for (const ClusterOption& option : row.options) options.push_back(option_json(c, row, option));
    ours.push_back({row.nodes.size(), options});
  }
  EXPECT_EQ(ours, expected);
}

std::vector<std::string> new_node_names(const Case& c) {
  std::vector<std::string> names;
  for (std::size_t i = c.dataflow.graph_nodes; i < c.dataflow.topology.nodes(); ++i) {
    names.push_back(name_of(c.graph, c.dataflow, NodeId(i)));
  }
  return names;
}

void check_new_nodes(const Case& c, const json& expected) {
  const auto names = [&](auto ids) {
    std::vector<std::string> list;
    for (const ValueId id : ids) list.push_back(id.valid() ? name_of(c.graph, c.dataflow, id) : "");
    return list;
  };
  std::vector<std::string> ours;
  for (std::size_t i = c.dataflow.graph_nodes; i < c.dataflow.topology.nodes(); ++i) {
    const NodeId id(i);
    ours.push_back(json{name_of(c.graph, c.dataflow, id), names(c.dataflow.topology.inputs[id]),
                        names(c.dataflow.topology.outputs[id])}
                       .dump());
  }
  std::vector<std::string> theirs;
  for (const auto& node : expected) {
    theirs.push_back(json{node["name"], node["inputs"], node["outputs"]}.dump());
  }
  EXPECT_EQ(sorted(ours), sorted(theirs));
}

void check_rewired(const Case& c, const json& expected) {
  std::map<std::string, NodeId> by_name;
  for (const NodeId id : IdRange<NodeId>(c.dataflow.topology.nodes())) {
    by_name[name_of(c.graph, c.dataflow, id)] = id;
  }
  for (const auto& each : expected) {
    ASSERT_TRUE(by_name.contains(each["consumer"])) << each;
    const auto inputs = c.dataflow.topology.inputs[by_name[each["consumer"]]];
    EXPECT_EQ(name_of(c.graph, c.dataflow, inputs[each["input"].get<std::size_t>()]), each["new"])
        << each;
  }
}

void check_seeds(const Case& c, const json& expected) {
  std::vector<std::string> seeded;
  for (const NodeId id : c.dataflow.seeded_nodes) seeded.push_back(c.node_name(id));
  EXPECT_EQ(json(seeded), expected["seeded_nodes"]);
  const Graph saved =
      materialize(c.graph, c.dataflow,
                  reference_order(c.graph, c.dataflow, forward_ends(c.graph, c.step.boundary)));
  for (const auto& pair : expected["equal_seed_pairs"]) {
    const auto seed_of = [&](const std::string& name) {
      return saved.node(*saved.find_node(name)).attributes.require_integer("seed");
    };
    EXPECT_EQ(seed_of(pair[0]), seed_of(pair[1]));
    EXPECT_EQ(seed_of(pair[0]), expected["hash_of_output_name"].get<std::int64_t>());
  }
}

void check(const Case& c, const json& expect, bool any_order) {
  for (const auto& [key, expected] : expect.items()) {
    SCOPED_TRACE(key);
    if (key == "node_plans") check_node_plans(c, expected, any_order);
    if (key == "plan_table") check_plan_table(c, expected);
    if (key == "clusters") check_clusters(c, expected);
    if (key == "new_nodes") check_new_nodes(c, expected);
    if (key == "rewired") check_rewired(c, expected);
    if (key == "seeds") check_seeds(c, expected);
    if (key == "new_node_names") {
      EXPECT_EQ(sorted(new_node_names(c)), sorted(expected));
    }
    if (key == "added_node_count") {
      EXPECT_EQ(c.dataflow.topology.nodes() - c.dataflow.graph_nodes, expected);
    }
    if (key == "stashed") {
      std::vector<std::string> names;
      for (const ValueId id : c.found.stashed) names.push_back(c.graph.value(id).name);
      EXPECT_EQ(sorted(names), sorted(expected));
    }
    if (key == "recomputed_entry_nodes" || key == "skipped_entry_nodes") {
      std::vector<std::string> names;
      for (const NodePlan* plan : c.selected) names.push_back(c.node_name(plan->node));
      for (const auto& name : expected) {
        const bool selected = std::find(names.begin(), names.end(), name) != names.end();
        EXPECT_EQ(selected, key == "recomputed_entry_nodes") << name;
      }
      if (key == "recomputed_entry_nodes") {
        EXPECT_EQ(names.size(), expected.size());
      }
    }
  }
}

class ReferenceCase : public testing::TestWithParam<std::string> {};

TEST_P(ReferenceCase, IsReproduced) {
  const json spec = read_json(cases_folder / GetParam());
  const json& expect = spec["expect"];
  if (expect.contains("error")) {
    try {
      const Case c(spec);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(expect["error"].get<std::string>()),
                std::string::npos)
          << error.what();
    }
    return;
  }
  const bool any_order =
      spec["order_sensitive"] || expect.value("subgraph_order_may_differ", false);
  check(Case(spec), expect, any_order);
}

std::vector<std::string> case_files() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(cases_folder, none)) {
    const std::string name = entry.path().filename();
    const bool is_case = name.ends_with(".json") && name != "malformed_configs.json" &&
                         name != "symbolic_examples.json";
    if (is_case) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Cases, ReferenceCase, testing::ValuesIn(case_files()),
                         [](const auto& info) {
                           return info.param.substr(0, info.param.size() - 5);
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ReferenceCase);

TEST(ReferenceTexts, MalformedConfigsAreRefusedInItsWords) {
  if (!fs::exists(cases_folder)) GTEST_SKIP() << "no shared/cases";
  const json spec = read_json(cases_folder / "malformed_configs.json");
  const auto refused = [](const json& expected, auto parse) {
    try {
      parse();
      ADD_FAILURE() << "accepted " << expected;
    } catch (const Error& error) {
      EXPECT_EQ(error.reason(), expected["error"].get<std::string>()) << expected;
    }
  };
  for (const auto& each : spec["user_config_errors"]) {
    refused(each, [&] { parse_config(each["config"][0]); });
  }
  for (const auto& each : spec["probe_errors"])
    refused(each, [&] { parse_search_options(each["probe"]); });
  for (const auto& each : spec["accepted"]) {
    const RecomputeConfig config = parse_config(each["config"]);
    ASSERT_EQ(config.size(), each["parsed"].size()) << each;
    for (const auto& [cluster, choice] : each["parsed"].items()) {
      EXPECT_EQ(static_cast<int>(config.at(cluster).type), choice[0]);
      EXPECT_EQ(config.at(cluster).count, choice[1]);
    }
  }
  for (const auto& each : spec["accepted_probes"]) {
    const RecomputeSearchOptions probe = parse_search_options(each["probe"]);
    EXPECT_EQ(probe.level, each["level"]) << each;
    EXPECT_EQ(probe.layer_boundary, each["layer"] == 1) << each;
  }
}

}  // namespace reference_cases_test
}  // namespace stashscope
