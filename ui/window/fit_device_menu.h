#pragma once

#include "ui/widgets/amount_field.h"
#include "ui/window/choice_menu.h"

namespace stashscope::ui {

/// The devices that the step may have to fit, with their memory, and a field for another memory.
class FitDeviceMenu : public ChoiceMenu {
  Q_OBJECT

 public:
  explicit FitDeviceMenu(Document& document, QWidget* parent = nullptr);

 private:
  void add_field();
  void fill_field();
  void take_field();

  AmountField* field_ = nullptr;
};

}  // namespace stashscope::ui
