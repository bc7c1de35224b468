// The memory cursor after a change of the step.

#include <QRegularExpression>
#include <QSpinBox>

#include "tests/ui/support/window_test.h"
#include "ui/memory/memory_view.h"
#include "ui/models/alive_model.h"
#include "ui/models/plan_tree_model.h"

namespace stashscope::ui::test {
namespace cursor_test {

using namespace Qt::StringLiterals;

class MemoryCursor : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }
  const Timeline& timeline() { return document().study()->current->timeline; }
  std::size_t slot() { return document().selection().slot(); }
  MemoryView& curve() { return find<MemoryView>(u"memory_view"_s); }

  /// Changes sizes, plans and order, one after the other. Calls `expect` after each.
  void change_all(const std::function<void(const QString&)>& expect) {
    for (QSpinBox* const size : window().findChildren<QSpinBox*>()) {
      if (!size->objectName().startsWith(u"dimension:"_s) || !size->isVisible()) continue;
      size->setValue(2 * size->value());
      ASSERT_TRUE(settles());
      expect(size->objectName());
    }
    click_check_box(plans(), 0, PlanTreeModel::plan);
    ASSERT_TRUE(settles());
    expect(u"plan"_s);
    auto& orders = find<QTableView>(u"order_table"_s);
    for (int row = 0; row < 3; ++row) {
      click_cell(orders, row, 0);
      ASSERT_TRUE(settles());
      expect(u"order %1"_s.arg(row));
    }
    while (document().undo_stack().canUndo()) {
      press(Qt::Key_Z, Qt::ControlModifier);
      ASSERT_TRUE(settles());
      expect(u"undone"_s);
    }
  }
  void expect_at_peak() {
    change_all([this](const QString& what) {
      EXPECT_EQ(slot(), timeline().peak_slot) << what.toStdString();
      EXPECT_TRUE(find<QLabel>(u"alive_heading"_s).text().startsWith(u"At the peak"_s))
          << what.toStdString();
    });
  }
};

TEST_F(MemoryCursor, StaysAtThePeakIfItWasNeverMoved) { expect_at_peak(); }

TEST_F(MemoryCursor, StaysAtThePeakIfItWasPutThere) {
  document().selection().select_slot(3);
  press(Qt::Key_P, Qt::ControlModifier);
  expect_at_peak();
}

TEST_F(MemoryCursor, StaysAtThePeakIfItWasClickedThere) {
  QTest::mouseClick(&curve(), Qt::LeftButton, {},
                    QPoint(qRound(curve().x_of(timeline().peak_slot)), curve().height() / 2));
  EXPECT_EQ(slot(), timeline().peak_slot);
  expect_at_peak();
}

TEST_F(MemoryCursor, ComesBackToThePeakByALink) {
  auto& link = find<QWidget>(u"alive_to_peak"_s);
  EXPECT_FALSE(link.isVisible());
  document().selection().select_slot(3);
  ASSERT_TRUE(link.isVisible());
  click(link);
  EXPECT_FALSE(link.isVisible());
  expect_at_peak();
}

TEST_F(MemoryCursor, StaysWithTheNodeWhereTheUserPutIt) {
  document().selection().select_slot(20);
  const NodeId node = document().selection().node();
  change_all([&](const QString& what) {
    EXPECT_EQ(slot(), document().selection().slot_of(node)) << what.toStdString();
  });
}

TEST_F(MemoryCursor, StaysThoughTheNodeOfALiveTensorWasSelected) {
  document().selection().select_slot(40);
  const NodeId under = document().selection().node();
  auto& alive = find<QTableView>(u"alive_table"_s);
  const auto* const model = static_cast<const AliveModel*>(alive.model());
  int row = 0;
  while (!model->maker(row).valid() || model->maker(row) == under) ++row;
  const NodeId maker = model->maker(row);
  click_cell(alive, row, AliveModel::tensor);
  ASSERT_EQ(document().selection().node(), maker);
  QSpinBox* const size =
      window().findChildren<QSpinBox*>(QRegularExpression(u"^dimension:"_s)).front();
  size->setValue(2 * size->value());
  ASSERT_TRUE(settles());
  EXPECT_EQ(slot(), document().selection().slot_of(under));
  EXPECT_EQ(document().selection().node(), maker);
}

}  // namespace cursor_test
}  // namespace stashscope::ui::test
