#pragma once

#include <QAction>

#include "ui/document/document.h"
#include "ui/models/fusion_model.h"
#include "ui/models/group_model.h"
#include "ui/panels/orders/fusion_counter.h"
#include "ui/widgets/group_tree.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// A table of the fusion strategies, in which one click chooses a strategy. Below the table is the
/// tree of the groups of fused nodes, which the user can change.
class FusionPage : public QWidget {
  Q_OBJECT

 public:
  explicit FusionPage(Document& document, QWidget* parent = nullptr);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* make_strategies();
  QWidget* make_groups();
  void show_study();
  /// Starts computing the effects of the strategies, once for each study. Called only while the
  /// page is visible, because the computation takes long.
  void count();
  void show_selection();
  void select_nodes();
  void enable_actions();
  void switch_to(const QModelIndex& index);
  /// The nodes of the selected rows; rows of groups are skipped.
  std::vector<NodeId> selected_members() const;
  void take_out();
  void split();
  void keep_apart();

  Document& document_;
  FusionModel model_;
  GroupModel groups_;
  FusionCounter counter_;
  TableView* table_;
  GroupTree* tree_;
  QAction* take_out_ = nullptr;
  QAction* split_ = nullptr;
  QAction* keep_apart_ = nullptr;
  std::shared_ptr<const Study> counted_;
  bool is_following_ = false;
};

}  // namespace stashscope::ui
