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

}  // namespace group_memory_test
}  // namespace stashscope
