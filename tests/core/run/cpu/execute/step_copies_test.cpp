// Links make copies on threads of their own, one after the other.

#include "core/run/cpu/execute/step_copies.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "core/passes/infer_shapes.h"
#include "tests/support/model_builder.h"

namespace stashscope::cpu {
namespace step_copies_test {

TEST(CopyLink, MakesCopiesOneAfterTheOtherOnAThreadOfItsOwn) {
  std::vector<int> done;
  std::set<std::thread::id> threads;
  std::promise<void> go;
  CopyLink link;
  // The first copy cannot end before this thread lets it, so that `start` must return before.
  const auto first = link.start([&, may_go = go.get_future().share()] {
    may_go.wait();
    done.push_back(1);
    threads.insert(std::this_thread::get_id());
  });
  const auto second = link.start([&] {
    done.push_back(2);
    threads.insert(std::this_thread::get_id());
  });
  go.set_value();
  second.wait();
  first.wait();
  EXPECT_EQ(done, (std::vector<int>{1, 2}));
  EXPECT_EQ(threads.size(), 1U);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST(CopyLink, PassesFailuresOn) {
  CopyLink link;
  const auto failed = link.start([] { throw std::runtime_error("no"); });
  EXPECT_THROW(failed.get(), std::runtime_error);
  EXPECT_NO_THROW(link.start([] {}).get());
}

/// A step that offloads the only tensor it makes, beside its last node.
RunPlan offloading_step() {
  test::ModelBuilder m;
  m.input("x", {4}).node("Neg", {"x"}, {"a"}).node("Neg", {"a"}, {"y"}).output("y");
  const auto graph = std::make_shared<const Graph>(infer_shapes(m.build()));
  Dataflow dataflow(*graph);
  const ValueId value = test::id_of(*graph, "a");
  const NodeId offload(dataflow.graph_nodes);
  dataflow.cloned_nodes.push_back(graph->value(value).producer);
  dataflow.kinds.push_back(AddedKind::offload);
  dataflow.topology.inputs.start_row();
  dataflow.topology.inputs.push(value);
  dataflow.topology.outputs.start_row();
  dataflow.topology.outputs.push(ValueId(dataflow.graph_values));
  dataflow.cloned_values.push_back(value);
  dataflow.forms.push_back({ElementType::undefined, 0});
  dataflow.topology.connect(dataflow.graph_values + 1);
  RunPlan plan{graph, std::move(dataflow), {}};
  plan.copies.copies.push_back({offload, NodeId(1)});
  return plan;
}

TEST(StepCopies, NameTheNodeWhoseCopyFails) {
  const RunPlan plan = offloading_step();
  const NodeId offload = plan.copies.copies.front().node;
  StepCopies copies(plan);
  ASSERT_TRUE(copies.overlaps(offload));
  copies.start(offload, "node 'a_offload'", [] { fail_run("", "no room"); });
  try {
    copies.end_offloads(NodeId(1));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::run);
    EXPECT_NE(error.where().find("a_offload"), std::string::npos) << error.where();
    EXPECT_NE(std::string(error.what()).find("no room"), std::string::npos) << error.what();
  }
}

TEST(NodesInErrors, AreNotNamedForCancelledWork) {
  const auto cancel = [] { throw Error(ErrorKind::cancelled, "", "cancelled"); };
  try {
    with_node_in_errors([] { return std::string("node 'a'"); }, cancel);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
    EXPECT_EQ(error.where(), "");
  }
}

}  // namespace step_copies_test
}  // namespace stashscope::cpu
