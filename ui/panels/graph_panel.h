#pragma once

#include <QLabel>
#include <QLineEdit>
#include <optional>

#include "ui/document/document.h"
#include "ui/graph/graph_view.h"
#include "ui/graph/legend.h"

namespace stashscope::ui {

/// The graph with its tools: search, opening and closing groups, zoom. Keeps the drawing up to date
/// with the document.
class GraphPanel : public QWidget {
  Q_OBJECT

 public:
  /// @param program is started as the layout child
  GraphPanel(Document& document, const std::filesystem::path& program, QWidget* parent = nullptr);

  GraphView& view() { return *view_; }
  /// Whether the final drawing of the document's study is on the screen.
  bool is_settled() const;
  /// Opens (closes) a group.
  void toggle(layout::GroupId group);
  /// Back to the first picture: open down to the layers.
  void close_groups();
  void focus_search();
  void find_next(int direction);

 Q_SIGNALS:
  void settled();

 private:
  QWidget* make_tools();
  void show_study();
  void take_picture(std::shared_ptr<const GraphPicture> picture, bool is_final);
  /// Whether the picture on the screen is one of the document's study; ids of any other one mean
  /// something else.
  bool is_current() const;
  void select_node(NodeId node);
  void select_group(layout::GroupId group, layout::Side side);
  void show_selection();
  void search(const QString& text);
  void update_notice();

  Document& document_;
  LayoutService layout_;
  GraphView* view_;
  QLineEdit* search_;
  QLabel* matches_label_;
  Legend* legend_;
  std::optional<layout::OpenGroups> open_;
  std::vector<NodeId> matches_;
  std::optional<std::size_t> match_;  // the one that is selected
};

}  // namespace stashscope::ui
