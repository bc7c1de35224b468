// The task graph of a step must agree with the step's timeline, and its orders must be valid.

#include "core/schedule/tasks/step_tasks.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/onnx/model_file.h"
#include "core/schedule/orders/strategies.h"
#include "tests/support/named_model.h"
#include "tests/support/step_in_orders.h"
#include "tests/support/ten_paths.h"

namespace stashscope {
namespace step_tasks_test {

StepTasks tasks_of(const test::StepInOrders& step) {
  const IdVector<NodeId, std::int64_t> no_cost(step.dataflow.graph_nodes, 0);
  return step_tasks(step.dataflow, step.input().memory, no_cost);
}

/// Compares the peak of the task graph with the peak of the timeline for every rule. The peak of
/// the task graph must be equal or higher. Returns how often the peaks are equal.
int compare_peaks(const test::StepInOrders& step) {
  const StepTasks tasks = tasks_of(step);
  int equal = 0;
  for (const OrderStrategy& strategy : order_strategies()) {
    if (strategy.kind != OrderKind::rule) continue;
    SCOPED_TRACE(strategy.name);
    const std::vector<TaskId> order = tasks.tasks(strategy.order(step.input()));
    const std::int64_t seen = memory_of(tasks.graph, order).peak_bytes;
    const auto nodes = tasks.nodes(step.dataflow.topology, order);
    EXPECT_EQ(nodes.size(), step.dataflow.topology.nodes());
    const std::int64_t real = make_timeline(step.dataflow, step.input().memory, nodes).peak_bytes;
    EXPECT_GE(seen, real);
    const IdVector<NodeId, std::int64_t> no_cost(step.dataflow.graph_nodes, 0);
    const StepTasks below =
        step_tasks(step.dataflow, step.input().memory, no_cost, Estimate::below);
    EXPECT_LE(memory_of(below.graph, order).peak_bytes, real);
    EXPECT_LE(real, step.timeline(strategy.name).peak_bytes) << "views as early as they can be";
    equal += seen == real ? 1 : 0;
  }
  return equal;
}

constexpr int rules = 7;

TEST(StepTasks, SeeWhatTheTimelineSays) {
  int equal = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Graph model = test::random_model(seed, 12).build();
    equal += compare_peaks(test::StepInOrders(prepare_training_step(model, {})));
  }
  EXPECT_GT(equal, 20 * rules * 3 / 4) << "above only where an output could take either input";
  EXPECT_EQ(compare_peaks(test::StepInOrders(test::ten_paths(test::Listing::path_by_path).build())),
            rules);
}

TEST(StepTasks, ViewsAreNoTasks) {
  test::ModelBuilder m;
  m.input("x", {4, 4}).constant("flat", Tensor::int64s({16}));
  m.node("Relu", {"x"}, {"a"}).node("Reshape", {"a", "flat"}, {"b"}).node("Exp", {"b"}, {"c"});
  m.node("Flatten", {"a"}, {"unread"});
  const test::StepInOrders step(m.output("c").build());
  const StepTasks tasks = tasks_of(step);
  EXPECT_EQ(tasks.graph.tasks(), 2U);
  EXPECT_EQ(tasks.graph.inputs[TaskId(1)].size(), 1U);
  const auto nodes =
      tasks.nodes(step.dataflow.topology, tasks.tasks(find_order("file").order(step.input())));
  EXPECT_EQ(nodes, (std::vector{NodeId(0), NodeId(1), NodeId(3), NodeId(2)}));
}

constexpr std::int64_t mib = 1 << 20;

TEST(MinimalOrder, OfTheTenPathsIsProvenFromBothListings) {
  for (const auto listing : {test::Listing::path_by_path, test::Listing::level_by_level}) {
    const test::StepInOrders step(test::ten_paths(listing).build());
    const SearchedOrder found = searched_order(step.input());
    const Timeline timeline = make_timeline(step.dataflow, step.input().memory, found.nodes);
    EXPECT_EQ(test::activation_peak(timeline), 3 * mib / 4);
    EXPECT_EQ(found.bound_bytes, timeline.peak_bytes);
  }
}

TEST(MinimalOrder, IsNeverAboveARule) {
  for (unsigned seed = 30; seed < 40; ++seed) {
    const Graph model = test::random_model(seed, 10).build();
    const test::StepInOrders step(prepare_training_step(model, {}));
    const SearchedOrder found = searched_order(step.input());
    const std::int64_t peak =
        make_timeline(step.dataflow, step.input().memory, found.nodes).peak_bytes;
    EXPECT_LE(peak, step.timeline("best").peak_bytes);
    EXPECT_LE(found.bound_bytes, peak);
  }
}

TEST(StepTasks, SeeWhatTheTimelineSaysOfRealSteps) {
  const std::filesystem::path folder = STASHSCOPE_SHARED "/models/joint";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared/models/joint";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    SCOPED_TRACE(entry.path());
    EXPECT_GT(
        compare_peaks(test::StepInOrders(prepare_training_step(load_model(entry.path()), {}))), 0);
  }
}

}  // namespace step_tasks_test
}  // namespace stashscope
