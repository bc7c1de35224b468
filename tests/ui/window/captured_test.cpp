// A step that PyTorch ran: what does not apply to it is off, and the panels say why.

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include "core/onnx/model_file.h"
#include "tests/support/captured_model.h"
#include "tests/ui/support/window_test.h"
#include "ui/document/choice_words.h"

namespace stashscope::ui::test {
namespace captured_test {

using namespace Qt::StringLiterals;

class Captured : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    const QString file = in_folder(u"step.onnx"_s);
    save_model(Graph(stashscope::test::captured_data()), file.toStdString());
    open(file);
    ASSERT_TRUE(is_captured(document().study().get()));
  }

  bool is_enabled(const QString& widget) { return find<QWidget>(widget).isEnabled(); }
  QString text(const QString& label) { return find<QLabel>(label).text(); }
};

TEST_F(Captured, CannotBeRunAndSaysWhy) {
  EXPECT_FALSE(find<QAction>(u"run"_s).isEnabled());
  EXPECT_FALSE(is_enabled(u"run_button"_s));
  EXPECT_FALSE(is_enabled(u"device"_s));
  EXPECT_TRUE(text(u"run_result"_s).contains(u"PyTorch ran this step"_s));
  EXPECT_TRUE(document().why_wait().isEmpty()) << "plans can be searched for";
  document().run();
  EXPECT_FALSE(document().run_job().is_running());
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(find<QAction>(u"run"_s).isEnabled());
  EXPECT_TRUE(is_enabled(u"device"_s));
  EXPECT_TRUE(text(u"run_result"_s).contains(u"Press Run"_s));
}

TEST_F(Captured, KeepsItsOrderItsOperatorsAndItsOptimizer) {
  for (const QString& menu :
       {u"order_menu"_s, u"fusion_menu"_s, u"pass_menu"_s, u"device_menu"_s, u"optimizer_menu"_s}) {
    EXPECT_FALSE(is_enabled(menu)) << menu.toStdString();
  }
  for (const QString& button : {u"order_button"_s, u"fusion_button"_s, u"device_button"_s}) {
    EXPECT_FALSE(is_enabled(button)) << button.toStdString();
    EXPECT_TRUE(find<QWidget>(button).toolTip().contains(u"PyTorch"_s));
  }
  EXPECT_FALSE(is_enabled(u"update_row"_s));
  EXPECT_EQ(find<QComboBox>(u"optimizer"_s).currentIndex(), -1);
  EXPECT_FALSE(find<QWidget>(u"order_note"_s).isHidden());
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(is_enabled(u"order_menu"_s));
  EXPECT_TRUE(is_enabled(u"update_row"_s));
  EXPECT_GE(find<QComboBox>(u"optimizer"_s).currentIndex(), 0);
  EXPECT_TRUE(find<QWidget>(u"order_note"_s).isHidden());
}

TEST_F(Captured, HasPlansForPyTorchOnly) {
  auto& grain = find<QComboBox>(u"grain"_s);
  EXPECT_FALSE(grain.isEnabled());
  EXPECT_EQ(grain.currentText(), u"Modules"_s);
  EXPECT_TRUE(text(u"grain_hint"_s).contains(u"PyTorch"_s));
  EXPECT_FALSE(is_enabled(u"find_largest_button"_s));
  EXPECT_FALSE(is_enabled(u"fit_dimension"_s));
  for (const QString& widget :
       {u"level"_s, u"list_extensions"_s, u"reference"_s, u"copy_config_button"_s}) {
    EXPECT_TRUE(find<QWidget>(widget).isHidden()) << widget.toStdString();
  }
  EXPECT_FALSE(find<QWidget>(u"export_plan_button"_s).isHidden());
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(grain.isEnabled());
  EXPECT_EQ(grain.currentText(), u"Clusters"_s);
  EXPECT_TRUE(is_enabled(u"find_largest_button"_s));
  EXPECT_TRUE(find<QWidget>(u"export_plan_button"_s).isHidden());
  EXPECT_FALSE(find<QWidget>(u"copy_config_button"_s).isHidden());
}

}  // namespace captured_test
}  // namespace stashscope::ui::test
