// Passes before differentiation, and plans that evict activations.

#include <QAction>
#include <QMenu>

#include "tests/ui/support/window_test.h"
#include "ui/models/plan_tree_model.h"

namespace stashscope::ui::test {
namespace pass_menu_test {

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

TEST_F(Passes, HaveNamesInWords) {
  const QAction& fuse = find<QAction>(u"pass_fuse_bias_gelu"_s);
  EXPECT_EQ(QString(fuse.text()).remove(u'&'), u"Fuse bias and Gelu"_s);
  EXPECT_TRUE(fuse.toolTip().contains(u"fuse_bias_gelu"_s)) << fuse.toolTip().toStdString();
  EXPECT_FALSE(fuse.toolTip().contains(u"next best moves"_s));
  EXPECT_TRUE(find<QAction>(u"pass_keep_loss_only"_s).toolTip().contains(u"next best moves"_s))
      << "why it is never offered";
  trigger(u"pass_fuse_bias_gelu"_s);
  EXPECT_EQ(document().undo_stack().undoText(), u"Pass on: Fuse bias and Gelu"_s);
  for (const QAction* const each : find<QMenu>(u"pass_menu"_s).actions()) {
    EXPECT_FALSE(each->text().contains(u'_')) << each->text().toStdString();
  }
}

TEST_F(Passes, HalvesActivationsInMixedPrecision) {
  const std::int64_t before = peak();
  trigger(u"precision_bfloat16"_s);
  EXPECT_LT(peak(), before);
  EXPECT_EQ(document().choices().graph.precision, ElementType::bfloat16);
}

TEST_F(Passes, KeepsGradientsIn16Bits) {
  trigger(u"gradients_bfloat16"_s);
  EXPECT_EQ(document().choices().graph.gradient_type, ElementType::bfloat16);
  EXPECT_EQ(document().undo_stack().undoText(), u"Gradients: bfloat16"_s);
  trigger(u"gradients_"_s);
  EXPECT_FALSE(document().choices().graph.gradient_type);
}

/// The first plan whose name has this part.
QModelIndex plan_named(const QAbstractItemModel& model, const QString& part,
                       const QModelIndex& parent = {}) {
  for (int row = 0; row < model.rowCount(parent); ++row) {
    const QModelIndex index = model.index(row, PlanTreeModel::plan, parent);
    const bool has_tick = index.data(Qt::CheckStateRole).isValid();
    if (has_tick && index.data().toString().contains(part)) return index;
    if (has_tick) continue;
    const QModelIndex inner = plan_named(model, part, index);
    if (inner.isValid()) return inner;
  }
  return {};
}

TEST_F(Passes, ListsWaysThatTheReferenceDoesNotKnowOnRequest) {
  const QAbstractItemModel& rows = *plans().model();
  EXPECT_FALSE(plan_named(rows, u", offload"_s).isValid());
  click(find<QWidget>(u"list_extensions"_s));
  const QModelIndex offload = plan_named(rows, u", offload"_s);
  ASSERT_TRUE(offload.isValid());
  const std::int64_t before = peak();
  click_check_box(plans(), offload);
  ASSERT_TRUE(settles());
  EXPECT_LE(peak(), before);
  EXPECT_FALSE(own_part(document().choices().plans.config).empty());
}

}  // namespace pass_menu_test
}  // namespace stashscope::ui::test
