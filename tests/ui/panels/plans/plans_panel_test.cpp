#include "ui/panels/plans/plans_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QTextBrowser>

#include "core/study/edits/edits.h"
#include "tests/ui/support/window_test.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace plans_panel_test {

using namespace Qt::StringLiterals;

class PlansOfOurOwn : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
    Choices choices = document().choices();
    choices.plans.config =
        parse_config("Gemm:3:-1," + document().study()->plan_table->plans.front().config);
    document().choose(choices, u"both"_s);
    ASSERT_TRUE(settles());
  }
};

TEST_F(PlansOfOurOwn, AreNotCopiedAndThatIsSaid) {
  click(find<QWidget>(u"copy_config_button"_s));
  const QString copied = QApplication::clipboard()->text();
  const std::string config = document().study()->plan_table->plans.front().config;
  EXPECT_EQ(copied.toStdString(), "[\"" + config + "\"]");
  EXPECT_TRUE(message().contains(u"ONNX Runtime 1.19.2"_s)) << message().toStdString();
  EXPECT_TRUE(message().contains(u"left out: Gemm:3:-1"_s)) << message().toStdString();
}

TEST_F(PlansOfOurOwn, AreListedByTheRulesOfTheChosenVersion) {
  auto& versions = find<QComboBox>(u"reference"_s);
  EXPECT_EQ(versions.currentText(), u"ONNX Runtime 1.19.2"_s);
  const std::size_t before = document().study()->plan_table->plans.size();
  versions.setFocus();
  QTest::keyClick(&versions, Qt::Key_Down);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().plans.search.reference, Reference::november_2023);
  EXPECT_NE(document().study()->plan_table->plans.size(), before);
  click(find<QWidget>(u"copy_config_button"_s));
  EXPECT_FALSE(QApplication::clipboard()->text().startsWith(u'['));
  document().undo_stack().undo();
  ASSERT_TRUE(settles());
  EXPECT_EQ(versions.currentIndex(), 0);
  EXPECT_EQ(document().study()->plan_table->plans.size(), before);
}

TEST_F(PlansOfOurOwn, CountAmongThePlansThatAreOn) {
  const Study& study = *document().study();
  const QString all =
      QString::number(study.plan_table->plans.size() + study.plan_table->extensions.size());
  EXPECT_EQ(find<QLabel>(u"plan_summary"_s).text(), u"2 of %1 plans on"_s.arg(all));
}

TEST_F(PlansOfOurOwn, HaveTheirTransfersInTheStatusLine) {
  const Study& study = *document().study();
  const QString time = time_text(transfer_seconds(study, *study.current));
  const QString extra = time_text(extra_seconds(study));
  EXPECT_TRUE(status().contains(u"+%1 for plans ("_s.arg(extra))) << status().toStdString();
  EXPECT_TRUE(status().contains(u"including %1 for transfers"_s.arg(time)))
      << status().toStdString();
}

TEST_F(PlansOfOurOwn, AreListedWithTheirNode) {
  const Study& study = *document().study();
  for (const NodePlan* const plan : study.applied) {
    if (plan->type != PlanType::offload) continue;
    document().selection().select_node(plan->node);
    const QString page = find<QTextBrowser>(u"inspector_page"_s).toPlainText();
    EXPECT_TRUE(page.contains(u"waits on the host"_s)) << page.toStdString();
    return;
  }
  FAIL() << "nothing is put away";
}

}  // namespace plans_panel_test
}  // namespace stashscope::ui::test
