// The memory curve with mouse and keyboard.

#include "ui/memory/memory_view.h"

#include <QHelpEvent>
#include <QToolTip>

#include "tests/support/model_builder.h"
#include "tests/ui/support/window_test.h"
#include "ui/models/alive_model.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace memory_view_test {

using namespace Qt::StringLiterals;

class MemoryCurve : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }
  MemoryView& curve() { return find<MemoryView>(u"memory_view"_s); }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    curve().setFocus();
    press(key, modifiers);
  }
  std::size_t slot() { return document().selection().slot(); }
  void click_slot(std::size_t slot) {
    QTest::mouseClick(&curve(), Qt::LeftButton, {},
                      QPoint(qRound(curve().x_of(slot)), curve().height() / 2));
  }
};

TEST_F(MemoryCurve, StandsAtThePeakUntilSomebodyMovesIt) {
  EXPECT_EQ(slot(), document().study()->current->timeline.peak_slot);
  EXPECT_GT(curve().top(), peak());
}

TEST(MemoryPlot, HoldsSmallPeaks) {
  for (const std::int64_t width : {1, 3, 8}) {
    const auto study =
        compute_study(std::make_shared<const Graph>(stashscope::test::perceptron(width, 2).build()),
                      {}, nullptr, {});
    MemoryView view;
    view.set_curves(curves_of(study, nullptr));
    const std::int64_t peak = study->current->timeline.peak_bytes;
    EXPECT_GT(view.top(), peak);
    Measurement measured;
    measured.live_bytes = {10 * peak};
    view.set_curves(curves_of(study, &measured));
    EXPECT_GT(view.top(), 10 * peak);
    view.resize(400, 300);
    view.grab();
    EXPECT_EQ(view.curves().measured->forward_slots, 1U) << "no more than it has steps";
  }
}

/// The page of segments calls less unallocated: what no block covers.
TEST(MemoryPlot, TellsWhatIsReservedBeyondTheTensors) {
  const auto study = compute_study(
      std::make_shared<const Graph>(stashscope::test::perceptron(8, 2).build()), {}, nullptr, {});
  const Timeline& timeline = study->current->timeline;
  const std::size_t slots_of_step = timeline.order.size();
  Measurement measured;
  measured.live_bytes = timeline.live_bytes;
  measured.node_seconds.assign(slots_of_step, 1e-5);
  measured.workspace_bytes.assign(slots_of_step, timeline.peak_bytes);
  MemoryCurves curves = curves_of(study, &measured);
  const std::int64_t reserved = 3 * timeline.peak_bytes;
  curves.predicted_reserved =
      reserved_curve_of(*curves.current, {reserved, reserved - timeline.peak_bytes,
                                          std::vector<std::int64_t>(slots_of_step, reserved)});
  MemoryView view;
  view.resize(600, 300);
  view.show();
  view.set_curves(curves);
  const QPointF workspace(view.x_of(1),
                          view.y_of(timeline.live_bytes[1] + timeline.peak_bytes / 2));
  QHelpEvent help(QEvent::ToolTip, workspace.toPoint(), view.mapToGlobal(workspace.toPoint()));
  QApplication::sendEvent(&view, &help);
  EXPECT_TRUE(QToolTip::text().contains(bytes_text(reserved - timeline.live_bytes[1]) +
                                        u" beyond the tensors"_s))
      << QToolTip::text().toStdString();
  QToolTip::hideText();
}

TEST_F(MemoryCurve, AClickLinksAllViews) {
  click_slot(100);
  const std::size_t at = slot();
  EXPECT_NEAR(static_cast<double>(at), 100, 1);
  EXPECT_EQ(document().selection().node(), document().study()->current->timeline.order[at]);
  const auto alive = alive_at(document().study()->current->timeline, at);
  EXPECT_EQ(find<QTableView>(u"alive_table"_s).model()->rowCount(), std::ssize(alive));
  EXPECT_TRUE(find<QLabel>(u"alive_heading"_s).text().contains(QString::number(at + 1)));
}

TEST_F(MemoryCurve, KeysWalk) {
  click_slot(100);
  const std::size_t at = slot();
  key(Qt::Key_Right);
  EXPECT_EQ(slot(), at + 1);
  key(Qt::Key_Left, Qt::ShiftModifier);
  EXPECT_EQ(slot(), at - 9);
  key(Qt::Key_Home);
  EXPECT_EQ(slot(), 0U);
  key(Qt::Key_Left);
  EXPECT_EQ(slot(), 0U);
  key(Qt::Key_End);
  EXPECT_EQ(slot() + 1, document().study()->current->timeline.order.size());
  key(Qt::Key_P);
  EXPECT_EQ(slot(), document().study()->current->timeline.peak_slot);
}

TEST_F(MemoryCurve, DraggingMovesAndIsNoClick) {
  key(Qt::Key_Plus);
  key(Qt::Key_Plus);
  const std::size_t at = slot();
  const double first = curve().axis().first;
  const QPoint from(500, 80);
  QTest::mousePress(&curve(), Qt::LeftButton, {}, from);
  QTest::mouseMove(&curve(), from + QPoint(60, 0));
  QTest::mouseRelease(&curve(), Qt::LeftButton, {}, from + QPoint(60, 0));
  EXPECT_EQ(slot(), at);
  EXPECT_LT(curve().axis().first, first);
  key(Qt::Key_0);
  EXPECT_EQ(curve().axis().first, 0);
}

TEST_F(MemoryCurve, ARowOfWhatIsAliveSelectsItsMaker) {
  auto& alive = find<QTableView>(u"alive_table"_s);
  const auto* const model = static_cast<const AliveModel*>(alive.model());
  for (int row = 0; row < model->rowCount(); ++row) {
    if (!model->maker(row).valid()) continue;
    const std::size_t at = slot();
    click_cell(alive, row, AliveModel::tensor);
    EXPECT_EQ(document().selection().node(), model->maker(row));
    EXPECT_EQ(slot(), at) << "the cursor stays where the user looks";
    return;
  }
  FAIL() << "nothing at the peak was made by a node";
}

}  // namespace memory_view_test
}  // namespace stashscope::ui::test
