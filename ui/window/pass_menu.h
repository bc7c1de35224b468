#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/passes/what_if/what_if.h"
#include "ui/window/choice_menu.h"

namespace stashscope::ui {

/// A menu of the choices that change the graph of the step: graph passes, what-ifs, mixed
/// precision, and the type of the gradients.
class PassMenu : public ChoiceMenu {
  Q_OBJECT

 public:
  explicit PassMenu(Document& document, QWidget* parent = nullptr);

 protected:
  bool applies(const Study& study) const override { return !is_captured(&study); }

 private:
  /// One of several values of a choice, of which one is in force.
  struct Alternative {
    std::string value;
    QString text;
    QString told;  ///< text of the undo entry
  };
  using Chosen = std::function<std::string(const Choices&)>;
  using Choose = std::function<void(Choices&, const std::string& value)>;

  void add_passes();
  /// @param kind the first part of the actions' object names; the value follows
  void add_alternatives(QMenu& menu, const QString& kind,
                        const std::vector<Alternative>& alternatives, const Chosen& chosen,
                        const Choose& choose);
  static std::vector<Alternative> half_types(const QString& none, const QString& told);
  void add_what_if(const WhatIf& what_if, QMenu& into);
  void add_precisions();
  void add_gradient_types();
};

}  // namespace stashscope::ui
