#include "core/memory/bands.h"
#include "core/ops/families/standard_ops.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/passes/infer_shapes.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace bands_test {

using test::ModelBuilder;

/// An explicit training step: y = (x w)^T in forward; the gradients of w and of x w in backward.
/// Every tensor is float32[16, 16], 1 KiB. Transpose never works in place.
ModelBuilder written_out() {
  ModelBuilder m;
  m.input("x", {16, 16}).weight("w", {16, 16});
  m.node("MatMul", {"x", "w"}, {"h"});
  m.node("Transpose", {"h"}, {"y"});
  m.node("YieldOp", {"y"}, {"y_grad"}, {}, "com.microsoft");
  m.node("Transpose", {"y_grad"}, {"h_grad"});
  m.node("Mul", {"h", "h_grad"}, {"mixed"});
  m.node("MatMul", {"x", "mixed"}, {"w_grad"});
  m.node("Transpose", {"mixed"}, {"last"});
  return m.output("w_grad").output("last");
}

struct Fixture {
  explicit Fixture(const ModelBuilder& model, const UpdateChoice& update = {})
      : graph(infer_shapes(model.build())), dataflow(graph) {
    const Parameter w{test::id_of(graph, "w"), test::id_of(graph, "w_grad")};
    rules = buffer_rules(graph, resolve_ops(graph), {w.value}, {w.gradient});
    std::vector<ValueId> unknown;
    const auto bytes = value_bytes(graph, Bindings(graph.symbols().size()), unknown);
    std::vector<NodeId> order;
    for (const NodeId node : IdRange<NodeId>(graph.nodes().size())) order.push_back(node);
    timeline =
        make_timeline(dataflow, rules, bytes, std::move(order), update_memory(graph, {w}, update));
    const NodeId yield = NodeId(2);
    bands =
        bands_by_slot(dataflow, rules, timeline, forward_slots(timeline.order, {&yield, 1}), yield);
  }

  std::vector<std::int64_t> kibibytes(Band band) const {
    std::vector<std::int64_t> result;
    for (const BandBytes& each : bands) result.push_back(of(each, band) / 1024);
    return result;
  }

  Graph graph;
  Dataflow dataflow;
  BufferRules rules;
  Timeline timeline;
  std::vector<BandBytes> bands;
};

using Numbers = std::vector<std::int64_t>;

TEST(Bands, FollowWhatBuffersAreUsedFor) {
  const Fixture f(written_out());
  EXPECT_EQ(f.kibibytes(Band::parameters), Numbers(7, 1));
  EXPECT_EQ(f.kibibytes(Band::constants), Numbers(7, 1));
  // h lives until the Mul, which works in place; from then on its buffer holds no stash.
  EXPECT_EQ(f.kibibytes(Band::stashed), (Numbers{1, 1, 1, 1, 1, 0, 0}));
  // y, whose buffer the yield's output shares; then h_grad; then mixed and the values made from it.
  EXPECT_EQ(f.kibibytes(Band::activations), (Numbers{0, 1, 1, 2, 1, 1, 2}));
  EXPECT_EQ(f.kibibytes(Band::gradients), (Numbers{0, 0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(f.kibibytes(Band::optimizer_states), Numbers(7, 0));
  EXPECT_EQ(f.kibibytes(Band::workspace), Numbers(7, 0));
}

TEST(Bands, OptimizerStatesAreThereThroughout) {
  const Fixture f(written_out(), {"adam", false, false});
  EXPECT_EQ(f.kibibytes(Band::optimizer_states), Numbers(7, 2));
  EXPECT_EQ(f.kibibytes(Band::parameters), Numbers(7, 1));
}

TEST(Bands, AReleasedGradientIsThereWhileItIsMade) {
  const Fixture kept(written_out());
  const Fixture released(written_out(), {"none", false, true});
  EXPECT_EQ(released.kibibytes(Band::gradients), (Numbers{0, 0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(released.timeline.idle_bytes.back(), kept.timeline.idle_bytes.back() - 1024);
}

TEST(Bands, AViewOfAStashIsStashed) {
  ModelBuilder m;
  m.input("x", {16, 16}).weight("w", {16, 16}).int64s("flat", {256});
  m.node("MatMul", {"x", "w"}, {"h"});
  m.node("Transpose", {"h"}, {"y"});
  m.node("YieldOp", {"y"}, {"y_grad"}, {}, "com.microsoft");
  m.node("Reshape", {"h", "flat"}, {"view"});
  m.node("Transpose", {"y_grad"}, {"w_grad"});
  m.node("Concat", {"view", "view"}, {"last"}, {{"axis", std::int64_t{0}}});
  m.output("w_grad").output("last");
  EXPECT_EQ(Fixture(m).kibibytes(Band::stashed), (Numbers{1, 1, 1, 1, 1, 1}));
}

TEST(Bands, AddUpToTheLiveBytes) {
  for (const UpdateChoice& update : {UpdateChoice{}, UpdateChoice{"momentum", false, true},
                                     UpdateChoice{"adamw", true, false}}) {
    const Fixture f(written_out(), update);
    EXPECT_EQ(stacked(f.bands, Band::workspace), f.timeline.live_bytes) << update.optimizer;
  }
}

TEST(Bands, OfWholeBuffersAreThoseOfTheirMostImportantValue) {
  const Fixture f(written_out(), {"adam", false, false});
  const NodeId yield = NodeId(2);
  const auto bands = band_of_buffers(f.dataflow, f.rules, f.timeline,
                                     forward_slots(f.timeline.order, {&yield, 1}), yield);
  const auto band_of = [&](const char* value) {
    return bands[f.timeline.buffer_of[test::id_of(f.graph, value)]];
  };
  EXPECT_EQ(band_of("w"), Band::parameters);
  EXPECT_EQ(band_of("x"), Band::constants);
  EXPECT_EQ(band_of("h"), Band::stashed);
  EXPECT_EQ(band_of("mixed"), Band::stashed) << "it takes the buffer of h over";
  EXPECT_EQ(band_of("w_grad"), Band::gradients);
  EXPECT_EQ(band_of("y"), Band::activations);
  std::size_t states = 0;
  for (const Band band : bands) states += band == Band::optimizer_states ? 1 : 0;
  EXPECT_EQ(states, 2U);
}

TEST(Bands, OfBuffersAtASlotAddUpToTheBandsOfTheSlot) {
  const Fixture f(written_out(), {"adam", false, false});
  const NodeId yield = NodeId(2);
  const std::size_t forward = forward_slots(f.timeline.order, {&yield, 1});
  const auto expected = bands_by_slot(f.dataflow, f.rules, f.timeline, forward, yield);
  for (std::size_t slot = 0; slot < expected.size(); ++slot) {
    const auto bands = bands_at(f.dataflow, f.rules, f.timeline, forward, yield, slot);
    BandBytes sums{};
    for (const BufferId id : alive_at(f.timeline, slot)) {
      of(sums, bands[id]) += f.timeline.buffers[id].bytes;
    }
    EXPECT_EQ(sums, expected[slot]) << slot;
  }
}

TEST(Bands, StackFromTheParametersUp) {
  const std::vector<BandBytes> bands = {{1, 2, 3, 4, 5, 6, 7, 8}, {1, 1, 1, 1, 1, 1, 1, 1}};
  EXPECT_EQ(stacked(bands, Band::parameters), (Numbers{1, 1}));
  EXPECT_EQ(stacked(bands, Band::optimizer_states), (Numbers{10, 4}));
  EXPECT_EQ(stacked(bands, Band::workspace), (Numbers{36, 8}));
}

TEST(ForwardSteps, EndWithTheLastNodeThatForwardLeadsTo) {
  const std::vector<NodeId> order = {NodeId(3), NodeId(1), NodeId(0), NodeId(2)};
  EXPECT_EQ(forward_slots(order, std::vector{NodeId(1)}), 2U);
  EXPECT_EQ(forward_slots(order, std::vector{NodeId(0), NodeId(3)}), 3U);
  EXPECT_EQ(forward_slots(order, {}), 4U);
  EXPECT_EQ(forward_slots(order, std::vector{NodeId()}), 4U);
}

}  // namespace bands_test
}  // namespace stashscope
