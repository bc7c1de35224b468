// Joint answers in the panel Planner.

#include <QPushButton>

#include "tests/ui/panels/planner/planner_test.h"

namespace stashscope::ui::test {
namespace planner_joint_test {

using namespace Qt::StringLiterals;

TEST_F(Planner, AJointAnswerAboveTheBudgetCanBeUsed) {
  choose_entry(u"grain"_s, 3);
  set_time_limit(20);  // enough on a busy machine, too
  type_budget(u"1000 B"_s);
  QTest::keyClick(&field(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  const std::int64_t lowest = planning().answer()->best.peak_bytes;
  ASSERT_LT(lowest, peak());
  auto& use = find<QPushButton>(u"use_passes_button"_s);
  ASSERT_TRUE(use.isVisible());
  EXPECT_EQ(use.text(), u"Use the combination with the lowest peak"_s);
  EXPECT_FALSE(answer().contains(u"add no time"_s)) << answer().toStdString();
  click(use);
  ASSERT_TRUE(settles());
  EXPECT_EQ(peak(), lowest);
  EXPECT_FALSE(use.isVisible());
}

TEST_F(Planner, JointPlansSayWhyBelowTheAnswer) {
  const auto& lossy = find<QWidget>(u"allow_lossy"_s);
  EXPECT_FALSE(lossy.isVisible());
  choose_entry(u"grain"_s, 3);
  EXPECT_TRUE(lossy.isVisible());
  EXPECT_FALSE(find<QWidget>(u"curve_button"_s).isEnabled());
  set_time_limit(20);  // enough on a busy machine, too
  type_budget(u"50%"_s);
  QTest::keyClick(&field(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  EXPECT_LE(planning().answer()->best.peak_bytes, planning().request().budget_bytes);
  EXPECT_EQ(peak(), planning().answer()->best.peak_bytes);
  EXPECT_TRUE(answer().contains(u"<b>met</b>"_s)) << answer().toStdString();
  EXPECT_TRUE(details().contains(u"What was chosen, and why:"_s)) << details().toStdString();
  EXPECT_TRUE(details().contains(u"attention"_s)) << details().toStdString();
  undo();
  EXPECT_EQ(document().choices(), before_);
}

}  // namespace planner_joint_test
}  // namespace stashscope::ui::test
