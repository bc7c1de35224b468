#include "ui/document/linked_selection.h"

#include <algorithm>

#include "core/study/choices/node_names.h"

namespace stashscope::ui {

namespace {

/// Finds the nodes of one graph in another graph, where their ids differ.
class NodesByName {
 public:
  NodesByName(const Graph& before, const Graph& after) : before_(before), after_(after) {}

  /// The id of the node in the other graph. Invalid for a node that the other graph lacks, and for
  /// a node that a plan added.
  NodeId node(NodeId node) const {
    const bool is_own = node.valid() && node.index() < before_.size();
    return is_own ? after_.find(before_.of(node)) : NodeId();
  }
  void replace(Selection& selection) const {
    selection.node = node(selection.node);
    for (NodeId& each : selection.nodes) each = node(each);
    std::erase_if(selection.nodes, [](NodeId each) { return !each.valid(); });
    std::ranges::sort(selection.nodes);
    if (selection.nodes.empty()) selection.title.clear();
  }

 private:
  NodeNames before_;
  NodeNames after_;
};

}  // namespace

void LinkedSelection::select_node(NodeId node, Cursor cursor) {
  if (study_ == nullptr || !slot_of_.contains(node)) return;
  const bool follows = cursor == Cursor::follows;
  current_ = {.node = node,
              .nodes = {node},
              .title = {},
              .slot = follows ? slot_of_[node] : current_.slot,
              .at_peak = follows ? false : current_.at_peak};
  Q_EMIT changed();
}

void LinkedSelection::select_nodes(std::vector<NodeId> nodes, const QString& title,
                                   std::optional<std::size_t> slot) {
  if (study_ == nullptr) return;
  if (slot) {
    current_.slot = *slot;
    current_.at_peak = false;
  }
  current_.node = NodeId();
  current_.nodes = std::move(nodes);
  current_.title = title;
  current_.tensor = ValueId();
  current_.by_cursor = false;
  Q_EMIT changed();
}

void LinkedSelection::select_tensor(ValueId tensor) {
  if (study_ == nullptr || !tensor.valid()) return;
  if (tensor.index() >= study_->graph().values().size()) return;
  current_.node = NodeId();
  current_.title = QString::fromStdString(study_->graph().value(tensor).name);
  current_.tensor = tensor;
  current_.by_cursor = false;
  mark_readers();
  Q_EMIT changed();
}

void LinkedSelection::mark_readers() {
  const auto readers = study_->current->dataflow.topology.readers[current_.tensor];
  current_.nodes.assign(readers.begin(), readers.end());
}

void LinkedSelection::select_slot(std::size_t slot) {
  if (study_ == nullptr || slot >= study_->current->timeline.order.size()) return;
  const NodeId node = study_->current->timeline.order[slot];
  current_ = {.node = node,
              .nodes = {node},
              .title = {},
              .slot = slot,
              .at_peak = false,
              .by_cursor = true};
  Q_EMIT changed();
}

void LinkedSelection::select(const Selection& selection) {
  if (study_ == nullptr) return;
  const std::size_t slots = study_->current->timeline.order.size();
  current_ = selection;
  current_.slot = std::min(current_.slot, std::max<std::size_t>(1, slots) - 1);
  if (current_.at_peak) current_.slot = study_->current->timeline.peak_slot;
  if (current_.tensor.valid()) mark_readers();
  Q_EMIT changed();
}

void LinkedSelection::select_peak() {
  if (study_ != nullptr) select_slot(study_->current->timeline.peak_slot);
}

void LinkedSelection::clear() {
  current_.node = NodeId();
  current_.nodes.clear();
  current_.title.clear();
  current_.tensor = ValueId();
  Q_EMIT changed();
}

bool LinkedSelection::is_at_peak() const {
  if (current_.at_peak || study_ == nullptr) return current_.at_peak;
  const Timeline& timeline = study_->current->timeline;
  return current_.slot < timeline.live_bytes.size() &&
         timeline.live_bytes[current_.slot] == timeline.peak_bytes;
}

NodeId LinkedSelection::node_at_cursor() const {
  if (study_ == nullptr || current_.slot >= study_->current->timeline.order.size()) return {};
  const NodeId node = study_->current->timeline.order[current_.slot];
  return study_->current->dataflow.is_clone(node) ? NodeId() : node;
}

/// Finds the selected tensor in another graph. Deselects a tensor that this graph lacks, or that
/// one of its nodes makes.
void LinkedSelection::replace_tensor(const Graph& before, const Graph& after) {
  if (!current_.tensor.valid()) return;
  const auto found = after.find_value(before.value(current_.tensor).name);
  const bool is_given = found && !after.value(*found).producer.valid();
  current_.tensor = is_given ? *found : ValueId();
  if (!is_given) current_.nodes.clear();
}

void LinkedSelection::take_study(std::shared_ptr<const Study> study) {
  // A cursor at the peak follows the peak. A cursor at another slot stays at the node that runs in
  // this slot. This node need not be the selected node.
  const bool at_peak = is_at_peak();
  NodeId under_cursor = node_at_cursor();
  const bool has_place = !current_.nodes.empty() || current_.tensor.valid() || !at_peak;
  if (has_place && study_ != nullptr && &study_->graph() != &study->graph()) {
    const NodesByName same(study_->graph(), study->graph());
    same.replace(current_);
    replace_tensor(study_->graph(), study->graph());
    under_cursor = same.node(under_cursor);
  }
  study_ = std::move(study);
  const Dataflow& dataflow = study_->current->dataflow;
  const Timeline& timeline = study_->current->timeline;
  slot_of_ = IdVector<NodeId, std::size_t>(dataflow.topology.nodes());
  for (std::size_t slot = 0; slot < timeline.order.size(); ++slot) {
    slot_of_[timeline.order[slot]] = slot;
  }
  // In the new study, the ids of clones may name other nodes.
  std::erase_if(current_.nodes, [&](NodeId id) { return dataflow.is_clone(id); });
  if (current_.node.valid() && dataflow.is_clone(current_.node)) current_.node = NodeId();
  if (current_.tensor.valid()) mark_readers();
  if (at_peak) {
    current_.slot = timeline.peak_slot;
  } else if (under_cursor.valid() && slot_of_.contains(under_cursor)) {
    current_.slot = slot_of_[under_cursor];
  }
  current_.slot = std::min(current_.slot, std::max<std::size_t>(1, timeline.order.size()) - 1);
}

}  // namespace stashscope::ui
