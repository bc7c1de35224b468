#pragma once

#include <QObject>
#include <memory>
#include <optional>

#include "core/study/step/study.h"
#include "ui/document/selection.h"

namespace stashscope::ui {

/// The selection that all views share. Each view sets the selection, and updates itself on
/// `changed`. Without a study, requests to select are ignored.
class LinkedSelection : public QObject {
  Q_OBJECT

 public:
  /// Whether the memory cursor moves to the slot of a selected node.
  enum class Cursor { follows, stays };

  using QObject::QObject;

  const Selection& current() const { return current_; }
  NodeId node() const { return current_.node; }
  const std::vector<NodeId>& nodes() const { return current_.nodes; }
  const QString& title() const { return current_.title; }
  /// Slot of the memory cursor.
  std::size_t slot() const { return current_.slot; }
  /// Slot of a node in the current order.
  /// @pre the study has the node
  std::size_t slot_of(NodeId node) const { return slot_of_[node]; }

  /// Ignores a node that the study does not have.
  void select_node(NodeId node, Cursor cursor = Cursor::follows);
  /// @param title names the group or plan of these nodes
  /// @param slot the memory cursor moves to this slot; without a slot, the cursor stays
  void select_nodes(std::vector<NodeId> nodes, const QString& title,
                    std::optional<std::size_t> slot = std::nullopt);
  /// Selects a tensor that no node makes, and marks its readers. The memory cursor stays. Ignores a
  /// tensor that the study does not have.
  void select_tensor(ValueId tensor);
  /// Moves the memory cursor to a slot and selects the node that runs in this slot. Ignores a slot
  /// that the step does not have.
  void select_slot(std::size_t slot);
  /// Moves the memory cursor to the slot at the peak and selects the node that runs in this slot.
  void select_peak();
  /// Restores an earlier selection, including the slot of the memory cursor.
  /// @pre the study has the nodes
  void select(const Selection& selection);
  /// Selects no node; the memory cursor stays.
  void clear();

  /// Clears the selection and puts the cursor at the peak. Emits no signal, because a call of
  /// `take_study` follows.
  void reset() { current_ = Selection(); }
  /// Adapts the selection to a new study. Emits no signal, because the views must take the study
  /// first. A call of `announce` then makes the views show the selection.
  void take_study(std::shared_ptr<const Study> study);
  void announce() { Q_EMIT changed(); }

 Q_SIGNALS:
  void changed();

 private:
  bool is_at_peak() const;
  /// Marks the readers of the selected tensor.
  void mark_readers();
  void replace_tensor(const Graph& before, const Graph& after);
  /// The node that runs in the cursor's slot; invalid for a clone, whose id means nothing in
  /// another study.
  NodeId node_at_cursor() const;

  std::shared_ptr<const Study> study_;
  IdVector<NodeId, std::size_t> slot_of_;
  Selection current_;
};

}  // namespace stashscope::ui
