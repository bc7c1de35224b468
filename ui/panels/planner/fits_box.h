#pragma once

#include <QComboBox>

#include "ui/document/document.h"

namespace stashscope::ui {

/// A list to choose what must fit the planner's limits: the tensors, or the memory that PyTorch's
/// allocator reserves for them. While no allocator is chosen, the tensors must fit, and the list is
/// disabled and states the reason. Meanwhile the document keeps what the user chose in this list.
class FitsBox : public QComboBox {
  Q_OBJECT

 public:
  explicit FitsBox(Document& document, QWidget* parent = nullptr);

  /// Chooses reserved memory if an allocator is chosen, as the answer bar does.
  void follow_answer_bar();

  /// Whether an allocator is chosen. Without one, reserved memory is unknown.
  bool has_allocator() const;

 private:
  void show_choice();

  Document& document_;
};

}  // namespace stashscope::ui
