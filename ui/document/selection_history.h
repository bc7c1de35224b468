#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "ui/document/document.h"

namespace stashscope::ui {

/// The nodes and groups that were selected one after the other, to walk back and forward in them.
/// Steps of the memory cursor from slot to slot count as one selection. Another model, or passes
/// that change the graph's nodes, clear the history.
class SelectionHistory : public QObject {
  Q_OBJECT

 public:
  static constexpr std::size_t most_places = 100;

  explicit SelectionHistory(Document& document, QObject* parent = nullptr);

  bool has_earlier() const { return at_ > 0; }
  bool has_later() const { return at_ + 1 < places_.size(); }
  /// Selects what was selected before, with the memory cursor where it was then. Does nothing if
  /// there is no such place.
  void go_back();
  void go_forward();

 Q_SIGNALS:
  void changed();  ///< there is a place more or less to go to
  void walked();   ///< a place of the history was selected

 private:
  void clear();
  void take_study();
  std::size_t first_slot(const std::vector<NodeId>& nodes) const;
  void record();
  void go_to(std::size_t place);

  Document& document_;
  std::vector<Selection> places_;      // oldest first
  std::size_t at_ = 0;                 // index of the place that was selected last
  std::optional<std::uint64_t> step_;  // fingerprint of the step that the places belong to
};

}  // namespace stashscope::ui
