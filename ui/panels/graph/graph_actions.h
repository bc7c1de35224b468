#pragma once

#include <QAction>
#include <QMenu>

#include "ui/document/document.h"
#include "ui/graph/graph_view.h"

namespace stashscope::ui {

/// Actions on the selection in the graph. The user triggers them from a menu, or by keys while the
/// graph has the focus.
class GraphActions : public QObject {
  Q_OBJECT

 public:
  GraphActions(Document& document, GraphView& view, QObject* parent);

  const QList<QAction*>& all() const { return all_; }
  QAction* why_not() const { return why_not_; }
  /// Whether the view fades everything that is not alive at the memory cursor.
  bool is_peak_view() const { return peak_view_->isChecked(); }
  QAction& peak_view() { return *peak_view_; }
  /// Shows the menu for the selection at a screen position.
  void show_menu(QPoint place);

 Q_SIGNALS:
  /// Requests to select this node and to open the groups that hide it.
  void node_wanted(stashscope::NodeId node);
  /// Requests to show the user a message about the last action.
  void said(const QString& text);
  void inspector_wanted();
  /// Requests to show the row of the plan table for this node.
  void plan_row_wanted(stashscope::NodeId node);
  void peak_view_changed();

 private:
  enum class Way { to_inputs, to_outputs };

  QAction* add(const QString& name, const QString& text, const QKeySequence& shortcut,
               void (GraphActions::*run)());
  void enable();
  void recompute();
  void pin();
  void enable_plans();
  std::vector<NodeId> planned() const;
  NodeId node_with_row() const;
  void enable_plan_row();
  void show_plan_row();
  void follow_input() { follow(Way::to_inputs); }
  void follow_output() { follow(Way::to_outputs); }
  void follow(Way way);
  std::vector<layout::Neighbour> neighbours(Way way) const;
  QMenu* follow_menu(Way way, QWidget* parent);
  void show_path();
  void say_why_not();
  void isolate();
  void isolate_further();
  void copy_name();
  void add_toggle(QMenu& menu);
  void fit() { view_.fit(); }
  void change_peak_view() { Q_EMIT peak_view_changed(); }
  QString name_of_selection() const;
  QString text_of(const layout::Neighbour& neighbour) const;
  QString why_alive(NodeId node) const;
  std::vector<NodeId> sharers_of_memory() const;
  const std::vector<NodeId>& selected() const { return document_.selection().nodes(); }
  /// Whether the picture in the view shows the document's study. Otherwise the ids of the selection
  /// are not valid in the picture.
  bool is_current() const;

  Document& document_;
  GraphView& view_;
  QList<QAction*> all_;
  QAction* recompute_;
  QAction* pin_;
  QAction* follow_input_;
  QAction* follow_output_;
  QAction* path_;
  QAction* why_not_;
  QAction* plan_row_;
  QAction* isolate_;
  QAction* isolate_further_;
  QAction* copy_name_;
  QAction* peak_view_;
  QAction* fit_;
};

}  // namespace stashscope::ui
