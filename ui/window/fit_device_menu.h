#pragma once

#include "ui/widgets/amount_field.h"
#include "ui/window/choice_menu.h"

namespace stashscope::ui {

/// A menu of the devices into whose memory the step must fit, a field for another memory size, and
/// a menu of the part of the memory that the step must leave free.
class FitDeviceMenu : public ChoiceMenu {
  Q_OBJECT

 public:
  explicit FitDeviceMenu(Document& document, QWidget* parent = nullptr);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void add_field();
  void add_reserves();
  void fill_field();
  void take_field();

  AmountField* field_ = nullptr;
  QAction* field_entry_ = nullptr;
};

}  // namespace stashscope::ui
