#include "ui/document/selection_history.h"

#include <algorithm>

namespace stashscope::ui {

namespace {

bool has_same_nodes(const Selection& a, const Selection& b) {
  return a.node == b.node && a.nodes == b.nodes && a.tensor == b.tensor;
}

/// Whether `next` replaces `last` in the history, instead of following it.
bool replaces(const Selection& next, const Selection& last) {
  return has_same_nodes(next, last) || (next.by_cursor && last.by_cursor);
}

}  // namespace

SelectionHistory::SelectionHistory(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  connect(&document_, &Document::opened, this, &SelectionHistory::clear);
  connect(&document_, &Document::study_changed, this, &SelectionHistory::take_study);
  connect(&document_.selection(), &LinkedSelection::changed, this, &SelectionHistory::record);
}

void SelectionHistory::clear() {
  places_.clear();
  at_ = 0;
  Q_EMIT changed();
}

/// Adapts the recorded selections to a new study: removes clones, whose ids may name other nodes in
/// this study, and finds the slots of the nodes again. Clears the history if the nodes of the graph
/// have changed.
void SelectionHistory::take_study() {
  const Study& study = *document_.study();
  if (std::exchange(step_, study.prepared->fingerprint) != study.prepared->fingerprint) {
    return clear();
  }
  const Dataflow& dataflow = study.current->dataflow;
  std::vector<Selection> kept;
  std::size_t at = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Selection& place = places_[i];
    std::erase_if(place.nodes, [&](NodeId id) { return dataflow.is_clone(id); });
    if (place.node.valid() && dataflow.is_clone(place.node)) place.node = NodeId();
    if (!place.at_peak && !place.tensor.valid()) place.slot = first_slot(place.nodes);
    if (!place.nodes.empty() || place.tensor.valid()) kept.push_back(std::move(place));
    if (i == at_) at = kept.empty() ? 0 : kept.size() - 1;
  }
  places_ = std::move(kept);
  at_ = at;
  Q_EMIT changed();
}

std::size_t SelectionHistory::first_slot(const std::vector<NodeId>& nodes) const {
  std::size_t first = document_.study()->current->timeline.order.size();
  for (const NodeId node : nodes) first = std::min(first, document_.selection().slot_of(node));
  return first;
}

void SelectionHistory::record() {
  const Selection& selected = document_.selection().current();
  if (selected.nodes.empty() && !selected.tensor.valid()) return;
  if (at_ < places_.size() && replaces(selected, places_[at_])) {
    places_[at_] = selected;
    return;
  }
  if (has_later()) places_.resize(at_ + 1);
  places_.push_back(selected);
  if (places_.size() > most_places) places_.erase(places_.begin());
  at_ = places_.size() - 1;
  Q_EMIT changed();
}

void SelectionHistory::go_back() {
  if (has_earlier()) go_to(at_ - 1);
}

void SelectionHistory::go_forward() {
  if (has_later()) go_to(at_ + 1);
}

void SelectionHistory::go_to(std::size_t place) {
  at_ = place;
  // A copy, because `select` causes a call of `record`, which changes `places_`.
  const Selection selected = places_[place];
  document_.selection().select(selected);
  Q_EMIT changed();
  Q_EMIT walked();
}

}  // namespace stashscope::ui
