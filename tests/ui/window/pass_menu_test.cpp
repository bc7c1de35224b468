// What is done to a model before differentiation, and ways to put activations away.

#include <QAction>
#include <QMenu>

#include "tests/ui/support/window_test.h"
#include "ui/models/plan_model.h"

namespace stashscope::ui::test {
namespace {

using namespace Qt::StringLiterals;

class Passes : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }

  void trigger(const QString& name) {
    find<QAction>(name).trigger();
    ASSERT_TRUE(settles());
  }
};

TEST_F(Passes, NeedsAModel) {
  EXPECT_TRUE(find<QMenu>(u"pass_menu"_s).isEnabled());
  start_window();
  EXPECT_FALSE(find<QMenu>(u"pass_menu"_s).isEnabled());
}

TEST_F(Passes, AppliesPassesBeforeDifferentiation) {
  const std::size_t nodes = document().study()->graph().nodes().size();
  trigger(u"pass_fuse_layer_normalization"_s);
  EXPECT_LT(document().study()->graph().nodes().size(), nodes);
  trigger(u"pass_fuse_layer_normalization"_s);
  EXPECT_EQ(document().study()->graph().nodes().size(), nodes);
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(find<QAction>(u"pass_fuse_layer_normalization"_s).isChecked());
}

TEST_F(Passes, HalvesActivationsInMixedPrecision) {
  const std::int64_t before = peak();
  trigger(u"precision_bfloat16"_s);
  EXPECT_LT(peak(), before);
  EXPECT_EQ(document().choices().precision, "bfloat16");
}

TEST_F(Passes, ListsWaysThatTheReferenceDoesNotKnowOnRequest) {
  auto& table = find<QTableView>(u"plan_table"_s);
  const int rows = table.model()->rowCount();
  click(find<QWidget>(u"list_extensions"_s));
  ASSERT_GT(table.model()->rowCount(), rows);
  for (int row = 0; row < table.model()->rowCount(); ++row) {
    const QString plan = table.model()->index(row, PlanModel::plan).data().toString();
    if (!plan.startsWith(u"offload "_s)) continue;
    const std::int64_t before = peak();
    click_check_box(table, row, PlanModel::plan);
    ASSERT_TRUE(settles());
    EXPECT_LE(peak(), before);
    EXPECT_FALSE(own_part(document().choices().plans).empty());
    return;
  }
  FAIL() << "nothing can be offloaded";
}

}  // namespace
}  // namespace stashscope::ui::test
