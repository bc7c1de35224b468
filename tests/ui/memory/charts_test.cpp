// Charts of points with pointer and keys, and the texts around all charts.

#include <QAction>
#include <QMouseEvent>
#include <QSignalSpy>

#include "tests/ui/support/long_step.h"
#include "tests/ui/support/window_test.h"
#include "ui/charts/chart_text.h"
#include "ui/memory/memory_view.h"
#include "ui/memory/sweep_chart.h"
#include "ui/theme/text_size.h"

namespace stashscope::ui::test {
namespace charts_test {

using namespace Qt::StringLiterals;

class Points : public testing::Test {
 protected:
  void SetUp() override {
    chart_.resize(600, 240);
    chart_.show();
    chart_.activateWindow();
    chart_.setFocus();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&chart_, patience));
    chart_.start({u"batch"_s, 1, 100, 0, {}, 40}, u"wait"_s);
  }
  void add(std::initializer_list<std::int64_t> sizes) {
    for (const std::int64_t size : sizes) chart_.add({size, "", 100 * size, 90 * size});
  }
  void key(Qt::Key key) { QTest::keyClick(&chart_, key); }
  /// Sends a pointer move to the chart itself, wherever the pointer of the screen is.
  void point_to(std::int64_t size) {
    const QPointF at(chart_.map().x_of(size), 100);
    QMouseEvent move(QEvent::MouseMove, at, chart_.mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                     Qt::NoModifier);
    QApplication::sendEvent(&chart_, &move);
  }
  bool reads(std::int64_t size) { return chart_.readout().startsWith(u"batch = %1 "_s.arg(size)); }

  SweepChart chart_;
};

TEST_F(Points, KeysBeginWhereTheValueIsAndStopAtTheEnds) {
  add({10, 50, 90});
  key(Qt::Key_Right);
  EXPECT_TRUE(reads(50)) << chart_.readout().toStdString();
  key(Qt::Key_Right);
  key(Qt::Key_Right);
  EXPECT_TRUE(reads(90));
  key(Qt::Key_Home);
  key(Qt::Key_Up);
  EXPECT_TRUE(reads(10));
  key(Qt::Key_End);
  EXPECT_TRUE(reads(90));
  EXPECT_EQ(chart_.accessibleDescription(), chart_.readout());
}

TEST_F(Points, WithoutPointsNoKeyDoesAnything) {
  const auto enabled = [this] {
    const auto actions = chart_.actions();
    return std::count_if(actions.begin(), actions.end(),
                         [](const QAction* each) { return each->isEnabled(); });
  };
  EXPECT_EQ(enabled(), 0);
  for (const Qt::Key each : {Qt::Key_Left, Qt::Key_Home, Qt::Key_End, Qt::Key_Return}) key(each);
  EXPECT_TRUE(chart_.readout().isEmpty());
  add({7});
  EXPECT_EQ(enabled(), 4) << "there is nothing to be chosen yet";
  key(Qt::Key_Left);
  EXPECT_EQ(enabled(), 5);
}

TEST_F(Points, TheOnePointedAtStaysWhenOthersComeBefore) {
  add({10, 90});
  point_to(90);
  ASSERT_TRUE(reads(90)) << chart_.readout().toStdString();
  add({50});
  EXPECT_TRUE(reads(90)) << chart_.readout().toStdString();
  const QSignalSpy chosen(&chart_, &SweepChart::value_chosen);
  key(Qt::Key_Return);
  ASSERT_EQ(chosen.size(), 1);
  EXPECT_EQ(chosen[0][0].toLongLong(), 90);
}

TEST_F(Points, ThePointerLeavesTheKeysWhereTheyAre) {
  add({10, 50, 90});
  key(Qt::Key_Home);
  point_to(90);
  ASSERT_TRUE(reads(90)) << chart_.readout().toStdString();
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(&chart_, &leave);
  EXPECT_TRUE(reads(10));
}

TEST_F(Points, ANewChartForgetsThem) {
  add({10, 50});
  key(Qt::Key_End);
  ASSERT_TRUE(reads(50));
  chart_.start({u"length"_s, 1, 100, 0, {}, 40}, u"wait"_s);
  EXPECT_TRUE(chart_.readout().isEmpty());
  EXPECT_TRUE(chart_.accessibleDescription().isEmpty());
  const QSignalSpy chosen(&chart_, &SweepChart::value_chosen);
  QTest::mouseClick(&chart_, Qt::LeftButton, {}, QPoint(300, 100));
  key(Qt::Key_Return);
  EXPECT_EQ(chosen.size(), 0);
}

TEST(ChartText, TheLongestThatFits) {
  const QFontMetricsF metrics{QFont()};
  const QStringList forms = {u"a very long text"_s, u"a text"_s, u"a"_s};
  const auto at = [&](const QString& text) { return metrics.horizontalAdvance(text); };
  EXPECT_EQ(longest_that_fits(forms, metrics, at(forms[0])), forms[0]);
  EXPECT_EQ(longest_that_fits(forms, metrics, at(forms[0]) - 1), forms[1]);
  EXPECT_EQ(longest_that_fits(forms, metrics, at(forms[1]) - 1), forms[2]);
  EXPECT_LE(at(longest_that_fits({u"nothing but this"_s}, metrics, 60)), 60);
  EXPECT_EQ(longest_that_fits({}, metrics, 60), QString());
}

class LargeText : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { apply_text_size(*qApp, GetParam()); }
  void TearDown() override { apply_text_size(*qApp, 100); }

  static double width_of(const QString& text) {
    return QFontMetricsF(QApplication::font()).horizontalAdvance(text);
  }
  static double line() { return QFontMetricsF(QApplication::font()).height(); }
};

TEST_P(LargeText, HasRoomRoundTheMemoryPlot) {
  MemoryView view;
  view.resize(900, 500);
  view.set_curves(long_step(500, 20));
  EXPECT_GE(view.plot().left() - 8, width_of(u"1.375 GiB"_s));
  EXPECT_GE(view.height() - view.plot().bottom(), 2 * line()) << "numbers, and phases below";
  EXPECT_GE(view.plot().top(), line());
  EXPECT_GT(view.plot().height(), 200);
}

TEST_P(LargeText, LeavesAPlotInALowView) {
  MemoryView view;
  view.set_curves(long_step(50, 5));
  for (const int height : {48, 80, 120, 180}) {
    view.resize(400, height);
    ASSERT_FALSE(view.grab().isNull());
    EXPECT_GE(view.plot().height(), 1) << height;
    EXPECT_LE(view.plot().top(), height) << height;
  }
}

TEST_P(LargeText, LeavesAPlotInTheSmallestCharts) {
  SweepChart sweep;
  sweep.resize(sweep.minimumSize());
  sweep.start({u"batch"_s, 1, 100, 1'000'000, u"a device"_s, 40}, {});
  sweep.add({1, "", 100, 90});
  ASSERT_FALSE(sweep.grab().isNull());
  EXPECT_GE(sweep.map().right - sweep.map().left, 1);
  EXPECT_GE(sweep.map().lower - sweep.map().upper, 1);
}

TEST_P(LargeText, HasRoomRoundTheSweep) {
  SweepChart chart;
  chart.resize(400, 300);
  chart.start({u"batch"_s, 1, 100, 1'000'000, u"a device with a long name"_s, 40}, {});
  chart.add({1, "", 100, 90});
  ASSERT_FALSE(chart.grab().isNull());
  EXPECT_GE(chart.map().left - 8, width_of(u"1.375 GiB"_s));
  EXPECT_GE(chart.height() - chart.map().lower, line());
  EXPECT_GE(chart.map().upper, 2 * line()) << "the key takes two rows";
}

INSTANTIATE_TEST_SUITE_P(Sizes, LargeText, testing::Values(75, 100, 150, 200));

TEST(ChartText, TheLongestPartOfALineGivesWay) {
  const QFontMetricsF metrics((QFont()));
  const QStringList parts = {u"slot 7"_s, u"/model/decoder/layers/3/attention/Softmax"_s,
                             u"10 GiB"_s, u"measured 11 GiB"_s};
  const QString whole = parts.join(u"   "_s);
  const double width = metrics.horizontalAdvance(whole);
  EXPECT_EQ(in_one_line(parts, metrics, width + 1), whole);
  for (const double share : {0.9, 0.75, 0.6}) {
    const QString line = in_one_line(parts, metrics, share * width);
    EXPECT_LE(metrics.horizontalAdvance(line), share * width);
    EXPECT_TRUE(line.startsWith(u"slot 7   "_s)) << line.toStdString();
    EXPECT_TRUE(line.endsWith(u"   10 GiB   measured 11 GiB"_s)) << line.toStdString();
  }
  const QString without_last = in_one_line(parts, metrics, 0.4 * width);
  EXPECT_TRUE(without_last.startsWith(u"slot 7   "_s)) << without_last.toStdString();
  EXPECT_TRUE(without_last.endsWith(u"   10 GiB"_s)) << without_last.toStdString();
  const double narrow = width / 5;
  EXPECT_LE(metrics.horizontalAdvance(in_one_line(parts, metrics, narrow)), narrow);
}

}  // namespace charts_test
}  // namespace stashscope::ui::test
