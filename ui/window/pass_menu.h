#pragma once

#include "ui/window/choice_menu.h"

namespace stashscope::ui {

/// What is done to a forward model before its backward pass is built, and in which precision it
/// computes.
class PassMenu : public ChoiceMenu {
  Q_OBJECT

 public:
  explicit PassMenu(Document& document, QWidget* parent = nullptr);

 private:
  void add_passes();
  void add_precisions();
};

}  // namespace stashscope::ui
