// What the planner says and exports, at any size of its panel.

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QRegularExpression>
#include <QScrollArea>

#include "core/study/facts/peak_floor.h"
#include "tests/ui/panels/planner/planner_test.h"
#include "ui/document/exports.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace planner_answers_test {

using namespace Qt::StringLiterals;

TEST_F(Planner, SaysBelowTheFieldsWhatAPlanConsistsOf) {
  const auto hint_of = [this] { return find<QLabel>(u"grain_hint"_s).text(); };
  EXPECT_TRUE(hint_of().contains(u"config string"_s)) << hint_of().toStdString();
  choose_entry(u"grain"_s, 1);
  EXPECT_TRUE(hint_of().contains(u"exported as a model"_s)) << hint_of().toStdString();
}

TEST_F(Planner, AnEmptyConfigIsNotExported) {
  choose_entry(u"grain"_s, 1);
  type_budget(u"70%"_s);
  QTest::keyClick(&field(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  ASSERT_TRUE(document().choices().plans.sequence);
  QApplication::clipboard()->setText(u"mine"_s);
  find<QAction>(u"copy_config"_s).trigger();
  EXPECT_TRUE(message().startsWith(u"Nothing is exported"_s)) << message().toStdString();
  EXPECT_TRUE(message().contains(u"File > Save modified model"_s)) << message().toStdString();
  EXPECT_EQ(QApplication::clipboard()->text(), u"mine"_s);
  export_environment(document(), in_folder(u"env.sh"_s));
  EXPECT_TRUE(message().startsWith(u"Nothing is exported"_s)) << message().toStdString();
  EXPECT_FALSE(QFile::exists(in_folder(u"env.sh"_s)));
}

TEST_F(Planner, CountsPlansAsThePlanTableDoes) {
  type_budget(u"70%"_s);
  QTest::keyClick(&field(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  const auto number_in = [](const QString& text, const QString& pattern) {
    return QRegularExpression(pattern).match(text).captured(1).toInt();
  };
  const int planned = number_in(details(), u"(\\d+) plans?:"_s);
  EXPECT_GT(planned, 0) << details().toStdString();
  const QString summary = find<QLabel>(u"plan_summary"_s).text();
  EXPECT_EQ(number_in(summary, u"^(\\d+) of"_s), planned) << summary.toStdString();
  for (const QString& word : {u"probe"_s, u"grain"_s, u"moves"_s, u":-1"_s}) {
    EXPECT_FALSE((answer() + details()).contains(word)) << word.toStdString();
  }
}

TEST_F(Planner, ComesAsATabWhereTheWorkspaceHasNone) {
  find<QAction>(u"workspace_plan"_s).trigger();
  ASSERT_TRUE(plans().isVisible());
  find<QAction>(u"set_budget"_s).trigger();
  QCoreApplication::processEvents();
  auto& dock = find<QDockWidget>(u"planner_dock"_s);
  EXPECT_TRUE(window().tabifiedDockWidgets(&dock).contains(&find<QDockWidget>(u"plans_dock"_s)));
  EXPECT_TRUE(field().isVisible());
  EXPECT_GT(dock.height(), window().height() / 4) << "as much room as the plans had";
}

TEST_F(Planner, SaysWhatNoPlanFreesAndNamesNoOtherGrain) {
  const PeakFloor floor = peak_floor(*document().study());
  const auto says_floor = [&] {
    return answer().contains(u"<b>%1</b> at its end: %2. No plan frees these bytes"_s.arg(
        bytes_text(floor.bytes), shown(words_of(floor))));
  };
  type_budget(QString::number(floor.bytes - 1024) + u" B"_s);
  EXPECT_TRUE(says_floor()) << "before any search: " << answer().toStdString();
  QTest::keyClick(&field(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  EXPECT_TRUE(says_floor()) << answer().toStdString();
  const QString bound =
      QRegularExpression(u"Lower bound: <b>([^<]+)</b>"_s).match(answer()).captured(1);
  ASSERT_NE(bound, bytes_text(floor.bytes)) << answer().toStdString();
  EXPECT_TRUE(answer().contains(QRegularExpression(
      u"The lower bound is .* above the bytes held at the end, because more is live while "
      u"node .* runs"_s)))
      << answer().toStdString();
  EXPECT_FALSE(details().contains(u"optimizer states"_s)) << details().toStdString();
  EXPECT_TRUE(answer().contains(u"cannot be met"_s)) << answer().toStdString();
  EXPECT_FALSE(answer().contains(u"may meet the budget"_s)) << answer().toStdString();
  EXPECT_EQ(document().choices(), before_);
}

TEST_F(Planner, SaysFromWhereToWhereThePeakWent) {
  const std::int64_t before = peak();
  type_budget(u"70%"_s);
  QTest::keyClick(&field(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  const QString change =
      u"from <b>%1</b> to <b>%2</b>"_s.arg(bytes_text(before), bytes_text(peak()));
  EXPECT_TRUE(answer().contains(change)) << answer().toStdString();
}

TEST_F(Planner, MakeItFitNamesThePassesThatItSwitchedOn) {
  const std::int64_t before = peak();
  type_budget(QString::number(share(62)) + u" B"_s);  // passes lower what a share is taken of
  find<PlannerPanel>(u"planner_panel"_s).make_fit();
  ASSERT_TRUE(ends());
  const std::size_t passes = document().choices().graph.passes.size();
  ASSERT_GT(passes, 0U) << "plans alone cost more";
  EXPECT_TRUE(answer().contains(bytes_text(before))) << answer().toStdString();
  EXPECT_TRUE(answer().contains(u"switched on"_s)) << answer().toStdString();
  EXPECT_TRUE(document().undo_stack().undoText().contains(
      u"%1 → %2"_s.arg(bytes_text(before), bytes_text(peak()))))
      << document().undo_stack().undoText().toStdString();
}

TEST_F(Planner, OffersPassesThatMakeThePlanCheaper) {
  type_budget(QString::number(share(62)) + u" B"_s);
  QTest::keyClick(&field(), Qt::Key_Return);
  auto& use = find<QPushButton>(u"use_passes_button"_s);
  EXPECT_FALSE(use.isVisible());
  ASSERT_TRUE(ends());
  ASSERT_NE(planning().offer(), nullptr) << answer().toStdString();
  EXPECT_TRUE(document().choices().graph.passes.empty());
  ASSERT_TRUE(use.isVisible());
  const DeviceFit offer = *planning().offer();
  EXPECT_TRUE(answer().contains(bytes_text(offer.answer.best.peak_bytes)))
      << answer().toStdString();
  for (const GraphPass* const pass : offer.passes) {
    const QString title = shown(std::string(pass->title)).toHtmlEscaped();
    EXPECT_TRUE(answer().contains(title)) << answer().toStdString();
  }
  click(use);
  ASSERT_TRUE(settles());
  EXPECT_EQ(peak(), offer.answer.best.peak_bytes);
  EXPECT_FALSE(use.isVisible());
  EXPECT_TRUE(answer().contains(u"switched on"_s)) << answer().toStdString();
}

TEST_F(Planner, SaysWhatAPlanWithItsPassesSavedAgainstTheStart) {
  const Study& start = *document().study();
  const QString peak_before = bytes_text(peak());
  const QString time_before = time_text(step_seconds(start, *start.current));
  type_budget(u"62 %"_s);  // a share of a peak that the passes lower
  QTest::keyClick(&field(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  auto& use = find<QPushButton>(u"use_passes_button"_s);
  ASSERT_TRUE(use.isVisible()) << answer().toStdString();
  const std::int64_t budget = planning().answer()->request.budget_bytes;
  click(use);
  ASSERT_TRUE(settles());
  ASSERT_NE(share(62), budget);
  const Study& now = *document().study();
  EXPECT_TRUE(
      answer().contains(u"from <b>%1</b> to <b>%2</b>"_s.arg(peak_before, bytes_text(peak()))))
      << answer().toStdString();
  EXPECT_TRUE(answer().contains(u"a step from <b>%1</b> to <b>%2</b>"_s.arg(
      time_before, time_text(step_seconds(now, *now.current)))))
      << answer().toStdString();
  EXPECT_FALSE(find<QPushButton>(u"use_plan_button"_s).isVisible()) << "this plan is in use";
  type_budget(u"61 %"_s);
  EXPECT_FALSE(answer().contains(u"The search changed"_s)) << "another budget has no answer yet";
}

TEST_F(Planner, TheInvitationOfTheChartStandsOnNoGrid) {
  ASSERT_TRUE(chart().points().empty());
  chart().set_marks(ChartMarks{{100, 0}, {60, 0.5}, 1, 80, {}});
  const PlanChartMap map = chart().map();
  const QImage picture = chart().grab().toImage();
  const QRgb background = picture.pixel(2, 2);
  // Nothing stands between the upper and the lower line of the grid, except lines from top to
  // bottom.
  const double half = (map.plot.top() + map.plot.bottom()) / 2;
  const int above = qRound(half) - 4;
  const int below = qRound(half) + 4;
  int kinds = 0;
  for (int x = qRound(map.plot.left()); x < qRound(map.plot.right()); ++x) {
    const bool is_line = picture.pixel(x, above) != background;
    if (is_line != (picture.pixel(x, below) != background)) ++kinds;
  }
  EXPECT_LE(kinds, 3) << "a text is in the way of the lines";
}

TEST_F(Planner, TheBudgetBelongsToItsModelAndItsSession) {
  const QString first = field().text();
  type_budget(u"3 MiB"_s);
  const QString session = in_folder(u"way.stashscope"_s);
  document().save_session_as(session);
  ASSERT_TRUE(comes_true([&] { return document().files().session_path() == session; }));
  open(sample(u"lenet"_s));
  EXPECT_EQ(field().text(), first) << "another model starts with its own";
  EXPECT_EQ(find<QLineEdit>(u"toolbar_budget"_s).text(), first);
  open(session);
  EXPECT_EQ(field().text(), u"3 MiB"_s);
  EXPECT_TRUE(hint().contains(bytes_text(share(100)))) << hint().toStdString();
  open(sample(u"gpt2_tiny"_s));
  EXPECT_EQ(field().text(), first) << "the model itself has no budget";
}

TEST_F(Planner, ABudgetInTheToolbarThatIsNoneIsAMessageWhereItWasTyped) {
  find<QDockWidget>(u"plans_dock"_s).raise();
  auto& toolbar = find<QLineEdit>(u"toolbar_budget"_s);
  type_into(toolbar, u"lots"_s);
  QTest::keyClick(&toolbar, Qt::Key_Return);
  EXPECT_TRUE(message().contains(u"lots"_s) && message().contains(u"60%"_s))
      << message().toStdString();
  EXPECT_TRUE(find<QWidget>(u"planner_panel"_s).visibleRegion().isEmpty());
}

/// A panel beside the window, as small as the test wants it.
class SmallPlanner : public Planner {
 protected:
  void SetUp() override {
    Planner::SetUp();
    dock().setFloating(true);
  }
  QDockWidget& dock() { return find<QDockWidget>(u"planner_dock"_s); }
  QScrollArea& scroll() { return *find<QWidget>(u"planner_panel"_s).findChild<QScrollArea*>(); }
  void resize(int width, int height) {
    dock().resize(width, height);
    QCoreApplication::processEvents();
  }
};

TEST_F(SmallPlanner, ShowsTheAnswerAfterItsButtonWasUsed) {
  resize(420, 320);
  type_budget(u"62 %"_s);
  QTest::keyClick(&field(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  auto& use = find<QPushButton>(u"use_passes_button"_s);
  ASSERT_TRUE(use.isVisible()) << answer().toStdString();
  use.setFocus();
  scroll().ensureWidgetVisible(&use);
  QTest::keyClick(&use, Qt::Key_Space);
  ASSERT_TRUE(settles());
  QTest::qWait(20);
  const auto& text = find<QLabel>(u"budget_answer"_s);
  ASSERT_TRUE(text.text().contains(u"The search changed"_s)) << text.text().toStdString();
  const int top = text.mapTo(scroll().viewport(), QPoint()).y();
  EXPECT_GE(top, 0) << "its first line says what was saved";
  EXPECT_LT(top, scroll().viewport()->height() / 2 + 40);
  EXPECT_TRUE(find<QPushButton>(u"plan_button"_s).hasFocus());
}

TEST_F(SmallPlanner, IsWholeAtEveryWidth) {
  for (const int width : {900, 500, 395, 300, 1}) {
    resize(width, 500);
    const int room = scroll().viewport()->width();
    for (const QWidget* const each : scroll().widget()->findChildren<QWidget*>()) {
      if (!each->isVisible() || each->objectName().isEmpty()) continue;
      const QPoint at = each->mapTo(scroll().viewport(), QPoint());
      EXPECT_GE(at.x(), 0) << each->objectName().toStdString() << " at " << width;
      EXPECT_LE(at.x() + each->width(), room)
          << each->objectName().toStdString() << " at " << width;
      EXPECT_GE(each->width(), each->minimumSizeHint().width())
          << each->objectName().toStdString() << " at " << width;
    }
  }
  EXPECT_LT(dock().width(), 350) << "the least width";
}

TEST_F(SmallPlanner, KeepsTheLargestSizeAndItsFieldInView) {
  resize(420, 360);
  auto& memory = find<QLineEdit>(u"fit_memory"_s);
  press(Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
  type_into(find<QComboBox>(u"fit_dimension"_s).lineEdit()[0], u"inputs_input_ids_dim0"_s);
  type_into(memory, u"64MiB"_s);
  QTest::keyClick(&memory, Qt::Key_Return);
  ASSERT_TRUE(ends());
  QCoreApplication::processEvents();
  const auto& answer = find<QLabel>(u"fit_answer"_s);
  EXPECT_EQ(memory.visibleRegion().boundingRect(), memory.rect());
  EXPECT_EQ(answer.visibleRegion().boundingRect(), answer.rect()) << answer.text().toStdString();
}

TEST_F(Planner, AnotherBudgetEndsTheSearchForTheOldOne) {
  set_time_limit(600);
  type_budget(u"60%"_s);
  QTest::keyClick(&field(), Qt::Key_Return);
  ASSERT_EQ(planning().job(), PlanningJob::budget);
  type_budget(u"abc"_s);
  EXPECT_EQ(planning().job(), PlanningJob::none);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices(), before_);
}

TEST_F(Planner, ABudgetWithAMinusSaysWhatItSaves) {
  type_budget(u"-1 MiB"_s);
  EXPECT_TRUE(hint().contains(u"saves 1.00 MiB"_s)) << hint().toStdString();
}

class Fit : public Planner {
 protected:
  QString fits() { return find<QLabel>(u"fit_answer"_s).text(); }
  QLineEdit& dimension() { return *find<QComboBox>(u"fit_dimension"_s).lineEdit(); }
  QLineEdit& memory() { return find<QLineEdit>(u"fit_memory"_s); }
};

TEST_F(Fit, ANumberWithoutAUnitIsInGibibytes) {
  type_into(memory(), u"0.0625"_s);
  QTest::keyClick(&memory(), Qt::Key_Return);
  EXPECT_EQ(memory().text(), u"0.0625 GiB"_s);
  ASSERT_TRUE(ends());
  EXPECT_EQ(planning().fit()->question.memory_bytes, 64 << 20);
}

TEST_F(Fit, IsAskedByKeysAndStaysInTheStatusLine) {
  press(Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_TRUE(find<QComboBox>(u"fit_dimension"_s).hasFocus() || dimension().hasFocus());
  type_into(dimension(), u"batch=inputs_input_ids_dim0"_s);
  type_into(memory(), u"64MiB"_s);
  QTest::keyClick(&memory(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  ASSERT_NE(planning().fit(), nullptr) << fits().toStdString();
  const std::int64_t most = planning().fit()->current.largest->value;
  EXPECT_TRUE(fits().contains(u"<b>%1</b>"_s.arg(most))) << fits().toStdString();
  EXPECT_TRUE(fits().contains(u"%1 fails: peak"_s.arg(most + 1))) << fits().toStdString();
  EXPECT_TRUE(status().contains(u"fits 64.0 MiB: batch %1"_s.arg(most))) << status().toStdString();
  Choices choices = document().choices();
  choices.plans.level = 1;
  document().choose(choices, u"other plans"_s);
  ASSERT_TRUE(settles());
  EXPECT_FALSE(status().contains(u"fits"_s)) << status().toStdString();
}

TEST_F(Fit, AKeyFindsTheLargestSizeAndSaysWhatWasTried) {
  press(Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_TRUE(ends());
  ASSERT_NE(planning().fit(), nullptr) << fits().toStdString();
  EXPECT_TRUE(fits().contains(u"Without plans"_s)) << fits().toStdString();
  EXPECT_FALSE(fits().contains(u"that are on"_s)) << "no plan is on: " << fits().toStdString();
  EXPECT_TRUE(fits().contains(u"With a plan made for each size"_s)) << fits().toStdString();
}

TEST_F(Fit, OneClickSetsTheSizeWithThePlanMadeForIt) {
  const std::int64_t memory_bytes = peak();
  type_into(dimension(), u"batch"_s);
  type_into(memory(), QString::number(memory_bytes) + u" B"_s);
  QTest::keyClick(&memory(), Qt::Key_Return);
  auto& use = find<QPushButton>(u"use_replanned_button"_s);
  EXPECT_FALSE(use.isVisible());
  ASSERT_TRUE(ends());
  const PlannedFit found = *planning().replanned()->largest;
  ASSERT_GT(found.value, 16);
  EXPECT_TRUE(fits().contains(bytes_text(found.peak_bytes))) << fits().toStdString();
  EXPECT_EQ(use.text(), u"Set batch to %1 with this plan"_s.arg(found.value));
  const QString value = QString::number(found.value);
  const QString largest = planning().replanned()->is_at_least() ? u"at least "_s + value : value;
  EXPECT_TRUE(status().contains(largest + u" with a plan made for that size"_s))
      << status().toStdString();
  click(use);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(status().contains(u": batch "_s + largest)) << status().toStdString();
  EXPECT_FALSE(status().contains(u"with a plan"_s)) << "no size without it is told";
  EXPECT_EQ(peak(), found.peak_bytes);
  EXPECT_LE(peak(), memory_bytes);
  EXPECT_FALSE(use.isVisible());
  EXPECT_TRUE(fits().contains(u"In use"_s)) << fits().toStdString();
  undo();
  EXPECT_EQ(document().choices(), before_);
  EXPECT_TRUE(use.isVisible());
}

TEST_F(Fit, ReturnWithUnchangedFieldsDoesNotStartAgain) {
  set_time_limit(600);
  type_into(memory(), QString::number(peak()) + u" B"_s);
  QTest::keyClick(&memory(), Qt::Key_Return);
  const auto is_replanning = [&] { return planning().replanning() != nullptr; };
  ASSERT_TRUE(comes_true(is_replanning));
  QTest::keyClick(&memory(), Qt::Key_Return);
  EXPECT_TRUE(is_replanning()) << "a new search would begin with the plans that are on";
  const auto says_more = [&] { return fits().contains(u"at least"_s); };
  EXPECT_TRUE(comes_true(says_more)) << fits().toStdString();
  click(find<QWidget>(u"find_largest_button"_s));
  ASSERT_TRUE(ends());
  EXPECT_TRUE(fits().contains(u"Stopped"_s)) << fits().toStdString();
}

TEST_F(Fit, IsAskedByTheMouseForTheMemoryOfTheDevice) {
  auto& dimensions = find<QComboBox>(u"fit_dimension"_s);
  EXPECT_EQ(dimensions.count(), std::ssize(document().study()->sizes->dims.dimensions));
  click(find<QWidget>(u"find_largest_button"_s));
  ASSERT_TRUE(ends());
  ASSERT_NE(planning().fit(), nullptr) << fits().toStdString();
  EXPECT_EQ(planning().fit()->question.memory_bytes,
            document().choices().times.profile.memory_bytes);
}

TEST_F(Fit, TakesWordsWhereItTakesNames) {
  type_into(dimension(), u"size=batch, sequence"_s);
  type_into(memory(), u"64MiB"_s);
  QTest::keyClick(&memory(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  ASSERT_NE(planning().fit(), nullptr) << fits().toStdString();
  EXPECT_EQ(planning().fit()->question.names,
            (std::vector<std::string>{"inputs_input_ids_dim0", "inputs_input_ids_dim1"}));
  EXPECT_EQ(planning().fit()->question.label, "size");
}

TEST_F(Fit, NamesASizeByItsWord) {
  EXPECT_EQ(find<QComboBox>(u"fit_dimension"_s).itemText(0), u"batch (inputs_input_ids_dim0)"_s);
  type_into(dimension(), u"batch (inputs_input_ids_dim0)"_s);
  type_into(memory(), u"64MiB"_s);
  QTest::keyClick(&memory(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  ASSERT_NE(planning().fit(), nullptr) << fits().toStdString();
  EXPECT_EQ(planning().fit()->question.names, std::vector<std::string>{"inputs_input_ids_dim0"});
  const std::int64_t most = planning().fit()->current.largest->value;
  EXPECT_TRUE(status().contains(u"fits 64.0 MiB: batch %1"_s.arg(most))) << status().toStdString();
}

TEST_F(Fit, IsAskedByOneReturnAndByTheWordAlone) {
  press(Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
  QTest::keyClick(&dimension(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  ASSERT_NE(planning().fit(), nullptr) << fits().toStdString();
  type_into(dimension(), u"batch"_s);
  type_into(memory(), u"64MiB"_s);
  QTest::keyClick(&memory(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  EXPECT_EQ(planning().fit()->question.names, std::vector<std::string>{"inputs_input_ids_dim0"});
  EXPECT_EQ(planning().fit()->question.memory_bytes, 64 << 20);
}

TEST_F(Fit, SaysWhatIsWrongWithTheQuestion) {
  type_into(dimension(), u"nonsense"_s);
  QTest::keyClick(&dimension(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  EXPECT_TRUE(fits().contains(u"nonsense"_s)) << fits().toStdString();
  type_into(memory(), u"much"_s);
  QTest::keyClick(&memory(), Qt::Key_Return);
  EXPECT_TRUE(fits().contains(u"much"_s)) << fits().toStdString();
}

}  // namespace planner_answers_test
}  // namespace stashscope::ui::test
