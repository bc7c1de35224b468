#pragma once

#include <QComboBox>

#include "core/allocator/allocator_settings.h"
#include "ui/document/document.h"

namespace stashscope::ui {

/// A list to choose what must fit the planner's limits: the tensors, or the memory that PyTorch's
/// allocator reserves for them. Disabled with the reason while no allocator is chosen; the tensors
/// must fit then. The document keeps the choice meanwhile.
class FitsBox : public QComboBox {
  Q_OBJECT

 public:
  explicit FitsBox(Document& document, QWidget* parent = nullptr);

  /// As `Document::allocator_that_fits`.
  std::optional<AllocatorSettings> allocator() const { return document_.allocator_that_fits(); }
  void set_reserved(bool is_reserved);
  /// Chooses what the answer bar judges by: reserved memory, if an allocator is chosen.
  void follow_answer_bar();

 Q_SIGNALS:
  void changed();  ///< the other entry was chosen

 private:
  bool has_allocator() const;
  void show_choice();

  Document& document_;
};

}  // namespace stashscope::ui
