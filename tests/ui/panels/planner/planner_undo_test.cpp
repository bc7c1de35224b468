// What the planner says after undo and redo.

#include <QPushButton>

#include "tests/ui/panels/planner/planner_test.h"

namespace stashscope::ui::test {
namespace planner_undo_test {

using namespace Qt::StringLiterals;

TEST_F(Planner, UndoOfAPlanWithItsPassesBringsTheAnswerAndItsOfferBack) {
  type_budget(u"62 %"_s);
  QTest::keyClick(&field(), Qt::Key_Return);
  ASSERT_TRUE(ends());
  auto& use = find<QPushButton>(u"use_passes_button"_s);
  ASSERT_TRUE(use.isVisible()) << answer().toStdString();
  const QString offered = answer();
  const std::size_t points = chart().points().size();
  click(use);
  ASSERT_TRUE(settles());
  const QString used = answer();
  ASSERT_NE(used, offered);
  for (int times = 0; times < 2; ++times) {
    undo();
    EXPECT_TRUE(use.isVisible());
    EXPECT_EQ(answer(), offered);
    EXPECT_EQ(chart().points().size(), points);
    press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    ASSERT_TRUE(settles());
    EXPECT_FALSE(use.isVisible());
    EXPECT_EQ(answer(), used) << "redo";
  }
  undo();
  click(use);
  ASSERT_TRUE(settles());
  EXPECT_EQ(answer(), used) << "used once more";
  Choices choices = document().choices();
  choices.dims["inputs_input_ids_dim0"] = 8;
  document().choose(choices, u"batch"_s);
  ASSERT_TRUE(settles());
  EXPECT_EQ(planning().answer(), nullptr) << "another step has another answer";
}

}  // namespace planner_undo_test
}  // namespace stashscope::ui::test
