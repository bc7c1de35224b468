#include "core/memory/workspace.h"
#include "core/ops/families/standard_ops.h"

#include <gtest/gtest.h>

#include "core/passes/infer_shapes.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace workspace_test {

using test::ModelBuilder;

/// A subgraph that captures the values `captured` from the outer graph.
Subgraph body_of(const ModelBuilder& m, const std::vector<std::string>& captured = {}) {
  GraphData data = m.data();
  for (const ValueId id : IdRange<ValueId>(data.values.size())) {
    for (const std::string& name : captured) {
      if (data.values[id].name == name) data.captures.push_back(id);
    }
  }
  return std::make_shared<const Graph>(std::move(data));
}

/// The model, with the captures of subgraphs recorded at their nodes.
Graph with_captures(const ModelBuilder& m) {
  GraphData data = m.data();
  for (Node& node : data.nodes) {
    for (const auto& [name, attribute] : node.attributes.items()) {
      const auto* const body = std::get_if<Subgraph>(&attribute);
      if (body == nullptr) continue;
      for (const ValueId capture : (*body)->data().captures) {
        for (const ValueId id : IdRange<ValueId>(data.values.size())) {
          const bool same = data.values[id].name == (*body)->value(capture).name;
          if (same) node.captured_inputs.push_back(id);
        }
      }
    }
  }
  return infer_shapes(Graph(std::move(data)));
}

std::int64_t workspace_of(const Graph& graph, const std::string& output, std::int64_t size) {
  const NodeId node = graph.value(test::id_of(graph, output)).producer;
  return workspace_bytes(graph, Bindings(graph.symbols().size(), size))[node];
}

constexpr std::int64_t row = 8 * sizeof(float);

TEST(Workspace, OfABranchIsWhatItKeepsBesideItsResult) {
  // tanh and sigmoid of x[N, 8] are live together; the captured x and the result count outside.
  ModelBuilder large;
  large.node("Tanh", {"x"}, {"a"}).node("Sigmoid", {"x"}, {"b"}).node("MatMul", {"a", "t"}, {"c"});
  large.node("Add", {"b", "c"}, {"large_y"}).output("large_y");
  ModelBuilder small;
  small.node("Neg", {"x"}, {"small_y"}).output("small_y");
  ModelBuilder m;
  m.input("x", {"N", 8}).input("t", {8, 8}).input("flag", {1}, ElementType::boolean);
  m.node("If", {"flag"}, {"y"},
         {{"then_branch", body_of(large, {"x", "t"})}, {"else_branch", body_of(small, {"x"})}});
  const Graph graph = with_captures(m.output("y"));
  EXPECT_EQ(workspace_of(graph, "y", 10), 3 * 10 * row);
}

TEST(Workspace, OfALoopHasTheValuesOfTheIterationBefore) {
  ModelBuilder body;
  body.input("i", {}, ElementType::int64).input("go_on", {}, ElementType::boolean);
  body.input("h", {"rows", "columns"});
  body.node("Identity", {"go_on"}, {"still"}).node("MatMul", {"h", "t"}, {"next"});
  body.output("still").output("next");
  ModelBuilder m;
  m.input("x", {"N", 8}).input("t", {8, 8}).constant("times", Tensor::int64_scalar(3));
  m.node("Loop", {"times", "", "x"}, {"y"}, {{"body", body_of(body, {"t"})}});
  const Graph graph = with_captures(m.output("y"));
  const auto& shape = graph.value(test::id_of(graph, "y")).type.shape;
  ASSERT_TRUE(shape);
  EXPECT_EQ((*shape)[1], Expr(8));
  // The previous state (N rows), the iteration number, and both conditions in one buffer.
  EXPECT_EQ(workspace_of(graph, "y", 10), 10 * row + 8 + 1);
}

TEST(Workspace, OfAScanIsThatOfOneStepAndNestsIntoItsCaller) {
  ModelBuilder body;
  body.input("s", {8}).input("step", {8});
  body.node("Add", {"s", "step"}, {"sum"}).node("Tanh", {"sum"}, {"made"});
  body.output("sum").output("made");
  ModelBuilder branch;
  branch.node("Scan", {"zero", "x"}, {"last", "all"},
              {{"body", body_of(body)}, {"num_scan_inputs", std::int64_t{1}}});
  branch.output("all");
  ModelBuilder m;
  m.input("x", {"N", 8}).input("zero", {8}).input("flag", {1}, ElementType::boolean);
  m.node("If", {"flag"}, {"y"},
         {{"then_branch", body_of(branch, {"zero", "x"})},
          {"else_branch", body_of(branch, {"zero", "x"})}});
  const Graph graph = with_captures(m.output("y"));
  const auto& shape = graph.value(test::id_of(graph, "y")).type.shape;
  ASSERT_TRUE(shape);
  EXPECT_EQ(to_string((*shape)[0], graph.symbols()), "N");
  // In the branch: `last` (one row). In the loop body: `s`, `step` and the result.
  EXPECT_EQ(workspace_of(graph, "y", 10), row + 3 * row);
}

TEST(Workspace, CountsWhileItsNodeRuns) {
  ModelBuilder m;
  m.input("x", {4}).node("Neg", {"x"}, {"a"}).node("Tanh", {"a"}, {"b"});
  const Graph graph = infer_shapes(m.output("b").build());
  const Dataflow dataflow(graph);
  std::vector<ValueId> unknown;
  Timeline timeline = make_timeline(dataflow, buffer_rules(graph, resolve_ops(graph), {}, {}),
                                    value_bytes(graph, {}, unknown), {NodeId(0), NodeId(1)});
  const auto before = timeline.live_bytes;
  IdVector<NodeId, std::int64_t> workspace(2, 0);
  workspace[NodeId(1)] = 1000;
  add_workspace(timeline, dataflow, workspace);
  EXPECT_EQ(timeline.live_bytes, (std::vector<std::int64_t>{before[0], before[1] + 1000}));
  EXPECT_EQ(timeline.peak_slot, 1U);
  EXPECT_EQ(timeline.peak_bytes, before[1] + 1000);
}

}  // namespace workspace_test
}  // namespace stashscope
