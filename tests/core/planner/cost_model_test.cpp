#include "core/planner/cost_model.h"
#include "core/ops/families/standard_ops.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/memory/buffers.h"
#include "core/passes/infer_shapes.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace cost_model_test {

/// 100 operations (200 of matrices) and 10 bytes per second.
DeviceProfile slow_device() {
  return {"slow", 1 << 20, 10, 5, 2, {.float32 = 200}, {.float32 = 100, .float16 = 400}};
}

TEST(Roofline, IsFlatBehindTheRidge) {
  const DeviceProfile device = slow_device();
  // The ridge lies at 10 operations per byte.
  const auto seconds = [&](double flops, double bytes) {
    return roofline_seconds(flops, bytes, ComputeUnit::vector, ElementType::float32, device);
  };
  EXPECT_DOUBLE_EQ(seconds(100, 40), 4 + 2);    // 2.5 per byte: bound by memory
  EXPECT_DOUBLE_EQ(seconds(400, 40), 4 + 2);    // at the ridge
  EXPECT_DOUBLE_EQ(seconds(2000, 40), 20 + 2);  // 50 per byte: bound by arithmetic
  EXPECT_DOUBLE_EQ(seconds(0, 40), 4 + 2);
  EXPECT_EQ(seconds(0, 0), 0) << "a node without work starts no kernel";
}

TEST(Roofline, TakesTheRateOfTypeAndUnit) {
  const DeviceProfile device = slow_device();
  const auto seconds = [&](ComputeUnit unit, ElementType element) {
    return roofline_seconds(800, 0, unit, element, device) - 2;
  };
  EXPECT_DOUBLE_EQ(seconds(ComputeUnit::vector, ElementType::float32), 8);
  EXPECT_DOUBLE_EQ(seconds(ComputeUnit::matrix, ElementType::float32), 4);
  EXPECT_DOUBLE_EQ(seconds(ComputeUnit::matrix, ElementType::float16), 2);
  EXPECT_DOUBLE_EQ(seconds(ComputeUnit::vector, ElementType::bfloat16), 8);
  EXPECT_DOUBLE_EQ(seconds(ComputeUnit::vector, ElementType::float8e4m3fn), 2);
  EXPECT_DOUBLE_EQ(seconds(ComputeUnit::vector, ElementType::int64), 8);
  EXPECT_DOUBLE_EQ(roofline_seconds(0, 40, ComputeUnit::link, ElementType::float32, device), 8 + 2);
}

TEST(Roofline, EfficiencyIsAShareOfThePeaks) {
  DeviceProfile device = slow_device();
  device.compute_efficiency = 0.5;
  device.bandwidth_efficiency = 0.25;
  const auto seconds = [&](double flops, double bytes) {
    return roofline_seconds(flops, bytes, ComputeUnit::vector, ElementType::float32, device) - 2;
  };
  EXPECT_DOUBLE_EQ(seconds(100, 0), 2);
  EXPECT_DOUBLE_EQ(seconds(0, 10), 4);
}

struct Example {
  explicit Example(test::ModelBuilder m)
      : graph(infer_shapes(m.build())), ops(resolve_ops(graph)), bindings(graph.symbols().size()) {
    std::vector<ValueId> unknown;
    const auto bytes = value_bytes(graph, bindings, unknown);
    work = node_work(graph, ops, bindings, bytes);
  }
  NodeId node(const std::string& output) const {
    for (const NodeId id : IdRange<NodeId>(graph.nodes().size())) {
      if (graph.value(graph.node(id).outputs[0]).name == output) return id;
    }
    return NodeId();
  }
  Graph graph;
  IdVector<NodeId, const Op*> ops;
  Bindings bindings;
  NodeWork work;
};

Example product_and_views() {
  test::ModelBuilder m;
  m.input("x", {2, 3}).weight("w", {3, 4}).int64s("flat", {8});
  m.node("MatMul", {"x", "w"}, {"y"}).node("Shape", {"y"}, {"dims"});
  m.int64s("first", {0}).node("Gather", {"dims", "first"}, {"rows"});
  m.node("Reshape", {"y", "flat"}, {"z"}).node("Relu", {"z"}, {"r"});
  return Example(m.output("r").output("rows"));
}

TEST(NodeWork, OfViewsAndShapesIsNone) {
  const Example example = product_and_views();
  for (const char* free : {"dims", "rows", "z"}) {
    EXPECT_EQ(example.work.flops[example.node(free)], 0) << free;
    EXPECT_EQ(example.work.bytes[example.node(free)], 0) << free;
  }
  EXPECT_EQ(example.work.flops[example.node("y")], 2 * 8 * 3);
  EXPECT_EQ(example.work.bytes[example.node("y")], 4 * (6 + 12 + 8));
  EXPECT_EQ(example.work.flops[example.node("r")], 8);
}

TEST(NodeTimes, AreTheRooflinesOfTheNodes) {
  const Example example = product_and_views();
  const NodeTimes times = roofline_times(example.graph, example.ops, example.work, slow_device());
  EXPECT_DOUBLE_EQ(times[example.node("y")], 104.0 / 10 + 2);
  EXPECT_DOUBLE_EQ(times[example.node("r")], 64.0 / 10 + 2);
  EXPECT_EQ(times[example.node("z")], 0);
}

TEST(NodeTimes, AreNeverLongerOnAFasterDevice) {
  const Example example = product_and_views();
  const auto sum = [&](const DeviceProfile& device) {
    const NodeTimes times = roofline_times(example.graph, example.ops, example.work, device);
    return std::accumulate(times.begin(), times.end(), 0.0);
  };
  for (const DeviceProfile& device : device_profiles()) {
    DeviceProfile faster = device;
    faster.bandwidth *= 2;
    EXPECT_LE(sum(faster), sum(device));
    faster.vector.float32 *= 2;
    EXPECT_LE(sum(faster), sum(device));
    faster.matrix.tf32 = 1e18;
    faster.launch_seconds = 0;
    EXPECT_LT(sum(faster), sum(device));
  }
}

TEST(MeasuredTimes, ReplaceThePredictedOnes) {
  const Example example = product_and_views();
  const Dataflow dataflow(example.graph);
  std::vector<NodeId> order;
  std::vector<double> seconds;
  for (const NodeId id : IdRange<NodeId>(example.graph.nodes().size())) {
    order.push_back(id);
    seconds.push_back(static_cast<double>(id.index()) + 1);
  }
  const std::size_t count = order.size();
  MeasuredTimes runs(count);
  NodeTimes times(count, 0.5);
  EXPECT_EQ(runs.replace(times), 0U);
  EXPECT_EQ(times, NodeTimes(count, 0.5));
  runs.add(dataflow, order, seconds);
  for (double& each : seconds) each += 2;
  runs.add(dataflow, order, seconds);
  EXPECT_EQ(runs.replace(times), count);
  for (const NodeId id : order) EXPECT_DOUBLE_EQ(times[id], static_cast<double>(id.index()) + 2);
}

TEST(MeasuredTimes, OfAnotherOrderAreLeftOut) {
  const Example example = product_and_views();
  MeasuredTimes runs(example.graph.nodes().size());
  std::vector<double> seconds;
  seconds = {1, 2};
  runs.add(Dataflow(example.graph), {NodeId(0)}, seconds);
  NodeTimes times(example.graph.nodes().size(), 0.5);
  EXPECT_EQ(runs.replace(times), 0U);
}

}  // namespace cost_model_test
}  // namespace stashscope
