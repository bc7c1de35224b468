#pragma once

#include <QAction>

#include "ui/document/document.h"
#include "ui/models/step_model.h"
#include "ui/panels/orders/steps_view.h"
#include "ui/widgets/elided_label.h"

namespace stashscope::ui {

/// A table of the slots of the current order, in which the user can move nodes.
class StepsPage : public QWidget {
  Q_OBJECT

 public:
  explicit StepsPage(Document& document, QWidget* parent = nullptr);

 private:
  void set_up_view();
  QWidget* make_bottom_row();
  void show_study();
  void show_selection();
  /// Selects the moved node again, by name, because its id may differ in the new study. Returns
  /// whether another node became selected.
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
  std::shared_ptr<const Study> moved_in_;  ///< the study in which a node was moved last
  std::string moved_;                      ///< name of the moved node; empty: none to select
  bool is_following_ = false;
};

}  // namespace stashscope::ui
