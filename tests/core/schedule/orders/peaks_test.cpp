// Peaks of orders: a published case worked out by hand, and random graphs against a count computed
// from scratch at every slot.

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <set>

#include "core/memory/step_peak.h"
#include "core/onnx/model_file.h"
#include "core/recompute/apply.h"
#include "core/schedule/fusion/fusions.h"
#include "tests/support/small_models.h"
#include "tests/support/step_in_orders.h"
#include "tests/support/ten_paths.h"
#include "tests/support/thinned.h"

namespace stashscope {
namespace peaks_test {

namespace fs = std::filesystem;

constexpr std::int64_t quarter = 256 * 256 * 4;

std::int64_t peak_in(test::Listing listing, std::string_view order) {
  const test::StepInOrders step(test::ten_paths(listing).build());
  return test::activation_peak(step.timeline(order)) / quarter;
}

TEST(TenPaths, NeedThreeTensorsDepthFirst) {
  // t1, t2 and one tensor of the chain; then t3 and two tensors of the chain.
  EXPECT_EQ(peak_in(test::Listing::path_by_path, "file"), 3);
  for (const auto listing : {test::Listing::path_by_path, test::Listing::level_by_level}) {
    EXPECT_EQ(peak_in(listing, "reverse-depth-first"), 3);
  }
}

TEST(TenPaths, WaitWithNineOfThemWhenTheirEndIsMadeBeforeTheChain) {
  // Each product of the chain lists t3 first: nine t3 are live while the first path has t1 and t2.
  for (const auto listing : {test::Listing::path_by_path, test::Listing::level_by_level}) {
    EXPECT_EQ(peak_in(listing, "depth-first"), 11);
  }
}

TEST(TenPaths, NeedElevenTensorsBreadthFirst) {
  // All t1 and one t2; all t3, in the memory of t2, and the first tensor of the chain.
  EXPECT_EQ(peak_in(test::Listing::level_by_level, "file"), 11);
  for (const auto listing : {test::Listing::path_by_path, test::Listing::level_by_level}) {
    EXPECT_EQ(peak_in(listing, "breadth-first"), 11);
  }
}

TEST(TenPaths, AreBestLargestFirstHoweverTheyAreListed) {
  for (const auto listing : {test::Listing::path_by_path, test::Listing::level_by_level}) {
    EXPECT_EQ(peak_in(listing, "largest-first"), 3);
    EXPECT_EQ(peak_in(listing, "best"), 3);
  }
}

/// A slow count of a step's memory: at every slot, all values still needed, computed from scratch.
class SlowCount {
 public:
  SlowCount(const test::StepInOrders& step, const Dataflow& dataflow, std::vector<NodeId> order)
      : step_(step), dataflow_(dataflow), order_(std::move(order)) {
    for (std::size_t at = 0; at < order_.size(); ++at) {
      for (const ValueId input : dataflow_.topology.inputs[order_[at]]) last_read_[input] = at;
    }
  }

  std::int64_t peak() {
    for (const ValueId value : IdRange<ValueId>(dataflow_.graph_values)) {
      if (!step_.rules.is_persistent(value)) continue;
      persistent_ += step_.bytes[value];
      home_[value] = value;
    }
    std::int64_t most = persistent_;
    for (std::size_t at = 0; at < order_.size(); ++at) most = std::max(most, run(at));
    return most;
  }

 private:
  using Homes = std::map<ValueId, ValueId>;  ///< the value whose memory each value uses

  std::int64_t run(std::size_t at) {
    const NodeId node = order_[at];
    const auto outputs = dataflow_.topology.outputs[node];
    std::set<ValueId> living;
    for (const auto& [value, home] : home_) {
      if (is_needed(value, at)) living.insert(home);
    }
    if (dataflow_.runs_origin(node)) share(node, at);
    for (const ValueId output : outputs) {
      home_.try_emplace(output, output);
      living.insert(home_[output]);
    }
    std::int64_t bytes = persistent_;
    for (const ValueId home : living) {
      const bool counted = home.index() < dataflow_.graph_values && step_.rules.is_persistent(home);
      if (!counted) bytes += stored_bytes(dataflow_, step_.bytes, home);
    }
    return bytes;
  }

  void share(NodeId node, std::size_t at) {
    const auto inputs = dataflow_.topology.inputs[node];
    const auto outputs = dataflow_.topology.outputs[node];
    const NodeId origin = dataflow_.origin(node);
    for (const BufferShare& each : step_.rules.aliases[origin]) {
      home_[outputs[each.output]] = home_[inputs[each.input]];
    }
    for (const BufferShare& each : step_.rules.in_place[origin]) {
      if (home_.contains(outputs[each.output])) continue;
      const ValueId home = home_[inputs[each.input]];
      if (dies(home, at) && operands_in(home, node) == 1) home_[outputs[each.output]] = home;
    }
  }

  std::int64_t operands_in(ValueId home, NodeId node) {
    std::int64_t count = 0;
    for (const ValueId input : dataflow_.topology.inputs[node]) {
      if (input.valid() && home_[input] == home) ++count;
    }
    return count;
  }

  bool dies(ValueId home, std::size_t at) const {
    if (home.index() < dataflow_.graph_values && step_.rules.is_persistent(home)) return false;
    const auto outputs = dataflow_.topology.outputs[order_[at]];
    for (const auto& [value, where] : home_) {
      const bool made_here = std::find(outputs.begin(), outputs.end(), value) != outputs.end();
      if (where == home && (made_here || is_needed(value, at + 1))) return false;
    }
    return true;
  }

  /// Whether a node from slot `at` on needs the value, or it outlives the step.
  bool is_needed(ValueId value, std::size_t at) const {
    if (value.index() < dataflow_.graph_values && step_.rules.is_output[value]) return true;
    const auto last = last_read_.find(value);
    return last != last_read_.end() && last->second >= at;
  }

  const test::StepInOrders& step_;
  const Dataflow& dataflow_;
  std::vector<NodeId> order_;
  std::map<ValueId, std::size_t> last_read_;
  Homes home_;
  std::int64_t persistent_ = 0;
};

void expect_valid(const Topology& topology, const std::vector<NodeId>& order) {
  ASSERT_EQ(order.size(), topology.nodes());
  std::set<ValueId> made;
  std::set<NodeId> ran;
  for (const NodeId node : order) {
    EXPECT_TRUE(ran.insert(node).second) << "runs twice";
    for (const ValueId input : topology.inputs[node]) {
      if (!input.valid() || !topology.producer[input].valid()) continue;
      EXPECT_TRUE(made.contains(input)) << "is read before it is made";
    }
    made.insert(topology.outputs[node].begin(), topology.outputs[node].end());
  }
}

/// Checks all orders except searches.
void expect_true_peaks(const test::StepInOrders& step, const Dataflow& dataflow) {
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  for (const OrderStrategy& strategy : order_strategies()) {
    if (strategy.kind == OrderKind::search) continue;
    SCOPED_TRACE(strategy.name);
    const OrderInput input = step.input(dataflow);
    const std::vector<NodeId> order = strategy.order(input);
    expect_valid(dataflow.topology, order);
    const Timeline timeline = make_timeline(dataflow, step.rules, step.bytes, order);
    EXPECT_EQ(timeline.peak_bytes, SlowCount(step, dataflow, order).peak());
    EXPECT_EQ(peak_of(dataflow, input.memory, order),
              make_timeline(dataflow, input.memory, order).peak_bytes);
    if (strategy.kind == OrderKind::best_of) {
      EXPECT_EQ(timeline.peak_bytes, lowest);
    }
    lowest = std::min(lowest, timeline.peak_bytes);
  }
}

void expect_same_peaks(const OrderInput& input) {
  StepPeak peaks(input.dataflow, input.memory);
  for (const OrderStrategy& strategy : order_strategies()) {
    if (strategy.kind == OrderKind::search) continue;
    const std::vector<NodeId> order = strategy.order(input);
    const Timeline timeline = make_timeline(input.dataflow, input.memory, order);
    EXPECT_EQ(peaks.of(order), timeline.peak_bytes) << strategy.name;
  }
}

/// Every plan that ONNX Runtime knows, and an evicting plan for every other tensor that has such a
/// plan.
RecomputeConfig every_plan(const Opportunities& found) {
  RecomputeConfig config = config_of_all(found, true);
  for (const NodePlan& plan : found.extensions) config[plan.cluster] = {plan.type, -1};
  return config;
}

/// Checks StepPeak against make_timeline with plans, an optimizer and groups.
void expect_same_peaks(TrainingStep prepared) {
  test::StepInOrders step(std::move(prepared));
  const Graph& graph = *step.step.graph;
  step.update = update_memory(graph, step.step.parameters, {"adamw", false, true});
  EXPECT_FALSE(step.update.released.empty());
  const Opportunities found = find_opportunities(graph, step.ops, step.step.boundary, {1, false});
  const auto plans = select_plans(found, every_plan(found));
  const Dataflow dataflow = apply_plans(graph, step.ops, found, plans);
  const OrderInput input = step.input(dataflow);
  expect_same_peaks(input);
  for (const std::string_view fusion : {"dataflow", "horizontal"}) {
    SCOPED_TRACE(fusion);
    const FusedGroups groups = find_fusion(fusion).groups({input, find_order("file"), {}});
    const FusedStep fused = fuse(graph, dataflow, step.rules, groups);
    if (!groups.empty()) expect_same_peaks(fused_input(input, fused, groups));
  }
}

TEST(Peaks, NeedNoTimeline) {
  expect_same_peaks(prepare_training_step(test::deep_perceptron(5).build(), {}));
}

/// A random graph of operators that share memory in every way, on tensors of different sizes.
Graph random_graph(std::uint32_t seed, int nodes) {
  std::mt19937 random(seed);
  test::ModelBuilder m;
  m.input("v0", {4, 4}).input("wide", {4, 16}).int64s("flat", {16});
  std::vector<std::string> square = {"v0"};
  for (int i = 1; i <= nodes; ++i) {
    const auto pick = [&] { return square[random() % square.size()]; };
    const std::string name = "v" + std::to_string(i);
    switch (random() % 5) {
      case 0:
        m.node("Relu", {pick()}, {name});
        break;
      case 1:
        m.node("MatMul", {pick(), pick()}, {name});
        break;
      case 2:
        m.node("MatMul", {pick(), "wide"}, {name + "_wide"});
        m.node("Transpose", {name + "_wide"}, {name + "_tall"});
        m.node("MatMul", {pick(), name + "_wide"}, {name + "_more"});
        m.node("MatMul", {name + "_more", name + "_tall"}, {name});
        break;
      case 3:
        m.node("Identity", {pick()}, {name});
        break;
      default:
        m.node("Add", {pick(), pick()}, {name});
    }
    square.push_back(name);
    if (random() % 12 == 0) m.output(name);
  }
  return m.build();
}

TEST(Peaks, AreThoseOfASlowCountOnRandomGraphs) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const test::StepInOrders step(random_graph(seed, 30));
    expect_true_peaks(step, step.dataflow);
  }
}

class ModelPeaks : public testing::TestWithParam<std::string> {};

TEST_P(ModelPeaks, AreThoseOfASlowCount) {
  const fs::path file = fs::path(STASHSCOPE_SHARED "/models") / GetParam() / "model.onnx";
  if (!fs::exists(file)) GTEST_SKIP() << file << " is not there";
  const test::StepInOrders step(prepare_training_step(load_model(file), {}));
  expect_true_peaks(step, step.dataflow);
  const Graph& graph = *step.step.graph;
  const Opportunities found = find_opportunities(graph, step.ops, step.step.boundary, {1, false});
  const auto plans = select_plans(found, config_of_all(found, true));
  expect_true_peaks(step, apply_plans(graph, step.ops, found, plans));
}

TEST_P(ModelPeaks, NeedNoTimeline) {
  const fs::path file = fs::path(STASHSCOPE_SHARED "/models") / GetParam() / "model.onnx";
  if (!fs::exists(file)) GTEST_SKIP() << file << " is not there";
  expect_same_peaks(prepare_training_step(load_model(file), {}));
}

INSTANTIATE_TEST_SUITE_P(Files, ModelPeaks,
                         testing::ValuesIn(test::thinned(test::models_in_folders({"small",
                                                                                  "joint"}))),
                         [](const auto& info) { return test::test_name(info.param); });

}  // namespace peaks_test
}  // namespace stashscope
