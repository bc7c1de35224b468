#pragma once

#include "ui/widgets/amount_field.h"
#include "ui/window/choice_menu.h"

namespace stashscope::ui {

/// A menu to choose the device into whose memory the step must fit. It also has a field for another
/// memory size, a submenu for the part of the memory that the step must leave free, and the choices
/// for offloaded tensors: whether their copies overlap with nodes, and how much memory of the host
/// they may take.
class FitDeviceMenu : public ChoiceMenu {
  Q_OBJECT

 public:
  explicit FitDeviceMenu(Document& document, QWidget* parent = nullptr);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  /// A field for an amount of memory. An empty field means that no amount is chosen.
  struct Amount {
    std::optional<std::int64_t> TimeChoices::*choice;
    QString object_name;  ///< of the field; the menu entry has this name plus `_entry`
    QString label;        ///< with its mnemonic
    QString hint;         ///< in the empty field
    QString tip;
    QString chosen;       ///< text of the undo entry, with %1 in place of the amount
    QString not_chosen;   ///< text of the undo entry for an empty field
    std::string if_zero;  ///< why the amount cannot be 0, in one clause
  };
  struct AmountEntry {
    Amount amount;
    AmountField* field;
    QAction* action;
  };

  void add_reserves();
  void add_overlap();
  void add_amount(Amount amount);
  void add_device_memory();
  void add_host_memory();
  void fill_fields();
  void take(const AmountEntry& entry);

  std::vector<AmountEntry> amounts_;
};

}  // namespace stashscope::ui
