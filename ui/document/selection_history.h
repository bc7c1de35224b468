#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "ui/document/document.h"

namespace stashscope::ui {

/// The selections of nodes and groups in the order in which they were made. The user can go back
/// and forward among them. Consecutive moves of the memory cursor from slot to slot count as one
/// selection. The history is cleared when another model is opened, and when a choice, such as a
/// pass or a what-if, changes the nodes of the graph.
class SelectionHistory : public QObject {
  Q_OBJECT

 public:
  static constexpr std::size_t most_places = 100;

  explicit SelectionHistory(Document& document, QObject* parent = nullptr);

  bool has_earlier() const { return at_ > 0; }
  bool has_later() const { return at_ + 1 < places_.size(); }
  /// Restores the previous or the next selection of the history, including the slot of the memory
  /// cursor. Does nothing if there is no such selection.
  void go_back();
  void go_forward();

 Q_SIGNALS:
  void changed();  ///< `has_earlier` or `has_later` may have changed
  void walked();   ///< a selection of the history was restored

 private:
  void clear();
  void take_study();
  std::size_t first_slot(const std::vector<NodeId>& nodes) const;
  void record();
  void go_to(std::size_t place);

  Document& document_;
  std::vector<Selection> places_;      // oldest first
  std::size_t at_ = 0;                 // index of the selection that was recorded or restored last
  std::optional<std::uint64_t> step_;  // fingerprint of the step that `places_` belongs to
};

}  // namespace stashscope::ui
