// The rules of ONNX Runtime 1.19.2. The expected plans of the small graphs are those that the
// release finds. The graphs of shared/cases/release are stored with the answers of the release.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/graph/reference_order.h"
#include "core/onnx/model_file.h"
#include "core/ops/families/standard_ops.h"
#include "core/passes/training_step.h"
#include "core/recompute/clusters.h"
#include "core/study/step/step_export.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace release_test {

namespace fs = std::filesystem;
using nlohmann::json;
using test::ModelBuilder;
using Plans = std::map<std::string, int>;  ///< frequencies by config

const fs::path cases = STASHSCOPE_SHARED "/cases/release";

Plans plans_of(const Graph& model, const RecomputeSearchOptions& search) {
  const TrainingStep step = prepare_training_step(model, {});
  const Graph& graph = *step.graph;
  const Opportunities found = find_opportunities(graph, resolve_ops(graph), step.boundary, search);
  Plans plans;
  for (const PlanRow& row : plan_table(graph, found, Bindings(graph.symbols().size()))) {
    plans[row.config] = row.frequency;
  }
  return plans;
}

RecomputeSearchOptions release_search(int level = 1) {
  RecomputeSearchOptions search(level, false);
  search.reference = Reference::release_1_19_2;
  return search;
}

ModelBuilder two_inputs() {
  ModelBuilder m;
  m.input("x", {"N", 8}).input("y", {"N", 8}).int64s("square", {-1, 8});
  return m.weight("scale", {8}).weight("w", {8, 8});
}

/// Sums the first tensor, hands the sum over and reads the tensors in backward.
Graph with_backward(ModelBuilder m, const std::vector<std::string>& read) {
  m.node("ReduceSum", {read.front()}, {"loss"}, {{"keepdims", std::int64_t{0}}});
  m.node("YieldOp", {"loss"}, {"gradient"}, {}, "com.microsoft");
  for (const std::string& each : read) {
    const std::string out = "d_" + each;
    each == "mask" ? m.node("Identity", {each}, {out}) : m.node("Mul", {"gradient", each}, {out});
    m.output(out);
  }
  return m.build();
}

Plans release_plans(const ModelBuilder& m, const std::vector<std::string>& read, int level = 1) {
  return plans_of(with_backward(m, read), release_search(level));
}

TEST(Release, NamesListTheDeeperBranchFirst) {
  ModelBuilder deep = two_inputs();
  deep.node("Sin", {"y"}, {"b"}).node("Cos", {"b"}, {"d"}).node("Neg", {"x"}, {"a"});
  deep.node("Add", {"a", "d"}, {"c"});
  EXPECT_EQ(release_plans(deep, {"c"}), (Plans{{"Sin+Cos+Neg+Add+:1:-1", 1}}));
  ModelBuilder equal = two_inputs();
  equal.node("Neg", {"x"}, {"a"}).node("Sin", {"y"}, {"b"}).node("Add", {"a", "b"}, {"c"});
  EXPECT_EQ(release_plans(equal, {"c"}), (Plans{{"Sin+Neg+Add+:1:-1", 1}}));
}

TEST(Release, AViewIsFreedWithItsOwner) {
  ModelBuilder inside = two_inputs();
  inside.node("Neg", {"x"}, {"a"}).node("Reshape", {"a", "square"}, {"r"});
  EXPECT_EQ(release_plans(inside, {"r"}), (Plans{{"Neg+Reshape+:1:-1", 1}}));
  ModelBuilder outside = inside;
  outside.node("Sin", {"a"}, {"c"}).node("Add", {"c", "r"}, {"z"});
  EXPECT_EQ(release_plans(outside, {"z", "r", "a"}),
            (Plans{{"Neg+:1:-1", 1}, {"Neg+:1:-1,Reshape+:1:-1", 1}, {"Sin+Add+:1:-1", 1}}));
}

TEST(Release, ItsTableListsWhatAReshapeWithoutNamedDimensionsReads) {
  ModelBuilder m = two_inputs();
  m.int64s("flat", {-1}).node("Reshape", {"x", "flat"}, {"r"}).node("Neg", {"x"}, {"a"});
  const TrainingStep step = prepare_training_step(with_backward(m, {"r", "a"}), {});
  const auto text = [&](Reference reference, const char* name) {
    const ValueId value = test::id_of(*step.graph, name);
    const auto& shape = cluster_shape(*step.graph, rules_of(reference), value);
    return shape ? element_count_text(*step.graph, *shape) : "unknown";
  };
  EXPECT_EQ(text(Reference::release_1_19_2, "r"), "((N)*(8))");
  EXPECT_EQ(text(Reference::november_2023, "r"), "((8*N))");
  EXPECT_EQ(text(Reference::release_1_19_2, "a"), "((N)*(8))");
}

TEST(Release, SoftmaxPassesTheBufferOfItsInputOn) {
  ModelBuilder m = two_inputs();
  m.node("Neg", {"x"}, {"a"}).node("Softmax", {"a"}, {"p"}).node("Reshape", {"p", "square"}, {"r"});
  EXPECT_EQ(release_plans(m, {"r", "p"}), (Plans{{"Neg+Softmax+:1:-1", 1}}));
}

TEST(Release, GemmIsRecomputed) {
  ModelBuilder m = two_inputs();
  m.node("Gemm", {"x", "w"}, {"a"});
  EXPECT_EQ(release_plans(m, {"a"}), (Plans{{"Gemm+:1:-1", 1}}));
  EXPECT_EQ(release_plans(m, {"a"}, 0), (Plans{{"Gemm+:1:-1", 1}}));
  RecomputeSearchOptions older = release_search();
  older.reference = Reference::november_2023;
  EXPECT_EQ(plans_of(with_backward(m, {"a"}), older), Plans());
}

TEST(Release, OutputsForBackwardAloneAreStashedAndEndTheSearch) {
  ModelBuilder dropout = two_inputs();
  dropout.constant("ratio", Tensor::float_scalar(ElementType::float32, 0.1F));
  dropout.constant("training", Tensor(ElementType::boolean, {}, std::string(1, '\1')));
  dropout.node("Neg", {"x"}, {"a"});
  dropout.node("Dropout", {"a", "ratio", "training"}, {"dropped", "mask"},
               {{"seed", std::int64_t{1}}});
  dropout.node("Add", {"dropped", "y"}, {"c"});
  EXPECT_EQ(release_plans(dropout, {"c", "mask"}),
            (Plans{{"Add+:1:-1", 1}, {"Neg+Dropout+:1:-1", 1}}));
  ModelBuilder norm = two_inputs();
  norm.node("LayerNormalization", {"x", "scale", "scale"}, {"n", "mean", "inverse"});
  norm.node("Reshape", {"n", "square"}, {"r"});
  EXPECT_EQ(
      release_plans(norm, {"r", "mean", "inverse"}),
      (Plans{{"LayerNormalization+:1:-1", 1}, {"LayerNormalization+:1:-1,Reshape+:1:-1", 1}}));
  EXPECT_EQ(release_plans(norm, {"r"}), (Plans{{"LayerNormalization+Reshape+:1:-1", 1}}));
}

TEST(Reference, IsFoundByItsName) {
  for (const ReferenceRules& each : references()) {
    EXPECT_EQ(parse_reference(std::string(each.name)), each.reference);
    EXPECT_EQ(rules_of(each.reference).name, each.name);
  }
  const std::string said = test::refusal(ErrorKind::usage, [] { parse_reference("1.0"); });
  EXPECT_NE(said.find("2023.11"), std::string::npos) << said;
}

/// Nodes of the modified graph that the model does not have.
std::set<std::string> added_nodes(const fs::path& file, const std::string& probe,
                                  const std::vector<std::string>& configs) {
  const auto model = std::make_shared<const Graph>(load_model(file));
  Choices choices;
  choices.plans.search = parse_search_options(probe);
  for (const std::string& each : configs) choices.plans.config.merge(parse_config(each));
  const auto study = compute_study(model, choices, nullptr, Progress());
  std::set<std::string> names;
  const Graph modified = modified_graph(*study);
  for (const Node& node : modified.nodes()) names.insert(node.name);
  for (const Node& node : model->nodes()) names.erase(node.name);
  return names;
}

class ReleaseCase : public testing::TestWithParam<std::string> {};

TEST_P(ReleaseCase, HasThePlansAndNodesOfTheRelease) {
  const fs::path folder = cases / GetParam();
  std::ifstream file(folder / "reference.json");
  const Graph model = load_model(folder / "session.onnx");
  const json answers = json::parse(file);
  for (const auto& [probe, expected] : answers["probes"].items()) {
    Plans theirs;
    for (const json& plan : expected["plans"]) theirs[plan["config"]] = plan["freq"];
    EXPECT_EQ(plans_of(model, parse_search_options(probe)), theirs) << probe;
    const std::vector<std::string> configs = expected["applied"]["config"];
    if (configs.empty() || !expected["applied"].contains("new_nodes")) continue;
    const std::set<std::string> nodes = expected["applied"]["new_nodes"];
    EXPECT_EQ(added_nodes(folder / "session.onnx", probe, configs), nodes) << probe;
  }
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  if (!fs::exists(cases)) return names;
  for (const auto& each : fs::directory_iterator(cases)) names.push_back(each.path().filename());
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Files, ReleaseCase, testing::ValuesIn(case_names()),
                         [](const auto& each) { return each.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ReleaseCase);

}  // namespace release_test
}  // namespace stashscope
