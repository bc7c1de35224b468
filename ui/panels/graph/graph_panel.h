#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <optional>

#include "ui/document/document.h"
#include "ui/graph/graph_view.h"
#include "ui/graph/legend.h"
#include "ui/panels/graph/graph_actions.h"
#include "ui/panels/graph/search_list.h"

namespace stashscope::ui {

/// A hit of a search: a node, or a tensor that no node makes. The other member is invalid.
struct SearchHit {
  NodeId node;
  ValueId tensor;

  friend bool operator==(const SearchHit&, const SearchHit&) = default;
};

/// The graph with its tools: search, colours, opening and closing groups, zoom. Keeps the drawing
/// up to date with the document.
class GraphPanel : public QWidget {
  Q_OBJECT

 public:
  /// @param program executable of the layout child process
  GraphPanel(Document& document, const std::filesystem::path& program, QWidget* parent = nullptr);

  GraphView& view() { return *view_; }
  /// The action that says why the selected node has no plan, or why its output is alive. Other
  /// views of tensors offer this action too.
  QAction* why_action() const { return actions_->why_not(); }
  /// The actions on the selection, for a menu.
  QList<QAction*> actions_on_selection() const { return actions_->all(); }
  /// Whether the final drawing of the document's study is on the screen.
  bool is_settled() const;
  void toggle(layout::GroupId group);
  /// Returns to the picture of a newly opened model: groups are open down to the layers.
  void close_groups();
  /// Selects a node and opens the groups that hide it.
  void go_to(NodeId node, LinkedSelection::Cursor cursor = LinkedSelection::Cursor::follows);
  /// Selects a tensor that no node makes, and opens the groups that hide its first reader.
  void go_to(ValueId tensor);
  /// Opens the groups that hide the selected node and moves the node into view.
  void uncover();
  void focus_search();
  /// Selects the next (1) or previous (-1) match, and opens the groups that hide it.
  void find_next(int direction);

 Q_SIGNALS:
  void settled();
  /// Requests to show the inspector, which describes the selection.
  void inspector_wanted();
  /// Requests to show the row of the plan table for this node.
  void plan_row_wanted(stashscope::NodeId node);

 private:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  QWidget* make_tools();
  QWidget* make_peak_button();
  void set_up_search();
  void set_up_colours();
  void connect_view();
  void show_study();
  /// @param shows_all whether the picture is shown whole when it comes
  void request_picture(bool shows_all = false);
  void request_picture_again();
  void take_picture(std::shared_ptr<const GraphPicture> picture, bool is_final);
  /// Whether the picture on the screen shows the document's study. The ids in a picture of another
  /// study are not valid.
  bool is_current() const;
  void select_node(NodeId node);
  void select_group(layout::GroupId group, layout::Side side);
  void select_bundle(std::uint32_t bundle);
  layout::OpenGroups next_open() const;
  void show_awaited();
  layout::OpenGroups groups_around(NodeId node) const;
  bool is_hidden(NodeId node) const;
  void open_around(NodeId node);
  void colour_by(int index);
  void show_legend();
  void say(const QString& text);
  void show_selection();
  void show_alive();
  void search(const QString& text);
  void find_matches(const Study& study);
  void go_to_hit();
  void choose_hit(std::size_t hit);
  void show_hits();
  QString hit_text(std::size_t hit) const;
  QString tensor_text(ValueId tensor) const;
  QString node_text(NodeId node) const;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void update_notice();

  Document& document_;
  LayoutService layout_;
  GraphView* view_;
  QLineEdit* search_;
  SearchList* hits_;
  QLabel* matches_label_;
  QLabel* colour_by_;
  QComboBox* colours_;
  Legend* legend_;
  GraphActions* actions_;
  std::optional<layout::OpenGroups> open_;
  QString said_;            // message shown until the selection changes
  bool shows_all_ = false;  // whether the requested picture is shown whole
  NodeId awaited_;          // node of awaited_study_ that must come into view; invalid: none
  std::shared_ptr<const Study> awaited_study_;
  std::vector<SearchHit> matches_;
  std::optional<std::size_t> match_;  // index of the selected match in `matches_`
};

}  // namespace stashscope::ui
