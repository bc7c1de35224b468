// What the view of the graph shows after it was resized or has another picture.

#include <QDockWidget>

#include "tests/ui/graph/graph_test.h"

namespace stashscope::ui::test {
namespace framing_test {

using namespace Qt::StringLiterals;

class Framing : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }
  void click_fit() { click(find<QWidget>(u"fit_button"_s)); }
  /// Whether the whole graph is in view, and is not smaller than it has to be.
  bool is_fitted() {
    const Camera fit = fitted(to_qt(scene().drawing().bounds), view().size(), 32);
    return std::abs(view().camera().zoom - fit.zoom) < 1e-9 &&
           (view().camera().to_screen(QPointF()) - fit.to_screen(QPointF())).manhattanLength() <
               1e-6;
  }
};

TEST_F(Framing, AMessageLeavesTheGraphFitted) {
  ASSERT_FALSE(is_fitted()) << "the first picture shows the upper end";
  click_fit();
  ASSERT_TRUE(is_fitted());
  const QSize before = view().size();
  document().notices().notify(u"A message takes room from the graph."_s);
  ASSERT_TRUE(comes_true([&] { return view().size() != before; }));
  EXPECT_TRUE(is_fitted());
}

TEST_F(Framing, APanelAndATickLeaveTheGraphFitted) {
  click_fit();
  const QSize before = view().size();
  for (QDockWidget* const each : window().findChildren<QDockWidget*>()) each->hide();
  ASSERT_TRUE(comes_true([&] { return view().size() != before; }));
  EXPECT_TRUE(is_fitted());
  document().selection().select_slot(document().study()->current->timeline.order.size() - 1);
  EXPECT_TRUE(is_fitted()) << "everything is in view already";
  choose_entry(u"level"_s, 1);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(is_fitted());
}

TEST_F(Framing, LargerTextLeavesTheWholeGraphInView) {
  click_fit();
  find<QAction>(u"larger_text"_s).trigger();
  EXPECT_TRUE(is_fitted());
  const QSize before = view().size();
  find<QWidget>(u"memory_dock"_s).hide();
  ASSERT_TRUE(comes_true([&] { return view().size() != before; }));
  EXPECT_TRUE(is_fitted());
  find<QAction>(u"normal_text"_s).trigger();
}

TEST_F(Framing, LargerTextEnlargesAPart) {
  const double before = view().camera().zoom;
  find<QAction>(u"larger_text"_s).trigger();
  EXPECT_GT(view().camera().zoom, before);
  find<QAction>(u"normal_text"_s).trigger();
}

TEST_F(Framing, AGraphMovedByHandStays) {
  click_fit();
  view().setFocus();
  press(Qt::Key_Down, Qt::ShiftModifier);
  const Camera moved = view().camera();
  find<QWidget>(u"memory_dock"_s).hide();
  QCoreApplication::processEvents();
  EXPECT_EQ(view().camera().zoom, moved.zoom);
  EXPECT_EQ(view().camera().to_screen(QPointF()), moved.to_screen(QPointF()));
}

}  // namespace framing_test
}  // namespace stashscope::ui::test
