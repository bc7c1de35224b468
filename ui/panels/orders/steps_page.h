#pragma once

#include <QAction>

#include "ui/document/document.h"
#include "ui/models/step_model.h"
#include "ui/panels/orders/steps_view.h"
#include "ui/widgets/elided_label.h"

namespace stashscope::ui {

/// The steps of the current order, to be looked at and moved.
class StepsPage : public QWidget {
  Q_OBJECT

 public:
  explicit StepsPage(Document& document, QWidget* parent = nullptr);

 private:
  void set_up_view();
  QWidget* make_bottom_row();
  void show_study();
  void show_selection();
  /// Selects what was moved again: another study may call it by another id.
  bool select_moved();
  void select_row(int row);
  void move(NodeId node, NodeId before);
  void take_out();
  void ask_for_step();
  void tell(const QString& text, bool is_refusal);
  void tell_range();

  Document& document_;
  StepModel model_;
  StepsView* view_;
  ElidedLabel* hint_;
  std::shared_ptr<const Study> moved_in_;  ///< the study whose node was moved last
  std::string moved_;                      ///< and its name; empty: nothing to be found again
  bool is_following_ = false;
};

}  // namespace stashscope::ui
