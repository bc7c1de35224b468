#pragma once

#include "core/passes/what_if/what_if.h"
#include "ui/window/choice_menu.h"

namespace stashscope::ui {

/// A menu of the graph passes that run before the backward pass is built, and of the precision of
/// the step and of its gradients.
class PassMenu : public ChoiceMenu {
  Q_OBJECT

 public:
  explicit PassMenu(Document& document, QWidget* parent = nullptr);

 protected:
  bool applies(const Study& study) const override { return !is_captured(&study); }

 private:
  void add_passes();
  void add_what_if(const WhatIf& what_if, QMenu& into);
  void add_precisions();
  void add_gradient_types();
};

}  // namespace stashscope::ui
