#include "ui/window/answer_bar.h"

#include <QApplication>
#include <QLineEdit>
#include <QListView>
#include <QTextDocument>

#include "core/study/facts/peak_floor.h"
#include "tests/ui/support/window_test.h"
#include "ui/text/texts.h"
#include "ui/theme/theme.h"
#include "ui/widgets/link_label.h"

namespace stashscope::ui::test {
namespace answer_bar_test {

using namespace Qt::StringLiterals;

class Answers : public WindowTest {
 protected:
  QPushButton& move(int number) { return find<QPushButton>(u"answer_move_%1"_s.arg(number)); }
  [[nodiscard]] bool offers_moves() {
    return comes_true([this] { return move(0).isVisible(); });
  }
  std::int64_t device_memory() { return profile_in_force(document().choices().times).memory_bytes; }
  void set_device_memory(std::int64_t bytes) {
    Choices choices = document().choices();
    choices.times.profile.memory_bytes = bytes;
    document().choose(choices, u"device"_s);
    ASSERT_TRUE(settles());
  }
};

TEST_F(Answers, AreHiddenWithoutAModel) {
  EXPECT_FALSE(find<AnswerBar>(u"answer_bar"_s).isVisible());
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(find<AnswerBar>(u"answer_bar"_s).isVisible());
}

TEST_F(Answers, SayThePeakAndWhetherItFits) {
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(bar().contains(bytes_text(peak()))) << bar().toStdString();
  EXPECT_TRUE(bar().contains(u"tensors fit "_s)) << bar().toStdString();
  EXPECT_FALSE(find<QWidget>(u"answer_fit"_s).isVisible());
  EXPECT_TRUE(bar().contains(bytes_text(device_memory() - peak()) + u" left"_s));
  set_device_memory(peak() - 1024);
  EXPECT_TRUE(bar().contains(u"not fit"_s)) << bar().toStdString();
  EXPECT_TRUE(bar().contains(bytes_text(1024))) << bar().toStdString();
  EXPECT_TRUE(find<QWidget>(u"answer_fit"_s).isVisible());
}

TEST_F(Answers, AStepThatLeavesLittleFitsNarrowly) {
  open(sample(u"gpt2_tiny"_s));
  const auto& text = find<QLabel>(u"answer_text"_s);
  const QString warning = theme_of(text.palette()).warning.name();
  set_device_memory(peak() * 10 / 9 + 1024);
  EXPECT_FALSE(bar().contains(u"narrowly"_s)) << bar().toStdString();
  EXPECT_FALSE(bar().contains(warning)) << bar().toStdString();
  EXPECT_TRUE(text.toolTip().contains(u"CUDA context"_s));
  set_device_memory(peak() * 10 / 9 - 1024);
  EXPECT_TRUE(bar().contains(u"fit narrowly"_s)) << bar().toStdString();
  EXPECT_FALSE(bar().contains(warning)) << "it fits: " << bar().toStdString();
  EXPECT_TRUE(bar().contains(bytes_text(device_memory() - peak()) + u" left"_s));
  EXPECT_TRUE(text.toolTip().contains(u"Less than 10 %"_s));
  EXPECT_EQ(text.accessibleDescription(), text.toolTip());
  set_device_memory(peak());
  EXPECT_TRUE(bar().contains(u"fit narrowly"_s)) << bar().toStdString();
  set_device_memory(peak() - 1024);
  EXPECT_TRUE(bar().contains(warning)) << bar().toStdString();
}

TEST_F(Answers, BelowWhatNoPlanFreesNothingIsPromised) {
  open(sample(u"gpt2_tiny"_s));
  const PeakFloor floor = peak_floor(*document().study());
  set_device_memory(floor.bytes - 1024);
  EXPECT_TRUE(bar().contains(u"no plan frees"_s)) << bar().toStdString();
  EXPECT_TRUE(bar().contains(shown(words_of(floor)))) << bar().toStdString();
  EXPECT_TRUE(find<QWidget>(u"answer_fit"_s).isVisible()) << "a pass may free outputs";
  set_device_memory(of(floor.parts, Band::parameters) + of(floor.parts, Band::gradients) - 1024);
  EXPECT_FALSE(find<QWidget>(u"answer_fit"_s).isVisible());
  set_device_memory(floor.bytes + 1024);
  EXPECT_FALSE(bar().contains(u"no plan frees"_s));
  EXPECT_TRUE(find<QWidget>(u"answer_fit"_s).isVisible());
}

/// The menus open under the words that they belong to.
TEST_F(Answers, MenusOpenUnderTheirLinks) {
  open(sample(u"gpt2_tiny"_s));
  auto& text = find<LinkLabel>(u"answer_text"_s);
  QTextDocument plain;
  plain.setHtml(text.text());
  const QString before = plain.toPlainText().section(u"no optimizer"_s, 0, 0);
  const int width = text.fontMetrics().horizontalAdvance(before);
  EXPECT_NEAR(text.left_of(u"optimizer"_s), text.contentsRect().left() + width, 8);
  EXPECT_GT(text.left_of(u"device"_s), text.left_of(u"optimizer"_s) + 20);
  Q_EMIT text.linkActivated(u"device"_s);
  auto& menu = find<QMenu>(u"fit_device_menu"_s);
  ASSERT_TRUE(comes_true([&] { return menu.isVisible(); }));
  EXPECT_EQ(menu.mapToGlobal(QPoint()).x(),
            text.mapToGlobal(QPoint(text.left_of(u"device"_s), 0)).x());
  menu.close();
}

TEST_F(Answers, APartOfTheDeviceIsKeptFree) {
  open(sample(u"gpt2_tiny"_s));
  set_device_memory(peak() * 101 / 100);
  EXPECT_TRUE(bar().contains(u"fit narrowly"_s)) << bar().toStdString();
  find<QAction>(u"reserve:5"_s).trigger();
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().times.reserve_percent, 5);
  EXPECT_TRUE(find<QAction>(u"reserve:5"_s).isChecked());
  EXPECT_TRUE(bar().contains(u" less 5 %"_s)) << bar().toStdString();
  EXPECT_TRUE(bar().contains(u"not fit"_s)) << bar().toStdString();
  EXPECT_TRUE(bar().contains(bytes_text(peak() - device_memory()) + u" too much"_s));
  EXPECT_TRUE(find<QWidget>(u"answer_fit"_s).isVisible());
  set_device_memory(peak() * 107 / 100);
  EXPECT_TRUE(bar().contains(u"tensors fit "_s)) << bar().toStdString();
  EXPECT_FALSE(bar().contains(u"narrowly"_s)) << "the reserve is what must be left";
  EXPECT_TRUE(bar().contains(bytes_text(device_memory() - peak()) + u" left"_s));
  find<QAction>(u"undo"_s).trigger();
  find<QAction>(u"undo"_s).trigger();
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().times.reserve_percent, 0);
}

TEST_F(Answers, TheOptimizerIsALinkToItsMenu) {
  open(sample(u"gpt2_tiny"_s));
  auto& text = find<QLabel>(u"answer_text"_s);
  auto& menu = find<QMenu>(u"optimizer_menu"_s);
  EXPECT_TRUE(bar().contains(u">no optimizer</a>"_s)) << bar().toStdString();
  text.setFocus();
  QTest::keyClick(&text, Qt::Key_Tab);
  QTest::keyClick(&text, Qt::Key_Return);
  ASSERT_TRUE(menu.isVisible()) << "the first link of the keyboard";
  const std::int64_t before = peak();
  find<QAction>(u"optimizer_adam"_s).trigger();
  menu.close();
  ASSERT_TRUE(settles());
  EXPECT_GT(peak(), before);
  EXPECT_TRUE(bar().contains(u">with adam</a>"_s)) << bar().toStdString();
}

TEST_F(Answers, NoCaretStandsInTheText) {
  open(sample(u"gpt2_tiny"_s));
  auto& text = find<QLabel>(u"answer_text"_s);
  text.setFocus(Qt::OtherFocusReason);
  EXPECT_TRUE(text.hasFocus());
  EXPECT_FALSE(text.textInteractionFlags().testFlag(Qt::TextSelectableByKeyboard));
}

TEST_F(Answers, TheTimeIsThatOfTheNodes) {
  open(sample(u"gpt2_tiny"_s));
  const Study& study = *document().study();
  EXPECT_TRUE(bar().contains(u"nodes take "_s + time_text(step_seconds(study, *study.current))));
  EXPECT_TRUE(
      find<QLabel>(u"answer_text"_s).toolTip().contains(u"a run measures the whole step"_s));
}

TEST_F(Answers, AMoveDoesWhatItsButtonSaysAndIsUndoneAtOnce) {
  open(sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(offers_moves());
  const std::int64_t before = peak();
  const QString text = move(0).text();
  click(move(0));
  ASSERT_TRUE(settles());
  EXPECT_LT(peak(), before);
  EXPECT_TRUE(text.contains(u"−"_s + bytes_text(before - peak()))) << text.toStdString();
  find<QAction>(u"undo"_s).trigger();
  ASSERT_TRUE(settles());
  EXPECT_EQ(peak(), before);
}

TEST_F(Answers, AKeyLeavesTheKeyboardInTheBar) {
  open(sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(offers_moves());
  move(0).setFocus();
  QTest::keyClick(&move(0), Qt::Key_Space);
  EXPECT_TRUE(find<QWidget>(u"answer_text"_s).hasFocus()) << "while new moves are searched for";
  ASSERT_TRUE(settles());
  ASSERT_TRUE(offers_moves());
  QTest::qWait(0);
  auto& text = find<QWidget>(u"answer_text"_s);
  ASSERT_TRUE(text.hasFocus()) << "and not on another move";
  const Choices after = document().choices();
  QTest::keyClick(&text, Qt::Key_Return);
  QTest::keyClick(&text, Qt::Key_Space);
  EXPECT_EQ(document().choices(), after) << "a second press does nothing";
  move(0).setFocus();
  QTest::keyClick(&move(0), Qt::Key_Space);
  window().graph().view().setFocus();
  ASSERT_TRUE(settles());
  ASSERT_TRUE(offers_moves());
  EXPECT_TRUE(window().graph().view().hasFocus()) << "the user has gone on";
}

TEST_F(Answers, ButtonsThatComeAndGoDoNotMoveThePanels) {
  open(sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(offers_moves());
  const int height = find<QWidget>(u"answer_bar"_s).height();
  const QPoint panel = find<QWidget>(u"graph_view"_s).mapTo(&window(), QPoint());
  Choices choices = document().choices();
  choices.plans.level = 1;
  document().choose(choices, u"level 1"_s);
  QTest::qWait(20);
  EXPECT_FALSE(find<QWidget>(u"answer_samples"_s).isVisible());
  EXPECT_FALSE(move(0).isVisible());
  EXPECT_EQ(find<QWidget>(u"answer_bar"_s).height(), height);
  EXPECT_EQ(find<QWidget>(u"graph_view"_s).mapTo(&window(), QPoint()), panel);
}

TEST_F(Answers, AMoveThatIsOutOfDateDoesNothing) {
  open(sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(offers_moves());
  Choices choices = document().choices();
  choices.plans.level = 1;
  document().choose(choices, u"level 1"_s);
  move(0).click();
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices(), choices);
}

TEST_F(Answers, StayInEveryWorkspace) {
  open(sample(u"gpt2_tiny"_s));
  for (const Workspace& each : workspaces()) {
    window().workspaces().choose(QString::fromLatin1(each.id));
    EXPECT_TRUE(find<AnswerBar>(u"answer_bar"_s).isVisible()) << each.id;
  }
  window().workspaces().choose(QString::fromLatin1(all_panels));
  EXPECT_TRUE(find<AnswerBar>(u"answer_bar"_s).isVisible());
  find<QAction>(u"reset_layout"_s).trigger();
  EXPECT_TRUE(find<AnswerBar>(u"answer_bar"_s).isVisible());
}

TEST_F(Answers, MakeItFitSearchesForAPlanThatFits) {
  open(sample(u"gpt2_tiny"_s));
  const std::int64_t memory = peak() * 9 / 10;
  set_device_memory(memory);
  auto& fit = find<QPushButton>(u"answer_fit"_s);
  fit.setFocus();
  QTest::keyClick(&fit, Qt::Key_Space);
  ASSERT_TRUE(comes_true([&] { return peak() <= memory; }));
  ASSERT_TRUE(settles());
  EXPECT_FALSE(fit.isVisible());
  ASSERT_TRUE(comes_true([this] { return find<AnswerBar>(u"answer_bar"_s).is_settled(); }));
  EXPECT_TRUE(find<QWidget>(u"answer_text"_s).hasFocus());
}

/// The command palette, which also lists the offers of the answer bar.
class Offers : public Answers {
 protected:
  QLineEdit& line() { return find<QLineEdit>(u"command_line"_s); }
  QStringList found(const QString& typed) {
    press(Qt::Key_K, Qt::ControlModifier);
    line().insert(typed);  // names of moves have letters that simulated keys lack
    const QAbstractItemModel& rows = *find<QListView>(u"command_list"_s).model();
    QStringList names;
    for (int row = 0; row < rows.rowCount(); ++row) names << rows.index(row, 0).data().toString();
    return names;
  }
  /// The name of the first move in the palette, without its price.
  QString first_offer() { return u"Answers "_s + move(0).text().section(u": "_s, 0, 0); }
  bool says_nothing_found() { return find<QWidget>(u"command_nothing"_s).isVisible(); }
};

TEST_F(Offers, AreFoundInThePalette) {
  open(sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(comes_true([this] { return find<AnswerBar>(u"answer_bar"_s).is_settled(); }));
  window().resize(700, 700);
  EXPECT_TRUE(comes_true([this] { return !move(1).isVisible(); })) << "no room";
  ASSERT_FALSE(move(1).text().isEmpty());
  EXPECT_TRUE(found(u"batch fits"_s).value(0).endsWith(u" fits"_s));
  EXPECT_TRUE(found(move(1).text()).value(0).endsWith(move(1).text()));
  EXPECT_FALSE(says_nothing_found());
  const std::int64_t before = peak();
  QTest::keyClick(&line(), Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_LT(peak(), before);
  EXPECT_FALSE(found(u"make it fit"_s).contains(u"Answers › Make it fit"_s)) << "it fits";
  EXPECT_TRUE(found(u"qqxqq"_s).isEmpty());
  EXPECT_TRUE(says_nothing_found());
  set_device_memory(peak() - 1024);
  EXPECT_EQ(found(u"make it fit"_s).value(0), u"Answers › Make it fit"_s);
}

TEST_F(Offers, AreCarriedOutOnceTheMovesOfTheStepAreKnown) {
  open(sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(offers_moves());
  ASSERT_TRUE(comes_true([this] { return find<AnswerBar>(u"answer_bar"_s).is_settled(); }));
  const QString offer = first_offer();
  Choices choices = document().choices();
  choices.order.strategy = "depth-first";
  document().choose(choices, u"another order"_s);
  ASSERT_FALSE(found(offer).isEmpty()) << "while the moves of the new step are searched for";
  QTest::keyClick(&line(), Qt::Key_Return);
  ASSERT_TRUE(comes_true([&] { return document().choices() != choices; }));
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().order.strategy, "depth-first") << "the other choice stays";
}

/// An undo comes back to the shown study before another one is computed.
TEST_F(Offers, AreKnownAgainAfterAChoiceThatIsTakenBackAtOnce) {
  open(sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(offers_moves());
  ASSERT_TRUE(comes_true([this] { return find<AnswerBar>(u"answer_bar"_s).is_settled(); }));
  Choices choices = document().choices();
  choices.order.strategy = "depth-first";
  document().choose(choices, u"another order"_s);
  document().undo_stack().undo();
  EXPECT_TRUE(comes_true([this] { return find<AnswerBar>(u"answer_bar"_s).is_settled(); }));
}

TEST_F(Offers, SayWhyTheyAreNotCarriedOut) {
  open(sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(offers_moves());
  ASSERT_TRUE(comes_true([this] { return find<AnswerBar>(u"answer_bar"_s).is_settled(); }));
  const QString offer = first_offer();
  click(move(0));
  const Choices choices = document().choices();
  ASSERT_FALSE(found(offer).isEmpty());
  QTest::keyClick(&line(), Qt::Key_Return);
  ASSERT_TRUE(comes_true([this] { return message().contains(u"not done"_s); }));
  EXPECT_EQ(document().choices(), choices);
}

TEST_F(Offers, AMoveThatIsGoneIsNotRunByAnOpenPalette) {
  open(sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(offers_moves());
  ASSERT_FALSE(found(move(0).text()).isEmpty());
  Choices choices = document().choices();
  choices.plans.level = 1;
  document().choose(choices, u"level 1"_s);
  ASSERT_TRUE(settles());
  QTest::qWait(0);
  QTest::keyClick(&line(), Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices(), choices);
}

}  // namespace answer_bar_test
}  // namespace stashscope::ui::test
