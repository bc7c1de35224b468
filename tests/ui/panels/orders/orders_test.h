#pragma once

#include <QAction>
#include <QApplication>
#include <QInputDialog>
#include <QTabBar>
#include <QTabWidget>
#include <QTreeView>

#include "core/schedule/fusion/fusions.h"
#include "core/study/choices/node_names.h"
#include "core/study/step/moved_order.h"
#include "tests/ui/support/window_test.h"
#include "ui/models/edit_model.h"
#include "ui/models/fusion_model.h"
#include "ui/models/group_model.h"
#include "ui/models/order_model.h"
#include "ui/models/step_model.h"
#include "ui/panels/orders/steps_view.h"
#include "ui/text/texts.h"
#include "ui/widgets/elided_label.h"

namespace stashscope::ui::test {

/// The panel of orders and fusions of a small model.
class OrderAndFusion : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window().resize(1600, 1400);
    open(sample(QStringLiteral("gpt2_tiny")));
  }

  enum Tab { orders_tab, steps_tab, fusion_tab, edits_tab };
  void show_tab(Tab tab) {
    auto* const bar = find<QTabWidget>(QStringLiteral("orders_panel")).tabBar();
    QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(tab).center());
  }

  QTableView& orders() { return find<QTableView>(QStringLiteral("order_table")); }
  StepsView& steps() { return find<StepsView>(QStringLiteral("step_table")); }
  QTableView& fusions() { return find<QTableView>(QStringLiteral("fusion_table")); }
  QTreeView& groups() { return find<QTreeView>(QStringLiteral("group_tree")); }
  QTableView& edits() { return find<QTableView>(QStringLiteral("edit_table")); }
  QString hint() { return find<ElidedLabel>(QStringLiteral("step_hint")).text(); }
  bool is_refusal() {
    return find<ElidedLabel>(QStringLiteral("step_hint")).foregroundRole() == QPalette::BrightText;
  }
  const Study& study() { return *document().study(); }
  const std::vector<NodeId>& order() { return study().current->timeline.order; }
  NodeId node_of_row(int row) { return order()[static_cast<std::size_t>(row)]; }

  int order_row(const std::string& name) {
    const auto& rows = order_rows(study());
    return static_cast<int>(std::ranges::find(rows, name, &OrderRow::name) - rows.begin());
  }

  /// The row of a node that can also run in earlier and later slots.
  int movable_row() {
    const MovableOrder movable = movable_order(study());
    for (std::size_t row = 0; row < order().size(); ++row) {
      const LegalRange range = movable.range(order()[row]);
      if (range.producer && range.reader && range.first < row && row < range.last) {
        return static_cast<int>(row);
      }
    }
    throw std::runtime_error("nothing can be moved");
  }

  QPoint upper_half(int row) {
    const QRect cell = steps().visualRect(steps().model()->index(row, StepModel::node));
    return {cell.center().x(), cell.top() + 3};
  }

  /// Presses a row and drags it to the upper half of another row.
  void drag(int from, int to) {
    steps().scrollTo(steps().model()->index((from + to) / 2, 0),
                     QAbstractItemView::PositionAtCenter);
    QWidget* const viewport = steps().viewport();
    QTest::mousePress(viewport, Qt::LeftButton, {}, upper_half(from));
    QMouseEvent move(QEvent::MouseMove, upper_half(to), viewport->mapToGlobal(upper_half(to)),
                     Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(viewport, &move);
  }
  void drop(int at) { QTest::mouseRelease(steps().viewport(), Qt::LeftButton, {}, upper_half(at)); }

  void choose_fusion(const char* name) {
    show_tab(fusion_tab);
    const auto strategies = fusion_strategies();
    const auto row = std::ranges::find(strategies, name, &FusionStrategy::name);
    click_cell(fusions(), static_cast<int>(row - strategies.begin()), FusionModel::name);
    ASSERT_TRUE(settles());
    ASSERT_EQ(choice_text(study().choices.fusion.strategy, no_fusion), name);
    ASSERT_GT(study().current->groups.members.size(), 0U);
  }

  /// The row of a member in the tree, scrolled to.
  QModelIndex member(int group, int row) {
    const QModelIndex index = groups().model()->index(row, 0, groups().model()->index(group, 0));
    groups().scrollTo(index);
    return index;
  }
  void click_member(int group, int row, Qt::KeyboardModifiers modifiers = {}) {
    const QModelIndex index = member(group, row);
    QTest::mouseClick(groups().viewport(), Qt::LeftButton, modifiers,
                      groups().visualRect(index).center());
  }
  std::string member_name(int group, int row) {
    return member(group, row).data().toString().toStdString();
  }
  /// The first group of at least `nodes` nodes.
  int large_group(std::size_t nodes) {
    const auto& members = study().current->groups.members;
    for (std::size_t group = 0; group < members.size(); ++group) {
      if (members[FusedGroupId(group)].size() >= nodes) return static_cast<int>(group);
    }
    throw std::runtime_error("no group is that large");
  }
  bool are_together(const std::string& a, const std::string& b) {
    const NodeNames names(study().graph(), study().current->dataflow);
    const FusedGroupId group = study().current->groups.of(names.find(a));
    return group.valid() && group == study().current->groups.of(names.find(b));
  }
};

}  // namespace stashscope::ui::test
