#include "core/study/facts/data_tables.h"

#include <algorithm>

#include "core/base/csv.h"
#include "core/study/choices/node_names.h"
#include "core/study/facts/plan_facts.h"

namespace stashscope {

namespace {

/// The buffers that one node allocates.
struct Allocated {
  std::int64_t bytes = 0;
  std::uint32_t first_slot = 0;
  std::uint32_t last_slot = 0;
};

std::string number_text(std::size_t number) { return std::to_string(number); }

std::string node_name(const Study& study, const Variant& variant, NodeId node) {
  return shown_name(study.graph(), variant.dataflow, node);
}

const std::string& op_type_of(const Study& study, const Variant& variant, NodeId node) {
  return study.graph().node(variant.dataflow.origin(node)).op_type;
}

void add_slots(std::string& table, const std::string& step, const Study& study,
               const Variant& variant) {
  const Timeline& timeline = variant.timeline;
  for (std::size_t slot = 0; slot < timeline.order.size(); ++slot) {
    const NodeId node = timeline.order[slot];
    std::vector<std::string> fields = {step, number_text(slot + 1), node_name(study, variant, node),
                                       op_type_of(study, variant, node),
                                       std::to_string(timeline.live_bytes[slot])};
    for (const std::int64_t bytes : variant.bands[slot]) fields.push_back(std::to_string(bytes));
    table += csv_record(fields);
  }
}

std::vector<Allocated> allocated_by_slot(const Variant& variant) {
  const Timeline& timeline = variant.timeline;
  IdVector<NodeId, std::size_t> slot_of(variant.dataflow.topology.nodes());
  std::vector<Allocated> allocated(timeline.order.size());
  for (std::size_t slot = 0; slot < timeline.order.size(); ++slot) {
    slot_of[timeline.order[slot]] = slot;
    const auto own = static_cast<std::uint32_t>(slot);
    allocated[slot] = {0, own, own};
  }
  for (const Buffer& buffer : timeline.buffers) {
    const NodeId maker = buffer.state ? NodeId() : variant.dataflow.topology.producer[buffer.root];
    if (!maker.valid() || buffer.persistent) continue;
    Allocated& own = allocated[slot_of[maker]];
    own.bytes += buffer.bytes;
    own.first_slot = std::min(own.first_slot, buffer.first_slot);
    own.last_slot = std::max(own.last_slot, buffer.last_slot);
  }
  return allocated;
}

/// Adds the node and the live bytes of a slot, or two empty fields after the last slot.
void add_side(std::vector<std::string>& fields, const Study& study, std::size_t slot) {
  const Timeline& timeline = study.current->timeline;
  const bool ended = slot >= timeline.order.size();
  fields.push_back(ended ? "" : node_name(study, *study.current, timeline.order[slot]));
  fields.push_back(ended ? "" : std::to_string(timeline.live_bytes[slot]));
}

}  // namespace

std::string curve_table(const Study& study) {
  std::vector<std::string> titles = {"step", "slot", "node", "operator", "bytes"};
  for (std::size_t i = 0; i < band_count; ++i) {
    titles.emplace_back(name_of(static_cast<Band>(i)));
  }
  std::string table = csv_record(titles);
  add_slots(table, "without plans", study, *study.baseline);
  add_slots(table, "now", study, *study.current);
  return table;
}

std::string icicle_table(const MemoryTree& tree, const std::vector<std::int64_t>& bytes,
                         std::uint32_t top) {
  std::string table = csv_record({"path", "level", "bytes"});
  std::vector<bool> inside(tree.nodes.size());
  for (std::uint32_t node = top; node < tree.nodes.size(); ++node) {
    inside[node] = node == top || inside[tree.nodes[node].parent];
    if (!inside[node] || bytes[node] == 0) continue;
    table += csv_record({node == 0 ? "(all)" : path_in_tree(tree, node),
                         std::to_string(tree.nodes[node].depth), std::to_string(bytes[node])});
  }
  return table;
}

std::string node_table(const Study& study) {
  const Variant& variant = *study.current;
  const std::vector<Allocated> allocated = allocated_by_slot(variant);
  std::string table = csv_record(
      {"slot", "node", "operator", "module", "bytes", "first slot alive", "last slot alive"});
  for (std::size_t slot = 0; slot < allocated.size(); ++slot) {
    const NodeId node = variant.timeline.order[slot];
    const Allocated& own = allocated[slot];
    table += csv_record({number_text(slot + 1), node_name(study, variant, node),
                         op_type_of(study, variant, node),
                         layer_of(study.graph(), variant.dataflow.origin(node)),
                         std::to_string(own.bytes), number_text(own.first_slot + std::size_t{1}),
                         number_text(own.last_slot + std::size_t{1})});
  }
  return table;
}

std::string comparison_table(const Study& left, const Study& right) {
  std::string table = csv_record({"slot", "left node", "left bytes", "right node", "right bytes"});
  const std::size_t slots =
      std::max(left.current->timeline.order.size(), right.current->timeline.order.size());
  for (std::size_t slot = 0; slot < slots; ++slot) {
    std::vector<std::string> fields = {number_text(slot + 1)};
    add_side(fields, left, slot);
    add_side(fields, right, slot);
    table += csv_record(fields);
  }
  return table;
}

}  // namespace stashscope
