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

  /// The settings of the allocator whose reserved memory must fit, as chosen in the shown study;
  /// nothing: only tensors must fit.
  std::optional<AllocatorSettings> allocator() const;
  /// Chooses what the answer bar judges by: reserved memory, if an allocator is chosen.
  void follow_answer_bar();

 Q_SIGNALS:
  void changed();  ///< the user chose the other entry

 private:
  bool has_allocator() const;
  void take_entry(int entry);
  void show_choice();

  Document& document_;
};

}  // namespace stashscope::ui
