// Nothing the user did is lost: questions before leaving, recovery after a crash, and a window that
// closes during any work.

#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>

#include "core/study/files/session.h"
#include "tests/ui/support/window_test.h"
#include "ui/models/plan_tree_model.h"

namespace stashscope::ui::test {
namespace leaving_test {

using namespace Qt::StringLiterals;

class Leaving : public WindowTest {
 protected:
  void tick_first_plan() {
    click_check_box(plans(), 0, PlanTreeModel::plan);
    ASSERT_TRUE(settles());
  }
  QStringList kept_sessions() {
    return QDir(in_folder(u"autosave"_s)).entryList({u"*.stashscope"_s}, QDir::Files);
  }
  bool asks() { return window().findChild<QMessageBox*>(u"unsaved_question"_s) != nullptr; }
};

TEST_F(Leaving, AsksOnlyWhenSomethingIsUnsaved) {
  open(sample(u"gpt2_tiny"_s));
  window().close();
  EXPECT_FALSE(window().isVisible());
}

TEST_F(Leaving, CancelStays) {
  open(sample(u"gpt2_tiny"_s));
  tick_first_plan();
  const Choices chosen = document().choices();
  window().close();
  EXPECT_TRUE(window().isVisible());
  answer_question(u"unsaved_question"_s, u"Cancel"_s);
  ASSERT_TRUE(comes_true([this] { return !asks(); }));
  EXPECT_TRUE(window().isVisible());
  EXPECT_EQ(document().choices(), chosen);
}

TEST_F(Leaving, DiscardKeepsNothing) {
  open(sample(u"gpt2_tiny"_s));
  tick_first_plan();
  window().close();
  answer_question(u"unsaved_question"_s, u"Discard"_s);
  ASSERT_TRUE(comes_true([this] { return !window().isVisible(); }));
  window_.reset();
  EXPECT_EQ(kept_sessions(), QStringList());
}

TEST_F(Leaving, AnotherModelAsksToo) {
  open(sample(u"gpt2_tiny"_s));
  tick_first_plan();
  press(Qt::Key_O, Qt::ControlModifier);
  answer_file_dialog(u"open_dialog"_s, sample(u"lenet"_s));
  answer_question(u"unsaved_question"_s, u"Cancel"_s);
  ASSERT_TRUE(comes_true([this] { return !asks(); }));
  EXPECT_TRUE(document().model_path().contains(u"gpt2_tiny"_s));
  press(Qt::Key_O, Qt::ControlModifier);
  answer_file_dialog(u"open_dialog"_s, sample(u"lenet"_s));
  answer_question(u"unsaved_question"_s, u"Discard"_s);
  ASSERT_TRUE(comes_true([this] { return document().model_path().contains(u"lenet"_s); }));
}

TEST_F(Leaving, ASessionThatCannotBeWrittenStaysUnsaved) {
  open(sample(u"gpt2_tiny"_s));
  tick_first_plan();
  window().close();
  answer_question(u"unsaved_question"_s, u"Save"_s);
  ASSERT_TRUE(comes_true([this] { return window().findChild<QWidget*>(u"save_dialog"_s); }));
  window().findChild<QDialog*>(u"save_dialog"_s)->reject();
  document().save_session_as(u"/proc/no/such/place.stashscope"_s);
  ASSERT_TRUE(comes_true([this] { return !message().isEmpty(); }));
  EXPECT_TRUE(message().contains(u"place.stashscope"_s)) << message().toStdString();
  EXPECT_TRUE(window().isVisible());
  EXPECT_TRUE(window().isWindowModified());
  EXPECT_EQ(document().files().session_path(), u""_s);
}

TEST_F(Leaving, SavingAgainAsksForNoName) {
  open(sample(u"gpt2_tiny"_s));
  tick_first_plan();
  press(Qt::Key_S, Qt::ControlModifier);
  answer_file_dialog(u"save_dialog"_s, in_folder(u"named"_s));
  ASSERT_TRUE(comes_true([this] { return !document().files().session_path().isEmpty(); }));
  EXPECT_EQ(document().files().session_path(), in_folder(u"named.stashscope"_s));
  EXPECT_FALSE(window().isWindowModified());
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(window().isWindowModified());
  press(Qt::Key_S, Qt::ControlModifier);
  ASSERT_TRUE(comes_true([this] { return !window().isWindowModified(); }));
  EXPECT_EQ(window().findChild<QWidget*>(u"save_dialog"_s), nullptr);
}

TEST_F(Leaving, WhatACrashLeftBehindIsOfferedAndRestored) {
  open(sample(u"gpt2_tiny"_s));
  tick_first_plan();
  const Choices chosen = document().choices();
  start_window();  // the old window is destroyed without being closed
  ASSERT_EQ(kept_sessions().size(), 1);
  const QString abandoned = kept_sessions().front();
  window().offer_recovery();
  EXPECT_TRUE(message().contains(u"gpt2_tiny.onnx"_s)) << message().toStdString();
  click_message_action(u"Restore"_s);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices(), chosen);
  EXPECT_TRUE(window().isWindowModified());
  EXPECT_EQ(document().files().session_path(), u""_s);
  ASSERT_TRUE(comes_true([&] { return !kept_sessions().contains(abandoned); }));
  ASSERT_EQ(kept_sessions().size(), 1) << "restored choices are kept until they are saved";
}

TEST_F(Leaving, ABudgetMarksTheSessionAsChanged) {
  open(sample(u"gpt2_tiny"_s));
  auto& budget = find<QLineEdit>(u"toolbar_budget"_s);
  const auto type = [&](const QString& text) {
    window().activateWindow();  // a dialog may have been in front
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window()));
    budget.setFocus();
    budget.selectAll();
    QTest::keyClicks(&budget, text);
  };
  const QString at_first = budget.text();
  EXPECT_FALSE(window().isWindowModified());
  type(u"16 GiB"_s);
  EXPECT_TRUE(window().isWindowModified());
  EXPECT_EQ(document().undo_stack().count(), 0) << "the step is the same";
  type(at_first);
  EXPECT_FALSE(window().isWindowModified()) << "as it was";
  type(u"16 GiB"_s);
  press(Qt::Key_S, Qt::ControlModifier);
  answer_file_dialog(u"save_dialog"_s, in_folder(u"named"_s));
  ASSERT_TRUE(comes_true([this] { return !document().files().session_path().isEmpty(); }));
  EXPECT_FALSE(window().isWindowModified());
  type(u"12 GiB"_s);
  EXPECT_TRUE(window().isWindowModified());
  ASSERT_TRUE(comes_true([this] { return kept_sessions().size() == 1; })) << "it is kept";
  window().close();
  EXPECT_TRUE(window().isVisible());
  answer_question(u"unsaved_question"_s, u"Save"_s);
  ASSERT_TRUE(comes_true([this] { return !window().isVisible(); }));
  start_window();
  open(in_folder(u"named.stashscope"_s));
  EXPECT_EQ(find<QLineEdit>(u"toolbar_budget"_s).text(), u"12 GiB"_s);
  EXPECT_FALSE(window().isWindowModified());
  document().set_fits_reserved(true);
  EXPECT_TRUE(window().isWindowModified());
}

TEST_F(Leaving, UnsavedChoicesOfASessionAreOfferedUnderItsName) {
  open(sample(u"gpt2_tiny"_s));
  tick_first_plan();
  const QString session = in_folder(u"named.stashscope"_s);
  document().save_session_as(session);
  ASSERT_TRUE(comes_true([&] { return document().files().session_path() == session; }));
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  start_window();
  window().offer_recovery();
  EXPECT_TRUE(message().contains(u"named.stashscope of gpt2_tiny.onnx"_s))
      << message().toStdString();
  auto& menu = find<QMenu>(u"unsaved_menu"_s);
  Q_EMIT menu.aboutToShow();
  ASSERT_EQ(menu.actions().size(), 1);
  EXPECT_TRUE(menu.actions().front()->text().contains(u"named.stashscope"_s));
  click_message_action(u"Restore"_s);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(window().isWindowModified());
  EXPECT_EQ(document().files().session_path(), session) << "Ctrl+S saves there";
  EXPECT_TRUE(window().windowTitle().contains(u"named"_s)) << window().windowTitle().toStdString();
  press(Qt::Key_S, Qt::ControlModifier);
  ASSERT_TRUE(comes_true([this] { return !window().isWindowModified(); }));
  std::string warning;
  EXPECT_TRUE(load_session(session.toStdString(), warning).unsaved_of.empty());
}

TEST_F(Leaving, WhatACrashLeftBehindCanBeDiscarded) {
  open(sample(u"gpt2_tiny"_s));
  tick_first_plan();
  start_window();
  window().offer_recovery();
  click_message_action(u"Discard"_s);
  EXPECT_EQ(kept_sessions(), QStringList());
  EXPECT_EQ(message(), u""_s);
}

TEST_F(Leaving, AllThatCrashesLeftBehindIsOfferedUntilItIsDecided) {
  for (const QString& name : {u"a.onnx"_s, u"b.onnx"_s, u"c.onnx"_s}) {
    ASSERT_TRUE(QFile::copy(sample(u"gpt2_tiny"_s), in_folder(name)));
    open(in_folder(name));
    tick_first_plan();
    start_window();
  }
  ASSERT_EQ(kept_sessions().size(), 3);
  const auto offered = [this] { return message().section(u' ', 2, 2); };
  const auto answer = [this](const QString& button) {
    click_message_action(button);
    QTest::qWait(1);  // the buttons of the offer before go away
  };
  window().offer_recovery();
  const QString first = offered();
  EXPECT_TRUE(message().contains(u"1 of 3"_s)) << message().toStdString();
  answer(u"Next"_s);
  EXPECT_NE(offered(), first);
  answer(u"Next"_s);
  answer(u"Next"_s);
  EXPECT_EQ(offered(), first);
  open(sample(u"lenet"_s));
  EXPECT_EQ(offered(), first) << "not lost with another file";
  answer(u"Restore"_s);
  ASSERT_TRUE(comes_true([&] { return document().model_path() == in_folder(first); }));
  ASSERT_TRUE(settles());
  EXPECT_TRUE(message().contains(u"1 of 2"_s)) << message().toStdString();
  EXPECT_NE(offered(), first);
  answer(u"Discard"_s);
  EXPECT_FALSE(message().contains(u" of "_s)) << message().toStdString();
  const QString last = offered();
  click(find<QWidget>(u"message_close"_s));
  open(sample(u"lenet"_s));
  EXPECT_EQ(message(), QString()) << "declined";
  auto& menu = find<QMenu>(u"unsaved_menu"_s);
  Q_EMIT menu.aboutToShow();
  ASSERT_EQ(menu.actions().size(), 1);
  EXPECT_TRUE(menu.actions().front()->text().contains(last));
  menu.actions().front()->trigger();
  ASSERT_TRUE(comes_true([&] { return document().model_path() == in_folder(last); }))
      << last.toStdString() << ": " << message().toStdString();
}

TEST_F(Leaving, ARestoreThatFailsLosesNothing) {
  const QString model = in_folder(u"model.onnx"_s);
  ASSERT_TRUE(QFile::copy(sample(u"gpt2_tiny"_s), model));
  open(model);
  tick_first_plan();
  start_window();
  ASSERT_TRUE(QFile::rename(model, model + u".moved"_s));
  window().offer_recovery();
  click_message_action(u"Restore"_s);
  ASSERT_TRUE(comes_true([this] { return message().contains(u"model.onnx' does not exist"_s); }))
      << message().toStdString();
  open(sample(u"lenet"_s));
  EXPECT_EQ(kept_sessions().size(), 1);
}

TEST_F(Leaving, ChoicesAreKeptSoonAfterTheyAreMade) {
  open(sample(u"gpt2_tiny"_s));
  EXPECT_EQ(kept_sessions(), QStringList());
  tick_first_plan();
  ASSERT_TRUE(comes_true([this] { return kept_sessions().size() == 1; }));
}

TEST_F(Leaving, WhileAModelIsLoaded) {
  document().open(sample(u"gpt2_tiny"_s));
  window().close();
  window_.reset();
}

TEST_F(Leaving, WhileAStudyIsComputed) {
  open(sample(u"gpt2_tiny"_s));
  Choices choices = document().choices();
  choices.dims["inputs_input_ids_dim0"] = 32;
  document().choose(choices, u"batch"_s);
  ASSERT_TRUE(document().study_job().is_busy());
  window_.reset();
}

TEST_F(Leaving, WhileTheGraphIsLaidOut) {
  document().open(sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(comes_true([this] { return document().study() != nullptr; }));
  window_.reset();
}

TEST_F(Leaving, WhileTheStepRuns) {
  open(sample(u"gpt2_tiny"_s));
  press(Qt::Key_F5);
  ASSERT_TRUE(document().run_job().is_running());
  window().close();
  EXPECT_FALSE(window().isVisible());
  window_.reset();
}

}  // namespace leaving_test
}  // namespace stashscope::ui::test
