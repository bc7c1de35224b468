#include "core/memory/node_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "core/recompute/forward_nodes.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace node_memory_test {

std::vector<std::shared_ptr<const Study>> studies() {
  std::vector<std::shared_ptr<const Study>> all;
  for (const int level : {0, 1, 2}) {
    all.push_back(test::study_of(test::named(test::blocks(4)), level));
    all.push_back(test::study_of(test::named(test::deep_perceptron(6)), level));
    for (unsigned seed = 1; seed <= 5; ++seed) {
      all.push_back(test::study_of(test::named(test::random_model(seed, 60)), level));
    }
  }
  return all;
}

TEST(NodeMemory, AddsUpToTheTimeline) {
  for (const auto& study : studies()) {
    const Timeline& timeline = study->current->timeline;
    const Dataflow& dataflow = study->current->dataflow;
    const auto is_forward = forward_nodes(study->graph(), dataflow, *study->opportunities);
    const auto memory =
        node_memory(dataflow, timeline, stashed_values(dataflow, is_forward, timeline));
    const NodeMemory all = std::accumulate(memory.begin(), memory.end(), NodeMemory());
    std::int64_t persistent = 0;
    std::int64_t made = 0;
    for (const Buffer& buffer : timeline.buffers)
      (buffer.persistent ? persistent : made) += buffer.bytes;
    EXPECT_EQ(all.bytes, made);
    // Live bytes summed over all slots equal the nodes' bytes times their lifetimes.
    double alive = 0;
    for (const std::int64_t live : timeline.live_bytes)
      alive += static_cast<double>(live - persistent);
    EXPECT_EQ(all.byte_slots, alive);
    for (const NodeMemory& each : memory) {
      EXPECT_LE(each.stashed_bytes, each.bytes);
      EXPECT_LE(average_slots(each), static_cast<double>(timeline.order.size()));
    }
  }
}

TEST(NodeMemory, OfNothingHasNoAverage) { EXPECT_EQ(average_slots({}), 0); }

std::vector<StashedValue> stashes_before(const Study& study) {
  return stashed_values(
      study.baseline->dataflow,
      forward_nodes(study.graph(), study.baseline->dataflow, *study.opportunities),
      study.baseline->timeline);
}

/// The analysis excludes values that the boundary itself hands over. The rules of 2023.11 also
/// exclude values that forward makes for backward only.
bool is_analysed(const Study& study, const StashedValue& stash) {
  if (stash.producer == study.prepared->step.boundary.yield) return false;
  const auto readers = study.baseline->dataflow.topology.readers[stash.value];
  return rules_of(study.choices.plans.search.reference).stashes_unread_in_forward ||
         std::any_of(readers.begin(), readers.end(),
                     [&](NodeId reader) { return study.opportunities->is_forward(reader); });
}

void expect_the_stashes_of_the_analysis(const Study& study) {
  std::vector<ValueId> found;
  for (const StashedValue& stash : stashes_before(study)) {
    EXPECT_FALSE(stash.readers.empty());
    if (is_analysed(study, stash)) found.push_back(stash.value);
  }
  std::vector<ValueId> stashed = study.opportunities->stashed;
  std::sort(stashed.begin(), stashed.end());
  EXPECT_TRUE(found == stashed) << found.size() << " instead of " << stashed.size();
}

TEST(FindStashes, AreTheStashedValuesOfTheAnalysis) {
  for (const auto& study : studies()) {
    expect_the_stashes_of_the_analysis(*study);
    Choices older = study->choices;
    older.plans.search.reference = Reference::november_2023;
    expect_the_stashes_of_the_analysis(
        *compute_study(study->model, older, study.get(), Progress()));
  }
}

TEST(FindStashes, CountSharedBuffersOnce) {
  for (const auto& study : studies()) {
    std::int64_t bytes = 0;
    std::vector<ValueId> values;
    for (const StashedValue& stash : stashes_before(*study)) {
      bytes += stash.bytes;
      values.push_back(stash.value);
    }
    EXPECT_EQ(bytes, stashed_bytes(study->baseline->timeline, values));
  }
}

TEST(FindStashes, AnAliasOfAStashAddsNothing) {
  test::ModelBuilder m;
  m.input("x", {64, 4}).weight("w", {4, 4});
  m.node("MatMul", {"x", "w"}, {"h"}).node("Tanh", {"h"}, {"t"});
  m.node("Reshape", {"t", "dims"}, {"r"}).int64s("dims", {32, 8});
  m.node("Mul", {"r", "r"}, {"s"}).node("Mul", {"t", "t"}, {"u"});
  m.node("ReduceMean", {"s"}, {"a"}, {{"keepdims", std::int64_t{0}}});
  m.node("ReduceMean", {"u"}, {"b"}, {{"keepdims", std::int64_t{0}}});
  m.node("Add", {"a", "b"}, {"loss"}).output("loss");
  Choices choices;
  const auto study = compute_study(test::named(m), choices, nullptr, Progress());
  std::map<std::string, std::int64_t> bytes;
  for (const StashedValue& stash : stashes_before(*study)) {
    bytes[study->graph().value(stash.value).name] = stash.bytes;
  }
  ASSERT_TRUE(bytes.contains("t") && bytes.contains("r"));
  EXPECT_EQ(bytes["t"] + bytes["r"], 64 * 4 * 4);
}

TEST(FindStashes, RecomputingFreesThem) {
  const auto bytes_of = [](const Study& study) {
    std::int64_t bytes = 0;
    for (const StashedValue& stash :
         stashed_values(study.current->dataflow,
                        forward_nodes(study.graph(), study.current->dataflow, *study.opportunities),
                        study.current->timeline)) {
      bytes += stash.bytes;
    }
    return bytes;
  };
  const auto model = test::named(test::deep_perceptron(6));
  EXPECT_LT(bytes_of(*test::study_of(model, 1)), bytes_of(*test::study_of(model, 0)));
}

}  // namespace node_memory_test
}  // namespace stashscope
