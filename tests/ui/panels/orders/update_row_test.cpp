// The choice of the optimizer and its effect on the memory shown.

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QMenu>

#include "core/memory/bands.h"
#include "tests/ui/support/window_test.h"

namespace stashscope::ui::test {
namespace update_row_test {

using namespace Qt::StringLiterals;

class UpdateChoices : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }
  QComboBox& optimizer() { return find<QComboBox>(u"optimizer"_s); }
  QString bands() { return find<QLabel>(u"alive_bands"_s).text(); }
};

TEST_F(UpdateChoices, AnOptimizerAddsItsStatesToThePeak) {
  const std::int64_t before = peak();
  EXPECT_EQ(optimizer().currentText(), u"none"_s);
  EXPECT_FALSE(bands().contains(u"optimizer"_s)) << bands().toStdString();
  choose_entry(u"optimizer"_s, optimizer().findText(u"adam"_s));
  ASSERT_TRUE(settles());
  EXPECT_EQ(peak(), before + 2 * document().study()->sizes->parameter_bytes);
  EXPECT_TRUE(bands().contains(u"optimizer"_s)) << bands().toStdString();
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(peak(), before);
  EXPECT_EQ(optimizer().currentText(), u"none"_s) << "one edit, however many keys it took";
}

TEST_F(UpdateChoices, TheLastOfSeveralStepsIsNamed) {
  for (const QString& name : {u"sgd"_s, u"adam"_s}) {
    choose_entry(u"optimizer"_s, optimizer().findText(name));
    ASSERT_TRUE(settles());
  }
  EXPECT_EQ(document().undo_stack().count(), 1);
  EXPECT_EQ(document().undo_stack().undoText(), u"Optimizer adam"_s);
}

TEST_F(UpdateChoices, TheMenuHasThemAll) {
  EXPECT_EQ(find<QMenu>(u"optimizer_menu"_s).actions().size(), optimizer().count());
  find<QAction>(u"optimizer_adam"_s).trigger();
  ASSERT_TRUE(settles());
  EXPECT_EQ(optimizer().currentText(), u"adam"_s);
  EXPECT_TRUE(find<QAction>(u"optimizer_adam"_s).isChecked());
}

TEST_F(UpdateChoices, ReleasedGradientsAreGoneInTheEnd) {
  const auto left = [this] { return document().study()->current->timeline.idle_bytes.back(); };
  const std::int64_t kept = left();
  click(find<QCheckBox>(u"release_gradients"_s));
  ASSERT_TRUE(settles());
  EXPECT_EQ(left(), kept - document().study()->sizes->parameter_bytes);
}

TEST_F(UpdateChoices, ABandIsNamedWhereTheCursorStands) {
  document().selection().select_slot(0);
  EXPECT_FALSE(bands().contains(u"gradients"_s)) << bands().toStdString();
  document().selection().select_slot(document().study()->current->timeline.order.size() - 1);
  EXPECT_TRUE(bands().contains(u"gradients"_s)) << bands().toStdString();
}

}  // namespace update_row_test
}  // namespace stashscope::ui::test
