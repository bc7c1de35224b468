#include "core/memory/timeline.h"
#include "core/ops/families/standard_ops.h"

#include <gtest/gtest.h>

#include "core/passes/infer_shapes.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace timeline_test {

using test::ModelBuilder;

/// The timeline of a model in file order. Unless stated otherwise, every tensor is float32[256],
/// 1 KiB.
struct Fixture {
  explicit Fixture(const ModelBuilder& model, const std::vector<std::string>& parameters = {})
      : graph(infer_shapes(model.build())), dataflow(graph) {
    std::vector<ValueId> ids;
    for (const auto& name : parameters) ids.push_back(test::id_of(graph, name));
    const BufferRules rules = buffer_rules(graph, resolve_ops(graph), ids, {});
    std::vector<ValueId> unknown;
    const auto bytes = value_bytes(graph, Bindings(graph.symbols().size()), unknown);
    std::vector<NodeId> order;
    for (const NodeId node : IdRange<NodeId>(graph.nodes().size())) order.push_back(node);
    timeline = make_timeline(dataflow, rules, bytes, std::move(order));
  }
  BufferId buffer(const std::string& name) const {
    return timeline.buffer_of[test::id_of(graph, name)];
  }
  std::vector<std::int64_t> kibibytes() const {
    std::vector<std::int64_t> result;
    for (const std::int64_t live : timeline.live_bytes) result.push_back(live / 1024);
    return result;
  }

  Graph graph;
  Dataflow dataflow;
  Timeline timeline;
};

TEST(Timeline, ValuesLiveFromTheirProducerToTheirLastReader) {
  // Transpose is never in place: x lives throughout, a until slot 1, b until slot 2.
  const Fixture f(ModelBuilder()
                      .input("x", {16, 16})
                      .node("Transpose", {"x"}, {"a"})
                      .node("Transpose", {"a"}, {"b"})
                      .node("Transpose", {"b"}, {"y"})
                      .output("y"));
  EXPECT_EQ(f.kibibytes(), (std::vector<std::int64_t>{2, 3, 3}));
  EXPECT_EQ(f.timeline.peak_bytes, 3 * 1024);
  EXPECT_EQ(f.timeline.peak_slot, 1U);
}

TEST(Timeline, AValueNobodyReadsIsFreedWhenItsProducerEnds) {
  const Fixture f(ModelBuilder()
                      .input("x", {16, 16})
                      .node("Transpose", {"x"}, {"unused"})
                      .node("Transpose", {"x"}, {"y"})
                      .output("y"));
  EXPECT_EQ(f.kibibytes(), (std::vector<std::int64_t>{2, 2}));
}

TEST(Timeline, GraphOutputsLiveToTheEnd) {
  const Fixture f(ModelBuilder()
                      .input("x", {16, 16})
                      .node("Transpose", {"x"}, {"early"})
                      .node("Transpose", {"x"}, {"a"})
                      .node("Transpose", {"a"}, {"y"})
                      .output("early")
                      .output("y"));
  EXPECT_EQ(f.kibibytes(), (std::vector<std::int64_t>{2, 3, 4}));
}

TEST(Timeline, AliasesShareTheirInputsBuffer) {
  const Fixture f(ModelBuilder()
                      .input("x", {16, 16})
                      .int64s("shape", {256})
                      .node("Transpose", {"x"}, {"a"})
                      .node("Reshape", {"a", "shape"}, {"flat"})
                      .node("Softmax", {"flat"}, {"y"})
                      .output("y"));
  EXPECT_EQ(f.buffer("flat"), f.buffer("a"));
  // The Reshape extends the lifetime of a to the Softmax, which then takes over the buffer.
  EXPECT_EQ(f.buffer("y"), f.buffer("a"));
  EXPECT_EQ(f.timeline.live_bytes.back(), 2 * 1024 + 8);
}

TEST(Timeline, InPlaceOnlyWhereTheInputDies) {
  const Fixture f(ModelBuilder()
                      .input("x", {16, 16})
                      .node("Relu", {"x"}, {"a"})
                      .node("Relu", {"a"}, {"b"})
                      .node("Relu", {"b"}, {"c"})
                      .node("Add", {"b", "c"}, {"y"})
                      .output("y"));
  EXPECT_NE(f.buffer("a"), f.buffer("x")) << "graph inputs are never overwritten";
  EXPECT_EQ(f.buffer("b"), f.buffer("a"));
  EXPECT_NE(f.buffer("c"), f.buffer("b")) << "b is read again";
  EXPECT_EQ(f.buffer("y"), f.buffer("b"));
}

TEST(Timeline, NotInPlaceWhenTheNodeReadsTheBufferTwice) {
  const Fixture f(ModelBuilder()
                      .input("x", {16, 16})
                      .node("Relu", {"x"}, {"a"})
                      .node("Mul", {"a", "a"}, {"y"})
                      .output("y"));
  EXPECT_NE(f.buffer("y"), f.buffer("a"));
}

TEST(Timeline, NotInPlaceWhenTheShapesDiffer) {
  const Fixture f(ModelBuilder()
                      .input("x", {1, 16})
                      .input("z", {16, 16})
                      .node("Relu", {"x"}, {"row"})
                      .node("Add", {"row", "z"}, {"y"})
                      .output("y"));
  EXPECT_NE(f.buffer("y"), f.buffer("row"));
}

TEST(Timeline, ParametersAndConstantsAreThereThroughout) {
  const Fixture f(ModelBuilder()
                      .input("x", {16, 16})
                      .weight("w", {16, 16})
                      .node("MatMul", {"x", "w"}, {"y"})
                      .output("y"),
                  {"w"});
  EXPECT_EQ(f.kibibytes(), (std::vector<std::int64_t>{3}));
  EXPECT_TRUE(f.timeline.buffers[f.buffer("w")].persistent);
}

TEST(Timeline, AliveAtAStepListsTheLargestFirst) {
  const Fixture f(ModelBuilder()
                      .input("x", {16, 16})
                      .node("Concat", {"x", "x"}, {"wide"}, {{"axis", std::int64_t{1}}})
                      .node("Transpose", {"wide"}, {"y"})
                      .output("y"));
  const auto alive = alive_at(f.timeline, 0);
  ASSERT_EQ(alive.size(), 2U);
  EXPECT_EQ(alive[0], f.buffer("wide"));
}

TEST(Timeline, AGraphWithoutNodesHasItsInputsOnly) {
  const Fixture f(ModelBuilder().input("x", {16, 16}).output("x"));
  EXPECT_EQ(f.timeline.peak_bytes, 1024);
}

TEST(Timeline, FourBitElementsArePacked) {
  EXPECT_EQ(packed_bytes(ElementType::int4, 3), 2);
  EXPECT_EQ(packed_bytes(ElementType::float16, 3), 6);
  EXPECT_THROW(packed_bytes(ElementType::float64, std::int64_t{1} << 60), Error);
}

}  // namespace timeline_test
}  // namespace stashscope
