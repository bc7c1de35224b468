// Copies that overlap with nodes, on a step small enough to work out its times by hand.

#include "core/planner/copy_overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/ops/families/standard_ops.h"
#include "core/passes/infer_shapes.h"
#include "core/schedule/fusion/fusions.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace copy_overlap_test {

/// F1 makes a, which F2 and B1 read; F2 makes c, which F3 reads, and B2 if `reads_c` is set. All
/// other values are read by the next node. Each node takes 2 s, each copy 3 s.
struct Chain {
  explicit Chain(bool reads_c = false) : graph(model(reads_c)), dataflow(graph) {
    bytes = IdVector<ValueId, std::int64_t>(graph.values().size(), 10);
    bytes[value("x")] = 0;
    bytes[value("a")] = 100;
    for (std::size_t i = 0; i < 8; ++i) order.push_back(NodeId(i));
    offload("a", "make_c", "make_y");
    if (reads_c) offload("c", "make_f3", "make_b2");
  }

  static Graph model(bool reads_c) {
    test::ModelBuilder m;
    m.input("x", {4, 4});
    m.node("Transpose", {"x"}, {"a"}).node("Transpose", {"a"}, {"c"});
    m.node("Transpose", {"c"}, {"f3"}).node("Transpose", {"f3"}, {"f4"});
    m.node("Transpose", {"f4"}, {"b4"}).node("Transpose", {"b4"}, {"b3"});
    m.node("MatMul", {"b3", reads_c ? "c" : "b3"}, {"b2"}).node("MatMul", {"b2", "a"}, {"y"});
    return infer_shapes(m.output("y").build());
  }

  ValueId value(const std::string& name) const { return test::id_of(graph, name); }
  NodeId node(const std::string& name) const { return graph.find_node(name).value(); }

  NodeId add(AddedKind kind, ValueId input, ValueId original) {
    Topology& topology = dataflow.topology;
    const NodeId id(dataflow.graph_nodes + dataflow.kinds.size());
    dataflow.cloned_nodes.push_back(graph.value(original).producer);
    dataflow.kinds.push_back(kind);
    topology.inputs.start_row();
    topology.inputs.push(input);
    topology.outputs.start_row();
    topology.outputs.push(ValueId(dataflow.graph_values + dataflow.cloned_values.size()));
    dataflow.cloned_values.push_back(original);
    const bool is_away = kind == AddedKind::offload;
    dataflow.forms.push_back(is_away ? StoredForm{ElementType::undefined, 0} : StoredForm());
    return id;
  }

  /// Offloads a value after its last forward reader and fetches it before its backward reader.
  void offload(const std::string& name, const std::string& after, const std::string& before) {
    const ValueId original = value(name);
    const NodeId away = add(AddedKind::offload, original, original);
    const ValueId on_host = dataflow.topology.outputs[away][0];
    const NodeId back = add(AddedKind::fetch, on_host, original);
    const ValueId fetched = dataflow.topology.outputs[back][0];
    std::ranges::replace(dataflow.topology.inputs.row(node(before)), original, fetched);
    dataflow.topology.connect(dataflow.graph_values + dataflow.cloned_values.size());
    order.insert(std::ranges::find(order, node(after)) + 1, away);
    order.insert(std::ranges::find(order, node(before)), back);
  }

  NodeTimes seconds() const {
    NodeTimes times(dataflow.topology.nodes(), 2);
    for (const NodeId each : order) times[each] = is_copy(dataflow, each) ? 3 : 2;
    return times;
  }

  Timeline timeline(const std::vector<NodeId>& nodes, const CopySchedule* copies) const {
    const BufferRules rules = buffer_rules(graph, resolve_ops(graph), {}, {});
    const UpdateMemory no_update;
    const IdVector<NodeId, std::int64_t> no_workspace(graph.nodes().size(), 0);
    return make_timeline(dataflow, {rules, bytes, no_update, no_workspace, nullptr, copies}, nodes);
  }

  /// Lets the copies overlap. Checks that the peak stays.
  /// With another size of a tensor.
  void overlap_with(const std::string& name, std::int64_t size) {
    bytes[value(name)] = size;
    overlap();
  }
  void overlap() {
    const Timeline serial = timeline(order, nullptr);
    step = overlap_copies(dataflow, serial, {}, seconds());
    EXPECT_EQ(timeline(step.order, &step.copies).peak_bytes, serial.peak_bytes);
    slots = overlapped_slot_seconds(dataflow, step.order, step.copies, seconds());
  }

  double total() const { return std::accumulate(slots.begin(), slots.end(), 0.0); }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const NodeId each : step.order) all.push_back(name_of(graph, dataflow, each));
    return all;
  }
  /// The node until which a copy of a value runs.
  std::string until(AddedKind kind, const std::string& name) const {
    for (const auto& [copy, last] : step.copies.copies) {
      const bool is_it = dataflow.kind(copy) == kind &&
                         dataflow.origin(dataflow.topology.outputs[copy][0]) == value(name);
      if (is_it) return name_of(graph, dataflow, last);
    }
    return "";
  }

  Graph graph;
  Dataflow dataflow;
  IdVector<ValueId, std::int64_t> bytes;
  std::vector<NodeId> order;  ///< without overlap
  OverlappedOrder step;
  std::vector<double> slots;
};

using Names = std::vector<std::string>;

// Without overlap: F1 F2 offload F3 F4 B4 B3 B2 fetch B1 takes 8 * 2 s + 2 * 3 s = 22 s. The peak
// is 120 B, at B1: b2, a and y.
//
// With overlap: F1 0-2, F2 2-4; the copy to the host runs from 4 to 7, beside F3 (4-6) and F4
// (6-8), so that a is held until F4 ends. While F3 and F4 run, 100 + 10 + 10 = 120 B are live, the
// peak. B4 8-10, B3 10-12, B2 12-14, B1 14-16. The copy back must begin at 14 - 3 = 11 at the
// latest; the last node that starts by then is B3, at 10. From there on, 100 + 10 + 10 = 120 B are
// live. No node waits: 16 s.
TEST(CopyOverlap, HidesBothCopiesWhereTheLinkAndThePeakLeaveRoom) {
  Chain chain;
  chain.overlap();
  EXPECT_EQ(chain.names(), (Names{"make_a", "make_c", "make_a_offload", "make_f3", "make_f4",
                                  "make_b4", "make_a_fetch", "make_b3", "make_b2", "make_y"}));
  EXPECT_EQ(chain.until(AddedKind::offload, "a"), "make_f4");
  EXPECT_EQ(chain.until(AddedKind::fetch, "a"), "make_y");
  EXPECT_EQ(chain.slots, (std::vector<double>{2, 2, 0, 2, 2, 2, 0, 2, 2, 2}));
}

// f4 has 200 B, so that F4 and B4 are the peak of 210 B, and a must be gone before F4. F4 waits
// from 6 until the copy ends at 7: 17 s.
TEST(CopyOverlap, WaitsForACopyToTheHostWhereThePeakLeavesNoRoom) {
  Chain chain;
  chain.overlap_with("f4", 200);
  EXPECT_EQ(chain.until(AddedKind::offload, "a"), "make_f3");
  EXPECT_EQ(chain.slots, (std::vector<double>{2, 2, 0, 3, 2, 2, 0, 2, 2, 2}));
}

// b3 has 200 B, so that B3 and B2 are the peak of 210 B, and a cannot be there before B1. B1 waits
// 3 s: 19 s.
TEST(CopyOverlap, FetchesLaterWhereThePeakLeavesNoRoom) {
  Chain chain;
  chain.overlap_with("b3", 200);
  EXPECT_EQ(chain.names(), (Names{"make_a", "make_c", "make_a_offload", "make_f3", "make_f4",
                                  "make_b4", "make_b3", "make_b2", "make_a_fetch", "make_y"}));
  EXPECT_DOUBLE_EQ(chain.slots.back(), 5);
  EXPECT_DOUBLE_EQ(chain.total(), 19);
}

// y has 1000 B, so that memory limits nothing. Without overlap: 8 * 2 s + 4 * 3 s = 28 s.
// To the host: a from 4 to 7, c from 7 to 10, after a. c is held until B4, which ends at 10, and
// can be fetched from then on: from 10 to 13, so that B2 waits from 12 to 13. a is fetched from 13
// to 16, so that B1 waits from 15 to 16: 18 s. Its fetch need not begin before B2, because the link
// is not free earlier.
TEST(CopyOverlap, MakesTheCopiesOfOneDirectionOneAfterTheOther) {
  Chain chain(true);
  chain.overlap_with("y", 1000);
  EXPECT_EQ(chain.names(),
            (Names{"make_a", "make_c", "make_a_offload", "make_f3", "make_c_offload", "make_f4",
                   "make_b4", "make_c_fetch", "make_b3", "make_a_fetch", "make_b2", "make_y"}));
  EXPECT_EQ(chain.until(AddedKind::offload, "a"), "make_f4");
  EXPECT_EQ(chain.until(AddedKind::offload, "c"), "make_b4");
  EXPECT_EQ(chain.slots, (std::vector<double>{2, 2, 0, 2, 0, 2, 2, 0, 2, 0, 3, 3}));
}

// Some orders run a forward node late: here F4 reads a after the offload. It could write over a, so
// that the step waits 3 s for the copy to the host, after F2. The copy back takes no further time.
TEST(CopyOverlap, WaitsForACopyOfATensorThatOtherNodesUseLater) {
  Chain chain;
  std::ranges::replace(chain.dataflow.topology.inputs.row(chain.node("make_f4")), chain.value("f3"),
                       chain.value("a"));
  chain.dataflow.topology.connect(chain.dataflow.topology.values());
  chain.overlap();
  EXPECT_EQ(chain.until(AddedKind::offload, "a"), "make_a_offload");
  EXPECT_EQ(chain.slots, (std::vector<double>{2, 2, 3, 2, 2, 2, 0, 2, 2, 2}));
}

// Without overlap, a (100 B) is on the host until its fetch before B1, c (10 B) until its fetch
// before B2. With overlap, both are there while B4 runs, too.
TEST(CopyOverlap, CountsTheBytesOnTheHost) {
  Chain one;
  EXPECT_EQ(host_peak_bytes(one.dataflow, one.bytes, one.order, {}), 100);
  Chain two(true);
  EXPECT_EQ(host_peak_bytes(two.dataflow, two.bytes, two.order, {}), 110);
  two.bytes[two.value("y")] = 1000;
  two.overlap();
  EXPECT_EQ(host_peak_bytes(two.dataflow, two.bytes, two.step.order, two.step.copies), 110);
  EXPECT_EQ(host_peak_bytes(Dataflow(two.graph), two.bytes, {}, {}), 0);
}

}  // namespace copy_overlap_test
}  // namespace stashscope
