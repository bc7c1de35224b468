// Comparison of another session or model with the open one.

#include "ui/panels/compare/compare_panel.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QScrollBar>
#include <QSettings>

#include "tests/ui/support/window_test.h"
#include "ui/models/plan_tree_model.h"
#include "ui/text/texts.h"
#include "ui/theme/text_size.h"
#include "ui/widgets/cell_delegate.h"

namespace stashscope::ui::test {
namespace compare_panel_test {

using namespace Qt::StringLiterals;

class Compare : public WindowTest {
 protected:
  void SetUp() override {
    QSettings().clear();
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }
  void TearDown() override { QSettings().clear(); }

  ComparePanel& panel() { return find<ComparePanel>(u"compare_panel"_s); }
  QTableView& table() { return find<QTableView>(u"compare_table"_s); }
  ComparisonChart& chart() { return find<ComparisonChart>(u"comparison_chart"_s); }
  bool is_in_front() { return !panel().visibleRegion().isEmpty(); }

  QString text(int row, int column) {
    return table().model()->index(row, column).data().toString();
  }
  int row_of(const QString& name) {
    for (int row = 0; row < table().model()->rowCount(); ++row) {
      if (text(row, ComparisonModel::name) == name) return row;
    }
    return -1;
  }

  void compare_with(const QString& path) {
    press(Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
    answer_file_dialog(u"compare_dialog"_s, path);
    ASSERT_TRUE(comes_true([this] { return panel().is_comparing(); })) << message().toStdString();
  }
  /// A session of the open model with its first plan on.
  QString planned_session() {
    click_check_box(plans(), 0, PlanTreeModel::plan);
    EXPECT_TRUE(settles());
    const QString file = in_folder(u"planned.stashscope"_s);
    document().save_session_as(file);
    EXPECT_TRUE(comes_true([&] { return document().files().session_path() == file; }));
    press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_TRUE(settles());
    return file;
  }
};

TEST_F(Compare, WhatAllocatorsReserve) {
  const QString session = planned_session();
  compare_with(session);
  EXPECT_EQ(row_of(u"reserved by the allocator"_s), -1);
  Choices choices = document().choices();
  choices.allocator = "";
  document().choose(choices, u"allocator"_s);
  ASSERT_TRUE(settles());
  const int row = row_of(u"reserved by the allocator"_s);
  ASSERT_GE(row, 0);
  EXPECT_EQ(text(row, ComparisonModel::left),
            bytes_text(document().reserved()->memory.reserved_bytes));
  EXPECT_EQ(text(row, ComparisonModel::right), u"–"_s) << "the session has no allocator";
  panel().swap_sides();
  EXPECT_EQ(text(row, ComparisonModel::left), u"–"_s);
}

TEST_F(Compare, ASessionBesideItsModel) {
  const std::int64_t without = peak();
  const QString session = planned_session();
  compare_with(session);
  EXPECT_TRUE(is_in_front());
  const int row = row_of(u"peak"_s);
  ASSERT_EQ(row, 0) << "the peak comes first";
  EXPECT_EQ(text(row, ComparisonModel::group), u"Memory"_s);
  EXPECT_EQ(text(row, ComparisonModel::left), bytes_text(without));
  EXPECT_TRUE(text(row, ComparisonModel::difference).startsWith(u"−"_s));
  EXPECT_EQ(row_of(u"optimizer"_s), -1) << "what is the same is not listed";
  click(find<QWidget>(u"compare_all"_s));
  EXPECT_GE(row_of(u"optimizer"_s), 0);
}

TEST_F(Compare, DifferencesAreNeverCutShort) {
  compare_with(planned_session());
  const auto fits = [this](int row) {
    const QModelIndex cell = table().model()->index(row, ComparisonModel::difference);
    const int wanted = table().sizeHintForIndex(cell).width();
    return wanted + 2 * CellDelegate::padding <= table().columnWidth(ComparisonModel::difference);
  };
  for (const int width : {1600, 1440, 900}) {
    window().resize(width, 900);
    click(find<QWidget>(u"compare_all"_s));
    ASSERT_GT(table().model()->rowCount(), 3);
    if (width > 900) {
      EXPECT_TRUE(comes_true([this] { return !table().horizontalScrollBar()->isVisible(); }))
          << "all of it is in sight in a window of usual size, " << width;
    }
    for (int row = 0; row < table().model()->rowCount(); ++row) {
      EXPECT_TRUE(fits(row)) << width << ' '
                             << text(row, ComparisonModel::difference).toStdString();
    }
  }
}

TEST_F(Compare, LargerTextCutsNoNameWhileThereIsRoom) {
  find<QAction>(u"workspace_compare"_s).trigger();
  compare_with(sample(u"lenet"_s));
  const auto is_cut = [this](int row) {
    const QModelIndex cell = table().model()->index(row, ComparisonModel::name);
    const int wanted = table().sizeHintForIndex(cell).width() + 2 * CellDelegate::padding;
    return wanted > table().columnWidth(ComparisonModel::name);
  };
  for (const int percent : {100, 125, 150}) {
    apply_text_size(*qApp, percent);
    QCoreApplication::processEvents();
    int checked = 0;
    for (int row = 0; row < table().model()->rowCount(); ++row) {
      if (text(row, ComparisonModel::group) == u"Alive at the peak"_s) break;
      EXPECT_FALSE(is_cut(row)) << percent << ' ' << text(row, ComparisonModel::name).toStdString();
      ++checked;
    }
    EXPECT_GT(checked, 5) << percent;
  }
  apply_text_size(*qApp, 100);
}

TEST_F(Compare, GoesToItsWorkspaceWithBothSidesInSight) {
  for (const QSize& size : {QSize(1366, 768), QSize(1093, 614)}) {
    window().resize(size);
    for (const QString& id : {u"overview"_s, u"run"_s}) {
      find<QAction>(u"workspace_"_s + id).trigger();
      compare_with(sample(u"lenet"_s));
      EXPECT_EQ(window().workspaces().current(), u"compare"_s);
      find<QAction>(u"reset_layout"_s).trigger();
      QCoreApplication::processEvents();
      EXPECT_TRUE(is_in_front());
      const int right = table().columnViewportPosition(ComparisonModel::difference) +
                        table().columnWidth(ComparisonModel::difference);
      EXPECT_LE(right, table().viewport()->width()) << size.width() << ' ' << id.toStdString();
      EXPECT_EQ(window().size(), size);
    }
  }
}

TEST_F(Compare, StaysAmongAllPanels) {
  compare_with(sample(u"lenet"_s));
  EXPECT_EQ(window().workspaces().current(), QString::fromLatin1(all_panels));
  EXPECT_TRUE(is_in_front());
}

TEST_F(Compare, FollowsTheChoicesOfItsWindow) {
  const QString session = planned_session();
  compare_with(session);
  ASSERT_GT(table().model()->rowCount(), 0);
  press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(table().model()->rowCount(), 1) << "the same plan is on now";
  EXPECT_EQ(text(0, ComparisonModel::name), u"peak"_s);
  EXPECT_EQ(text(0, ComparisonModel::difference), u"the same"_s);
}

TEST_F(Compare, SidesSwapAndThatIsRemembered) {
  compare_with(sample(u"lenet"_s));
  const QString left = text(0, ComparisonModel::left);
  const QString right = text(0, ComparisonModel::right);
  ASSERT_NE(left, right);
  EXPECT_TRUE(find<QLabel>(u"compare_left"_s).text().contains(u"gpt2_tiny"_s));
  click(find<QWidget>(u"compare_swap"_s));
  EXPECT_EQ(text(0, ComparisonModel::left), right);
  EXPECT_EQ(text(0, ComparisonModel::right), left);
  EXPECT_TRUE(find<QLabel>(u"compare_left"_s).text().contains(u"lenet"_s));
  start_window();
  open(sample(u"gpt2_tiny"_s));
  find<QAction>(u"go_to_compare_dock"_s).trigger();
  auto& again = find<QPushButton>(u"compare_again"_s);
  EXPECT_TRUE(again.text().contains(u"lenet"_s));
  again.setFocus();
  QTest::keyClick(&again, Qt::Key_Space);
  ASSERT_TRUE(comes_true([this] { return panel().is_comparing(); }));
  EXPECT_EQ(text(0, ComparisonModel::left), right);
}

TEST_F(Compare, ClosesAndInvitesAgain) {
  compare_with(sample(u"lenet"_s));
  click(find<QWidget>(u"compare_close"_s));
  EXPECT_FALSE(panel().is_comparing());
  EXPECT_EQ(table().model()->rowCount(), 0);
  EXPECT_TRUE(find<QLabel>(u"compare_invitation"_s).isVisible());
  click(find<QWidget>(u"compare_choose"_s));
  answer_file_dialog(u"compare_dialog"_s, sample(u"mlp_gelu"_s));
  ASSERT_TRUE(comes_true([this] { return panel().is_comparing(); }));
  EXPECT_TRUE(find<QLabel>(u"compare_right"_s).text().contains(u"mlp_gelu"_s));
}

TEST_F(Compare, AFileThatCannotBeReadLeavesTheOldOne) {
  compare_with(sample(u"lenet"_s));
  const int rows = table().model()->rowCount();
  panel().open(in_folder(u"missing.onnx"_s));
  ASSERT_TRUE(comes_true([this] { return !message().isEmpty(); }));
  EXPECT_TRUE(message().contains(u"missing.onnx"_s)) << message().toStdString();
  EXPECT_EQ(table().model()->rowCount(), rows);
  EXPECT_TRUE(find<QLabel>(u"compare_right"_s).text().contains(u"lenet"_s));
}

TEST_F(Compare, LoadingIsCancelled) {
  panel().open(sample(u"mlp_gelu"_s));
  click(find<QWidget>(u"compare_cancel"_s));
  EXPECT_FALSE(find<QWidget>(u"compare_cancel"_s).isVisible());
  QTest::qWait(100);
  EXPECT_FALSE(panel().is_comparing());
  panel().open(sample(u"lenet"_s));
  panel().close_comparison();
  QTest::qWait(50);
  EXPECT_FALSE(panel().is_comparing());
}

TEST_F(Compare, TheWindowClosesWhileTheOtherOneLoads) {
  panel().open(sample(u"mlp_gelu"_s));
  window_.reset();
}

TEST_F(Compare, TheCursorReadsBothCurves) {
  compare_with(sample(u"lenet"_s));
  EXPECT_EQ(chart().cursor(), document().study()->current->timeline.peak_slot);
  const std::size_t at = chart().cursor();
  chart().setFocus();
  press(Qt::Key_Right);
  EXPECT_EQ(chart().cursor(), at + 1);
  press(Qt::Key_Left, Qt::ShiftModifier);
  EXPECT_EQ(chart().cursor(), at - 9);
  QTest::mouseMove(&chart(), QPoint(static_cast<int>(chart().axis().right) - 1, 60));
  const std::size_t last = document().study()->current->timeline.order.size() - 1;
  const StepAxis& axis = chart().axis();
  const double slots_of_two_pixels = 2 * (axis.last - axis.first) / (axis.right - axis.left);
  EXPECT_NEAR(static_cast<double>(chart().cursor()), static_cast<double>(last),
              slots_of_two_pixels);
  EXPECT_LT(chart().step_at_cursor(ComparisonChart::right), 60U) << "the other model is small";
  EXPECT_TRUE(chart().readout().contains(u"%"_s));
}

TEST_F(Compare, TheReadoutIsWhatTheCurveShowsAtTheLine) {
  ComparisonChart narrow;
  narrow.resize(190, 200);  // far more slots than pixels
  narrow.set_studies(document().study(), document().study());
  ASSERT_FALSE(narrow.grab().isNull());
  const Timeline& timeline = document().study()->current->timeline;
  const double at = narrow.axis().x_of(static_cast<double>(timeline.peak_slot) + 0.5);
  for (const int beside : {-1, 0, 1}) {
    QTest::mouseMove(&narrow, QPoint(static_cast<int>(std::lround(at)) + beside, 60));
    EXPECT_EQ(narrow.step_at_cursor(ComparisonChart::left), timeline.peak_slot) << beside;
    EXPECT_TRUE(narrow.readout().contains(bytes_text(timeline.peak_bytes)));
  }
}

TEST_F(Compare, PlansAreNamedInWords) {
  compare_with(planned_session());
  bool is_listed = false;
  for (int row = 0; row < table().model()->rowCount(); ++row) {
    const QString name = text(row, ComparisonModel::name);
    EXPECT_FALSE(name.contains(u":1:"_s)) << "a config string: " << name.toStdString();
    is_listed = is_listed || name.contains(u", "_s);
  }
  EXPECT_TRUE(is_listed) << "such as: Gelu, 2 x mlp";
}

TEST_F(Compare, SidesOfDifferentSizesSayThatAndAreMadeTheSame) {
  const QString session = planned_session();
  compare_with(session);
  auto& same = find<QPushButton>(u"compare_same_sizes"_s);
  EXPECT_FALSE(same.isVisible());
  Choices choices = document().choices();
  choices.dims["inputs_input_ids_dim0"] = 7;
  document().choose(choices, u"batch 7"_s);
  ASSERT_TRUE(settles());
  ASSERT_TRUE(same.isVisible());
  const QString told = find<QLabel>(u"compare_sizes"_s).text();
  EXPECT_TRUE(told.contains(u"batch is 7 here and 1 there"_s)) << told.toStdString();
  const QString before = text(0, ComparisonModel::right);
  auto& own = find<QPushButton>(u"compare_own_sizes"_s);
  EXPECT_FALSE(own.isVisible());
  click(same);
  ASSERT_TRUE(comes_true([&] { return !same.isVisible(); }));
  EXPECT_NE(text(0, ComparisonModel::right), before);
  EXPECT_EQ(row_of(u"inputs_input_ids_dim0"_s), -1);
  const auto& sizes = find<QLabel>(u"compare_sizes"_s);
  EXPECT_EQ(sizes.text(),
            u"Right is computed with the sizes of this window: batch 7 instead of 1."_s);
  EXPECT_TRUE(sizes.isVisible());
  click(own);
  ASSERT_TRUE(comes_true([&] { return same.isVisible(); }));
  EXPECT_EQ(text(0, ComparisonModel::right), before);
  EXPECT_EQ(sizes.text(), told);
}

TEST_F(Compare, TheDialogStartsWhereTheLastSessionWasSaved) {
  const QString folder = in_folder(u"sessions"_s);
  ASSERT_TRUE(QDir().mkpath(folder));
  const auto start_of_dialog = [this] {
    press(Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
    auto& dialog = find<QFileDialog>(u"compare_dialog"_s);
    const QString start = dialog.directory().absolutePath();
    dialog.reject();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    return start;
  };
  EXPECT_EQ(start_of_dialog(), QFileInfo(sample(u"gpt2_tiny"_s)).absolutePath());
  document().save_session_as(folder + u"/a.stashscope"_s);
  ASSERT_TRUE(comes_true([&] { return !document().files().session_path().isEmpty(); }));
  EXPECT_EQ(start_of_dialog(), folder);
  open(sample(u"gpt2_tiny"_s));
  EXPECT_EQ(start_of_dialog(), folder) << "also without an open session";
}

TEST_F(Compare, TitlesSayWhenTheWindowHasChangedItsFile) {
  compare_with(planned_session());
  const auto& left = find<QLabel>(u"compare_left"_s);
  EXPECT_TRUE(left.text().endsWith(u"with the changes of this window"_s))
      << left.text().toStdString();
  press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(left.text().endsWith(u"as in this window"_s)) << left.text().toStdString();
}

TEST_F(Compare, AnotherModelEndsTheComparison) {
  compare_with(planned_session());
  open(in_folder(u"planned.stashscope"_s));
  EXPECT_TRUE(panel().is_comparing()) << "the model is the same";
  open(sample(u"lenet"_s));
  EXPECT_FALSE(panel().is_comparing());
}

TEST_F(Compare, TheReadoutFitsAtAnyWidth) {
  compare_with(sample(u"lenet"_s));
  std::set<QString> forms;
  qsizetype longest = 0;
  for (int width = 180; width <= 1100; width += 20) {
    ComparisonChart own;
    own.resize(width, 200);
    own.set_studies(document().study(), document().study());
    ASSERT_FALSE(own.grab().isNull());
    const QString text = own.shown_readout();
    EXPECT_GE(text.size(), longest) << width;
    longest = text.size();
    EXPECT_LE(own.fontMetrics().horizontalAdvance(text), own.axis().right - own.axis().left)
        << width;
    EXPECT_FALSE(text.contains(u"…"_s)) << width << " " << text.toStdString();
    forms.insert(text);
  }
  EXPECT_EQ(forms.size(), 4U) << "from all there is to the change alone";
  EXPECT_EQ(ComparisonChart().shown_readout(), QString());
}

TEST_F(Compare, ANarrowReadoutHasTheChangeOfThePeaks) {
  compare_with(planned_session());
  const std::int64_t left = document().study()->current->timeline.peak_bytes;
  press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_TRUE(settles());
  const auto planned = document().study();
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  ComparisonChart own;
  own.set_studies(document().study(), planned);
  own.resize(180, 200);
  ASSERT_FALSE(own.grab().isNull());
  press(Qt::Key_Right);
  EXPECT_EQ(own.shown_readout(),
            u"peak "_s + change_text(left, planned->current->timeline.peak_bytes));
  own.resize(1100, 200);
  ASSERT_FALSE(own.grab().isNull());
  EXPECT_TRUE(own.shown_readout().contains(u" → right slot "_s))
      << own.shown_readout().toStdString();
}

TEST_F(Compare, TheChartZoomsByKeysAndWheel) {
  compare_with(sample(u"lenet"_s));
  const StepAxis whole = chart().axis();
  chart().setFocus();
  press(Qt::Key_Plus);
  EXPECT_LT(chart().axis().last - chart().axis().first, whole.last);
  press(Qt::Key_0);
  EXPECT_EQ(chart().axis().last, whole.last);
  QWheelEvent wheel({200, 60}, chart().mapToGlobal(QPointF(200, 60)), {}, {0, 120}, Qt::NoButton,
                    Qt::NoModifier, Qt::NoScrollPhase, false);
  QApplication::sendEvent(&chart(), &wheel);
  EXPECT_LT(chart().axis().last - chart().axis().first, whole.last);
}

TEST(ComparisonModels, KeepTheRules) {
  ComparisonModel model;
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::Warning);
  const ComparisonRow same{
      ComparisonGroup::choices, "order", Quantity::text, {"file", {}}, {"file", {}}};
  const ComparisonRow other{
      ComparisonGroup::choices, "level", Quantity::text, {"0", {}}, {"1", {}}};
  model.set_rows({same, other});
  EXPECT_EQ(model.rowCount(), 1);
  model.show_all(true);
  EXPECT_EQ(model.rowCount(), 2);
  EXPECT_EQ(model.index(1, ComparisonModel::group).data().toString(), u""_s)
      << "a group is named once";
  model.set_rows({});
  EXPECT_EQ(model.rowCount(), 0);
}

}  // namespace compare_panel_test
}  // namespace stashscope::ui::test
