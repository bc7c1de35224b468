// The chart of peaks against one dimension: points appear one by one, it can be cancelled, a click
// sets the size.

#include "ui/panels/dimensions/sweep_panel.h"

#include <QMenu>
#include <QTabBar>
#include <QToolButton>

#include "core/study/edits/edits.h"
#include "core/study/reserved/reserved_memory.h"
#include "tests/ui/support/window_test.h"
#include "ui/models/plan_tree_model.h"

namespace stashscope::ui::test {
namespace sweep_panel_test {

using namespace Qt::StringLiterals;

const QString batch = u"inputs_input_ids_dim0"_s;

class Sweeping : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
    click_tab(u"Peak against a dimension"_s);
    ASSERT_TRUE(is_complete());
  }

  void click_tab(const QString& title) {
    for (QTabBar* const bar : window().findChildren<QTabBar*>()) {
      for (int i = 0; i < bar->count(); ++i) {
        if (bar->tabText(i) != title) continue;
        QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(i).center());
        return;
      }
    }
    FAIL() << "no tab " << title.toStdString();
  }

  SweepPanel& panel() { return find<SweepPanel>(u"sweep_panel"_s); }
  SweepChart& chart() { return find<SweepChart>(u"sweep_chart"_s); }
  std::size_t count() {
    return static_cast<std::size_t>(find<QSpinBox>(u"sweep_points"_s).value());
  }
  bool is_complete() {
    return comes_true([this] {
      return !chart().points().empty() && !find<QWidget>(u"sweep_cancel"_s).isVisible();
    });
  }
  void type(const QString& name, const QString& number) {
    auto& box = find<QSpinBox>(name);
    box.setFocus();
    box.selectAll();
    QTest::keyClicks(&box, number);
    QTest::keyClick(&box, Qt::Key_Return);
  }
  QPoint point_at(std::int64_t value) {
    return {qRound(chart().map().x_of(value)), chart().height() / 2};
  }
  const Dimension& batch_now() { return document().study()->sizes->dims.dimensions.front(); }
};

TEST_F(Sweeping, IsCurrentOnceAllItsPointsAreThere) {
  ASSERT_TRUE(chart().is_current());
  type(u"sweep_points"_s, u"9"_s);
  EXPECT_FALSE(chart().is_current());
  ASSERT_TRUE(comes_true([this] { return chart().is_current(); }));
  EXPECT_EQ(chart().points().size(), 9U);
}

TEST_F(Sweeping, ShowsThePeaksOfStudies) {
  ASSERT_FALSE(chart().points().empty());
  EXPECT_EQ(chart().points().front().value, 1);
  EXPECT_EQ(chart().points().front().current_bytes, peak());
  const SweepPoint& last = chart().points().back();
  const auto study = compute_study(
      document().study()->model,
      with_dimension(*document().study(), document().choices(), batch_now(), last.value), nullptr,
      {});
  EXPECT_EQ(last.current_bytes, study->current->timeline.peak_bytes);
}

TEST_F(Sweeping, FollowsThePlans) {
  const auto before = chart().points();
  click_check_box(plans(), 0, PlanTreeModel::plan);
  ASSERT_TRUE(settles());
  ASSERT_TRUE(comes_true(
      [&] { return chart().points().size() == before.size() && chart().points() != before; }));
  EXPECT_EQ(chart().points().back().baseline_bytes, before.back().baseline_bytes);
  EXPECT_LT(chart().points().back().current_bytes, before.back().current_bytes);
}

TEST_F(Sweeping, CountsWhatMustFit) {
  const auto peaks = chart().points();
  const auto change_to = [&](int fits) {
    const auto before = chart().points();
    choose_entry(u"planner_fits"_s, fits);
    ASSERT_TRUE(comes_true([&] {
      return chart().is_current() && chart().points().size() == before.size() &&
             chart().points() != before;
    }));
  };
  click(find<QToolButton>(u"memory_reserved"_s));
  ASSERT_TRUE(settles());
  click_tab(u"Peak against a dimension"_s);
  ASSERT_TRUE(is_complete());
  EXPECT_EQ(chart().points(), peaks) << "the planner still fits tensors";
  change_to(1);
  const SweepPoint& last = chart().points().back();
  const auto study = compute_study(
      document().study()->model,
      with_dimension(*document().study(), document().choices(), batch_now(), last.value), nullptr,
      {});
  EXPECT_EQ(last.current_bytes, reserved_memory(*study, *study->current, {}).reserved_bytes);
  EXPECT_GT(last.current_bytes, peaks.back().current_bytes);
  EXPECT_TRUE(chart().accessibleName().startsWith(u"Reserved"_s));
  change_to(0);
  EXPECT_EQ(chart().points(), peaks);
  EXPECT_TRUE(chart().accessibleName().startsWith(u"Peak"_s));
}

TEST_F(Sweeping, FollowsTheMemoryOfTheDevice) {
  const auto shows = [this](std::int64_t bytes) {
    choose_memory(bytes);
    return chart().grab().toImage();
  };
  const auto points = chart().points();
  const std::int64_t most = points.back().current_bytes;
  const QImage less = shows(most / 2);
  EXPECT_NE(shows(most * 3 / 4), less) << "the line and its name move";
  EXPECT_EQ(shows(most / 2), less);
  EXPECT_EQ(chart().points(), points) << "the peaks stay what they are";
}

TEST_F(Sweeping, AClickSetsTheSizeAndHoveringShowsFigures) {
  QTest::mouseMove(&chart(), point_at(8));
  ASSERT_TRUE(comes_true([this] { return !chart().readout().isEmpty(); }));
  EXPECT_TRUE(chart().readout().contains(u" = 8 "_s)) << chart().readout().toStdString();
  const auto before = chart().points();
  QTest::mouseClick(&chart(), Qt::LeftButton, {}, point_at(8));
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().dims.at(batch.toStdString()), 8);
  EXPECT_EQ(chart().points(), before) << "the curve stays what it is";
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(batch_now().value, 1);
}

TEST_F(Sweeping, KeysWalkAndSetTheSize) {
  chart().setFocus();
  QTest::keyClick(&chart(), Qt::Key_Home);
  QTest::keyClick(&chart(), Qt::Key_Right);
  QTest::keyClick(&chart(), Qt::Key_Right);
  QTest::keyClick(&chart(), Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_EQ(batch_now().value, chart().points()[2].value);
  QTest::keyClick(&chart(), Qt::Key_End);
  QTest::keyClick(&chart(), Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_EQ(batch_now().value, chart().points().back().value);
}

TEST_F(Sweeping, TheRangeIsTheUsers) {
  type(u"sweep_from"_s, u"10"_s);
  type(u"sweep_to"_s, u"30"_s);
  type(u"sweep_points"_s, u"3"_s);
  ASSERT_TRUE(comes_true([this] { return chart().points().size() == 3; }));
  EXPECT_EQ(chart().points()[0].value, 10);
  EXPECT_EQ(chart().points()[1].value, 20);
  EXPECT_EQ(chart().points()[2].value, 30);
  type(u"sweep_from"_s, u"40"_s);
  EXPECT_TRUE(comes_true([this] { return chart().points().empty(); })) << "above the last size";
}

TEST_F(Sweeping, TheProposedRangeHoldsTheSizeThatIsInForce) {
  const auto set_batch = [this](std::int64_t size) {
    document().choose(with_dimension(*document().study(), document().choices(), batch_now(), size),
                      u"size"_s);
    ASSERT_TRUE(settles());
  };
  ASSERT_EQ(find<QSpinBox>(u"sweep_to"_s).value(), 16);
  set_batch(64);
  EXPECT_EQ(find<QSpinBox>(u"sweep_to"_s).value(), 128);
  type(u"sweep_to"_s, u"30"_s);
  set_batch(65);
  EXPECT_EQ(find<QSpinBox>(u"sweep_to"_s).value(), 30) << "what the user asked for stays";
}

TEST_F(Sweeping, SizesThatTheModelRefusesSayWhy) {
  choose_entry(u"sweep_dimension"_s, 1);
  ASSERT_TRUE(comes_true([this] {
    const auto& points = chart().points();
    return points.size() == count() && !points.back().fault.empty();
  }));
  QTest::mouseMove(&chart(), point_at(chart().points().back().value));
  EXPECT_TRUE(comes_true([this] { return chart().readout().contains(u"needs"_s); }))
      << chart().readout().toStdString();
}

TEST_F(Sweeping, RefusedSizesHaveAnEntryInTheKey) {
  const auto has_entry = [this] { return !chart().key_texts().filter(u"refuse"_s).isEmpty(); };
  EXPECT_FALSE(has_entry());
  choose_entry(u"sweep_dimension"_s, 1);
  ASSERT_TRUE(comes_true([this] { return chart().is_current(); }));
  ASSERT_FALSE(chart().points().back().fault.empty());
  EXPECT_TRUE(has_entry()) << chart().key_texts().join(u'|').toStdString();
}

TEST_F(Sweeping, ABatchInMicroBatchesHasOnlySizesThatTheyDivide) {
  Choices choices = document().choices();
  choices.dims[batch.toStdString()] = 8;
  choices.graph.what_ifs = {{"micro", "4"}};
  document().choose(choices, u"micro"_s);
  ASSERT_TRUE(settles());
  ASSERT_TRUE(comes_true([this] { return chart().is_current(); }));
  ASSERT_EQ(chart().points().size(), 4U) << "4, 8, 12 and 16";
  for (const SweepPoint& each : chart().points()) {
    EXPECT_EQ(each.value % 4, 0);
    EXPECT_EQ(each.fault, "");
  }
  EXPECT_TRUE(chart().key_texts().filter(u"refuse"_s).isEmpty());
  type(u"sweep_to"_s, u"3"_s);
  EXPECT_TRUE(comes_true([this] { return chart().points().empty() && chart().is_current(); }));
}

TEST_F(Sweeping, TheProposedRangeReachesBeyondWhatFits) {
  const std::int64_t each = chart().points()[1].current_bytes - chart().points()[0].current_bytes;
  choose_memory(peak() + 99 * each);  // about 100 samples
  const auto fits = [this](const SweepPoint& point) {
    return point.current_bytes <= memory_to_fit(*document().study());
  };
  ASSERT_TRUE(comes_true([&] { return chart().is_current() && !fits(chart().points().back()); }));
  EXPECT_EQ(chart().points().front().value, 1);
  EXPECT_TRUE(fits(chart().points().front()));
  EXPECT_LT(find<QSpinBox>(u"sweep_to"_s).value(), 200);
  EXPECT_GT(find<QSpinBox>(u"sweep_to"_s).value(), 100);
  choose_memory(peak() + 99'999 * each);
  choose_entry(u"sweep_dimension"_s, 1);
  choose_entry(u"sweep_dimension"_s, 0);
  ASSERT_TRUE(comes_true([this] { return chart().is_current(); }));
  EXPECT_EQ(find<QSpinBox>(u"sweep_to"_s).value(), 16) << "what is far away is left out";
}

TEST_F(Sweeping, CanBeCancelledAndStartedAgain) {
  type(u"sweep_points"_s, u"250"_s);
  type(u"sweep_to"_s, u"100000"_s);
  ASSERT_TRUE(comes_true([this] { return find<QWidget>(u"sweep_cancel"_s).isVisible(); }));
  click(find<QWidget>(u"sweep_cancel"_s));
  EXPECT_FALSE(find<QWidget>(u"sweep_cancel"_s).isVisible());
  const std::size_t shown = chart().points().size();
  EXPECT_LT(shown, 250U);
  QTest::qWait(50);
  EXPECT_EQ(chart().points().size(), shown);
  click(find<QWidget>(u"sweep_start"_s));
  EXPECT_TRUE(comes_true([this] { return chart().points().size() == 250; }));
  EXPECT_FALSE(find<QWidget>(u"sweep_start"_s).isVisible());
}

TEST_F(Sweeping, BehindAnotherTabNothingIsComputed) {
  const auto before = chart().points();
  click_tab(u"Memory over the step"_s);
  ASSERT_TRUE(comes_true([this] { return !panel().is_seen(); }));
  click_check_box(plans(), 0, PlanTreeModel::plan);
  ASSERT_TRUE(settles());
  EXPECT_EQ(chart().points(), before);
  click_tab(u"Peak against a dimension"_s);
  EXPECT_TRUE(comes_true(
      [&] { return chart().points().size() == before.size() && chart().points() != before; }));
}

TEST_F(Sweeping, TheMenuOfADimensionLeadsHere) {
  click_tab(u"Memory over the step"_s);
  ASSERT_TRUE(comes_true([this] { return !panel().is_seen(); }));
  const QString length = u"inputs_input_ids_dim1"_s;
  click(find<QWidget>(u"dimension_more:"_s + length));
  auto& menu = find<QMenu>(u"dimension_menu:"_s + length);
  QTest::mouseClick(&menu, Qt::LeftButton, {},
                    menu.actionGeometry(menu.findChild<QAction*>(u"sweep"_s)).center());
  EXPECT_TRUE(comes_true([this] { return panel().is_seen(); }));
  EXPECT_EQ(find<QComboBox>(u"sweep_dimension"_s).currentText(), u"sequence (%1)"_s.arg(length));
  EXPECT_TRUE(is_complete());
}

}  // namespace sweep_panel_test
}  // namespace stashscope::ui::test
