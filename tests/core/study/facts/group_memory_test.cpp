#include "core/study/facts/group_memory.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/layout/scene/outline.h"
#include "core/report/graph_picture.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace group_memory_test {

/// A step with a gradient operator, in which no boundary is found.
std::shared_ptr<const Study> without_boundary() {
  test::ModelBuilder m;
  m.input("x", {4, 4}).node("Relu", {"x"}, {"a"}).node("Tanh", {"a"}, {"b"});
  m.node("ReluGrad", {"b", "a"}, {"c"}, {}, "com.microsoft").output("c");
  return compute_study(test::named(m), Choices(), nullptr, Progress());
}

TEST(GroupMemory, IsTheMemoryOfTheBoxesAlsoWithoutABoundary) {
  const auto study = without_boundary();
  ASSERT_EQ(study->opportunities->forward_nodes, 0U);
  std::vector<NodeId> nodes(study->graph().nodes().size());
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = NodeId(i);
  const layout::Grouping grouping = grouping_of(*study);
  const layout::StepView view = step_view(*study, grouping);
  const NodeMemory boxes = std::accumulate(view.memory.begin(), view.memory.end(), NodeMemory());
  ASSERT_GT(boxes.stashed_bytes, 0) << "the gradient reads what forward makes";
  const NodeMemory sum = group_memory(*study, nodes, 5).sum;
  EXPECT_EQ(sum.stashed_bytes, boxes.stashed_bytes);
  EXPECT_EQ(sum.bytes, boxes.bytes);
}

/// Tanh works in place, and Identity makes a view: both stash in the memory of the product.
TEST(GroupMemory, TellsWhatIsStashedInTheMemoryOfOthersAndItsParameters) {
  test::ModelBuilder m;
  m.input("x", {4, 4}).weight("w", {4, 4}).node("MatMul", {"x", "w"}, {"a"});
  m.node("Tanh", {"a"}, {"b"}).node("Identity", {"b"}, {"c"});
  m.node("ReluGrad", {"c", "c"}, {"d"}, {}, "com.microsoft").output("d");
  const auto study = compute_study(test::named(m), Choices(), nullptr, Progress());
  const auto node_of = [&](const std::string& name) {
    for (const NodeId id : IdRange<NodeId>(study->graph().nodes().size())) {
      if (study->graph().node(id).name == name) return id;
    }
    throw std::runtime_error("no node " + name);
  };
  const GroupMemory first = group_memory(*study, {node_of("a")}, 5);
  EXPECT_EQ(first.given_bytes, 2 * 4 * 4 * 4) << "its weight and its input";
  EXPECT_EQ(first.stashed_by_others, 4 * 4 * 4) << "in the memory of the product";
  EXPECT_EQ(first.others, std::vector<NodeId>{node_of("b")}) << "the view shows what Tanh wrote";
  const GroupMemory alone = group_memory(*study, {node_of("c")}, 5);
  EXPECT_EQ(alone.sum.stashed_bytes, 0);
  EXPECT_EQ(alone.stashed_elsewhere, 4 * 4 * 4);
  const GroupMemory all = group_memory(*study, {node_of("a"), node_of("b"), node_of("c")}, 5);
  EXPECT_EQ(all.stashed_elsewhere, 0);
  EXPECT_EQ(all.stashed_by_others, 0);
  EXPECT_EQ(all.sum.stashed_bytes, alone.stashed_elsewhere);
}

}  // namespace group_memory_test
}  // namespace stashscope
