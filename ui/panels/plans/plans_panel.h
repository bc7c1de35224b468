#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>

#include "core/study/facts/exported_config.h"
#include "ui/document/document.h"
#include "ui/models/plan_filter.h"
#include "ui/models/plan_tree_model.h"
#include "ui/panels/plans/peak_changes_job.h"
#include "ui/panels/plans/plan_tree_view.h"
#include "ui/widgets/link_label.h"

namespace stashscope::ui {

/// The panel of the plans, which the user switches on and off: recompute, compromise, offload,
/// compress, and the regions of captured steps.
class PlansPanel : public QWidget {
  Q_OBJECT

 public:
  explicit PlansPanel(Document& document, QWidget* parent = nullptr);

  void copy_config() const;
  void focus_filter();
  /// Selects the most specific row about a node of the current step, scrolls to it and gives it the
  /// keyboard focus. Does nothing if no row is about the node.
  void show_node(NodeId node);

 Q_SIGNALS:
  /// Requests to select this node and to open the groups that hide it.
  void node_wanted(stashscope::NodeId node);
  /// Requests to write the plans for PyTorch to a file.
  void export_wanted();
  /// The user wants to read how a PyTorch script gets plans.
  void pytorch_help_wanted();

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* make_top_row();
  QWidget* make_bottom_row();
  void set_up_versions();
  void set_up_tree();
  void show_study();
  void show_invitation();
  void show_summary();
  void show_choices();
  void show_runtime();
  void show_runtime_hint();
  void choose_level(int level);
  void choose_reference(int index);
  void filter(const QString& text);

  /// The selected rows from top to bottom, as indexes of `model_`.
  QModelIndexList selected() const;
  void switch_items(const QModelIndexList& items, bool on);
  void switch_selected();
  void use_count(const QModelIndex& index, int count);
  void pin_selected(bool on);
  void lead_to(const QModelIndex& index);
  void mark_selected();
  void follow_selection();
  bool leads() const;
  QModelIndex nearest_open_row(NodeId node) const;
  bool is_led_to_by_selected(NodeId node, const QModelIndex& row) const;
  std::vector<NodeId> nodes_led_to(const QModelIndex& item) const;
  void show_in_graph();
  void copy_rows() const;
  void copy(const ExportedConfig& exported) const;
  void copy_config_of_selected() const;
  static QString copied_text(Reference reference);
  void set_up_peak_changes();
  PeakChangesJob::Rows rows_to_try() const;
  void open_menu(QPoint place);
  QMenu* make_menu();
  QString text_of(const QModelIndexList& items) const;

  Document& document_;
  PlanTreeModel model_;
  PlanFilter filtered_;
  QComboBox* level_;
  QComboBox* reference_;
  QLineEdit* filter_;
  QToolButton* more_;
  LinkLabel* runtime_hint_;
  PlanTreeView* tree_;
  QLabel* summary_;
  QToolButton* copy_;
  QToolButton* export_;  ///< for captured steps, in place of `copy_`
  QString marked_;       ///< title of the selection last sent to the other views
  PeakChangesJob* peak_changes_ = nullptr;
  bool marking_ = true;  ///< whether a new selection of rows is marked in the other views
};

}  // namespace stashscope::ui
