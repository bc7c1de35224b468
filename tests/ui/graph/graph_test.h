#pragma once

#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>

#include "tests/ui/support/window_test.h"

namespace stashscope::ui::test {

/// A window with the graph of a sample, and helpers for what is in the graph.
class GraphTest : public WindowTest {
 protected:
  GraphView& view() { return window().graph().view(); }
  const GraphScene& scene() { return *view().scene(); }
  const Dataflow& dataflow() { return document().study()->current->dataflow; }
  const layout::Grouping& grouping() { return *scene().picture().grouping; }

  /// The first node for which the condition holds.
  NodeId find_node(const std::function<bool(NodeId)>& is_wanted) {
    for (const NodeId node : IdRange<NodeId>(dataflow().topology.nodes())) {
      if (is_wanted(node)) return node;
    }
    throw std::runtime_error("no such node");
  }
  std::vector<layout::Neighbour> makers(NodeId node) {
    return layout::makers_before(dataflow().topology, {node});
  }
  std::vector<layout::Neighbour> readers(NodeId node) {
    return layout::readers_after(dataflow().topology, {node});
  }
  bool is_shown(NodeId node) {
    return scene().drawing().boxes[scene().drawing().box_of[node]].shows.node == node;
  }

  /// Selects a node like a click on it, with its groups open and the focus in the graph.
  void go_to(NodeId node) {
    window().graph().go_to(node);
    ASSERT_TRUE(settles());
    view().setFocus();
  }

  /// Opens all groups, level by level.
  void open_groups() {
    for (int level = 0; level < 4; ++level) {
      std::vector<layout::GroupId> closed;
      for (const layout::DrawnBox& box : scene().drawing().boxes) {
        const bool is_forward = box.shows.side == layout::Side::forward;
        if (box.shows.group.valid() && !box.is_open() && is_forward) {
          closed.push_back(box.shows.group);
        }
      }
      for (const layout::GroupId group : closed) {
        window().graph().toggle(group);
        ASSERT_TRUE(settles());
      }
    }
  }

  QPoint place_of(NodeId node) {
    const auto& drawing = scene().drawing();
    return place_of_box(drawing.box_of[node]);
  }
  QPoint place_of_box(std::uint32_t box) {
    const layout::Rect& rect = scene().drawing().boxes[box].rect;
    return view().camera().to_screen(to_qt(rect).center()).toPoint();
  }

  /// The menu that the right mouse button (or the menu key) opens.
  QMenu& menu_at(QPoint place, QContextMenuEvent::Reason reason = QContextMenuEvent::Mouse) {
    QContextMenuEvent event(reason, place, view().mapToGlobal(place));
    QApplication::sendEvent(&view(), &event);
    // An earlier menu of that name may still wait for its deletion.
    auto* const menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    if (menu == nullptr) throw std::runtime_error("no menu");
    return *menu;
  }
  QMenu& menu_by_key() { return menu_at({}, QContextMenuEvent::Keyboard); }

  /// Clicks the entry of a menu that has this name.
  void choose(QMenu& menu, const QString& action) {
    for (QAction* const each : menu.actions()) {
      const QString name =
          each->menu() != nullptr ? each->menu()->objectName() : each->objectName();
      if (name != action) continue;
      ASSERT_TRUE(each->isEnabled()) << action.toStdString();
      QTest::mouseClick(&menu, Qt::LeftButton, {}, menu.actionGeometry(each).center());
      return;
    }
    FAIL() << "no entry " << action.toStdString();
  }
};

}  // namespace stashscope::ui::test
