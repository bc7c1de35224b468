// The ways back to no plans and to the plain model, also in a session that was opened again.

#include <QAction>
#include <QLineEdit>
#include <QListView>

#include "tests/ui/support/window_test.h"

namespace stashscope::ui::test {
namespace ways_back_test {

using namespace Qt::StringLiterals;

class WaysBack : public WindowTest {
 protected:
  /// Opens a session with plans, a pinned node and an order.
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
    Choices choices = document().choices();
    choices.plans.level = 1;
    choices.plans.pinned = {document().study()->model->node(NodeId(0)).name};
    choices.order.strategy = "minimal";
    choices.dims["inputs_input_ids_dim0"] = 2;
    document().choose(choices, u"all"_s);
    ASSERT_TRUE(settles());
    const QString session = in_folder(u"way.stashscope"_s);
    document().save_session_as(session);
    ASSERT_TRUE(comes_true([&] { return document().files().session_path() == session; }));
    open(session);
  }

  QAction& action(const QString& name) { return find<QAction>(name); }

  QStringList found(const QString& typed) {
    press(Qt::Key_K, Qt::ControlModifier);
    auto& line = find<QLineEdit>(u"command_line"_s);
    line.setText(typed);
    const QAbstractItemModel& rows = *find<QListView>(u"command_list"_s).model();
    QStringList names;
    for (int row = 0; row < rows.rowCount(); ++row) names << rows.index(row, 0).data().toString();
    QTest::keyClick(&line, Qt::Key_Escape);
    return names;
  }
};

TEST_F(WaysBack, AllPlansAreTurnedOffInOneStep) {
  const Choices opened = document().choices();
  press(Qt::Key_O, Qt::ControlModifier | Qt::AltModifier);
  ASSERT_TRUE(settles());
  Choices off = opened;
  off.plans.level = 0;
  off.plans.pinned.clear();
  EXPECT_EQ(document().choices(), off);
  EXPECT_EQ(document().undo_stack().count(), 1);
  EXPECT_FALSE(action(u"plans_off"_s).isEnabled());
  EXPECT_EQ(action(u"plans_off"_s).toolTip(), u"No plan is on"_s);
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices(), opened);
}

TEST_F(WaysBack, ASessionGoesBackToThePlainModelWithItsSizes) {
  EXPECT_FALSE(action(u"undo_all"_s).isEnabled()) << "nothing changed since it was opened";
  EXPECT_FALSE(action(u"undo"_s).isEnabled());
  EXPECT_TRUE(action(u"undo"_s).toolTip().contains(u"Back to the plain model (Ctrl+Alt+M)"_s));
  press(Qt::Key_M, Qt::ControlModifier | Qt::AltModifier);
  ASSERT_TRUE(settles());
  Choices plain;
  plain.dims["inputs_input_ids_dim0"] = 2;
  EXPECT_EQ(document().choices(), plain);
  EXPECT_TRUE(action(u"undo_all"_s).isEnabled()) << "back to the session as it was opened";
  EXPECT_FALSE(action(u"plain_model"_s).isEnabled());
}

TEST_F(WaysBack, UndoInASessionThatWasJustOpenedSaysWhatTakesItsPlansBack) {
  const Choices opened = document().choices();
  window().graph().view().setFocus();
  press(Qt::Key_Z, Qt::ControlModifier);
  EXPECT_TRUE(message().contains(u"Back to the plain model (Ctrl+Alt+M)"_s))
      << message().toStdString();
  EXPECT_EQ(document().choices(), opened);
  press(Qt::Key_M, Qt::ControlModifier | Qt::AltModifier);
  EXPECT_NE(document().choices(), opened);
  press(Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(document().choices(), opened) << "now there is something to undo";
  ASSERT_TRUE(settles());
}

TEST_F(WaysBack, ThePaletteFindsThemUnderTheWordsThatUsersType) {
  for (const QString& typed : {u"undo"_s, u"clear"_s, u"reset"_s, u"off"_s, u"no plan"_s}) {
    const QStringList names = found(typed);
    EXPECT_TRUE(names.contains(u"Edit › Turn all plans off, keep other choices"_s))
        << typed.toStdString();
    EXPECT_TRUE(names.contains(u"Edit › Back to the plain model, also from a session"_s))
        << typed.toStdString();
  }
}

TEST_F(WaysBack, SearchAndFilterEndWithTheirModel) {
  find<QLineEdit>(u"graph_search"_s).setText(u"Gemm"_s);
  find<QLineEdit>(u"plan_filter"_s).setText(u"Gelu"_s);
  open(sample(u"lenet"_s));
  EXPECT_EQ(find<QLineEdit>(u"graph_search"_s).text(), QString());
  EXPECT_EQ(find<QLineEdit>(u"plan_filter"_s).text(), QString());
}

}  // namespace ways_back_test
}  // namespace stashscope::ui::test
