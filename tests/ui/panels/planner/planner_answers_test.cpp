// What the planner says and exports, at any size of its panel.

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QRegularExpression>
#include <QScrollArea>

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

TEST_F(Fit, IsAskedByTheMouseForTheMemoryOfTheDevice) {
  auto& dimensions = find<QComboBox>(u"fit_dimension"_s);
  EXPECT_EQ(dimensions.count(), std::ssize(document().study()->sizes->dims.dimensions));
  click(find<QWidget>(u"find_largest_button"_s));
  ASSERT_TRUE(ends());
  ASSERT_NE(planning().fit(), nullptr) << fits().toStdString();
  EXPECT_EQ(planning().fit()->question.memory_bytes,
            document().choices().times.profile.memory_bytes);
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
