// The tasks of docs/window.md, each with the fewest actions: a click, a key, or a typed text.

#include <QDockWidget>
#include <QLineEdit>

#include "core/study/choices/dimension_uses.h"
#include "core/study/edits/edits.h"
#include "tests/ui/support/window_test.h"
#include "ui/memory/icicle_view.h"
#include "ui/models/alive_model.h"
#include "ui/models/module_model.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace tasks_test {

using namespace Qt::StringLiterals;

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

class Tasks : public WindowTest {
 protected:
  /// Opens a model in the workspace that the window starts with.
  void begin(const QString& model) {
    window().workspaces().choose(u"overview"_s);
    open(model);
    actions_ = 0;
  }
  void begin_gpt2() {
    const QString model = shared_model(u"gpt2_124m_train_fwd"_s);
    if (!QFile::exists(model)) GTEST_SKIP() << model.toStdString() << " is not there";
    begin(model);
    Choices choices = document().choices();
    for (const Dimension& each : document().study()->sizes->dims.dimensions) {
      const DimensionUnit unit = unit_of(document().study()->graph(), each);
      if (unit == DimensionUnit::samples)
        choices = with_dimension(*document().study(), choices, each, 8);
      if (unit == DimensionUnit::tokens)
        choices = with_dimension(*document().study(), choices, each, 1024);
    }
    document().choose(choices, u"sizes"_s);
    ASSERT_TRUE(settles());
    actions_ = 0;
  }

  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    ++actions_;
    press(key, modifiers);
  }
  void type(const QString& text) {
    ++actions_;
    QTest::keyClicks(QApplication::focusWidget(), text);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
  }
  void push(QWidget& button) {
    ++actions_;
    click(button);
  }
  void choose_file(const QString& dialog, const QString& path) {
    ++actions_;
    answer_file_dialog(dialog, path);
  }

  void plan_for(const QString& budget, std::int64_t bytes) {
    const std::int64_t before = peak();
    ASSERT_GT(before, bytes);
    key(Qt::Key_B, Qt::ControlModifier);
    type(budget);
    ASSERT_TRUE(comes_true([&] { return peak() <= bytes; })) << message().toStdString();
    EXPECT_EQ(actions_, 2);
  }

  int actions_ = 0;
};

TEST_F(Tasks, WhichModuleHoldsMostIsSaidAtOnce) {
  begin(sample(u"gpt2_tiny"_s));
  const auto& table = find<TableView>(u"module_table"_s);
  ASSERT_TRUE(table.isVisible());
  const std::vector<ModuleGroup> modules = module_groups(module_memory(*document().study()));
  EXPECT_TRUE(table.visualRect(table.model()->index(0, ModuleModel::module)).isValid());
  const QString first = table.model()->index(0, ModuleModel::module).data().toString();
  EXPECT_TRUE(first.contains(shown(modules.front().sum.module))) << first.toStdString();
  for (const ModuleGroup& each : modules) {
    EXPECT_LE(each.sum.peak_bytes, modules.front().sum.peak_bytes);
  }
  EXPECT_EQ(actions_, 0);
}

TEST_F(Tasks, WhyIsThisTensorAlive) {
  begin(sample(u"gpt2_tiny"_s));
  for (const char* const view : {"icicle_view", "alive_table"}) {
    actions_ = 0;
    if (QLatin1StringView(view) == "icicle_view"_L1) {
      auto& icicle = find<IcicleView>(u"icicle_view"_s);
      const auto tensor = std::ranges::find_if(icicle.boxes(), [&](const IcicleBox& box) {
        const MemoryTreeNode& node = icicle.tree().nodes[box.node];
        return node.buffer.valid() && node.band == Band::stashed;
      });
      ASSERT_NE(tensor, icicle.boxes().end());
      ++actions_;
      QTest::mouseClick(&icicle, Qt::LeftButton, {}, icicle.rectangle(*tensor).center().toPoint());
    } else {
      find<QDockWidget>(u"alive_dock"_s).raise();
      QCoreApplication::processEvents();
      ++actions_;
      click_cell(find<TableView>(u"alive_table"_s), 0, AliveModel::tensor);
    }
    const Selection& chosen = document().selection().current();
    ASSERT_TRUE(chosen.node.valid() || chosen.tensor.valid()) << view;
    key(Qt::Key_W);
    const QString said = window().graph().view().notice();
    EXPECT_FALSE(said.isEmpty()) << view;
    EXPECT_EQ(actions_, 2);
  }
}

TEST_F(Tasks, SaveSomeMemory) {
  begin(sample(u"gpt2_tiny"_s));
  const std::int64_t saved = peak() / 10;
  plan_for(u"-%1 B"_s.arg(saved), peak() - saved);
}

TEST_F(Tasks, SaveFourGibibytes) {
  begin_gpt2();
  if (IsSkipped()) return;
  plan_for(u"-4GiB"_s, peak() - 4 * gibibyte);
}

TEST_F(Tasks, MakeItFitSixteenGibibytes) {
  begin_gpt2();
  if (IsSkipped()) return;
  plan_for(u"16GiB"_s, 16 * gibibyte);
}

TEST_F(Tasks, TheLargestBatchIsOneClick) {
  begin(sample(u"gpt2_tiny"_s));
  auto& button = find<QPushButton>(u"answer_samples"_s);
  ASSERT_TRUE(comes_true([&] { return button.isVisible(); }));
  const QString text = button.text();
  push(button);
  ASSERT_TRUE(settles());
  EXPECT_EQ(actions_, 1);
  const auto question = samples_question(*document().study());
  ASSERT_TRUE(question);
  const LargestFit fit = largest_fit(*document().study(), *question, Progress());
  ASSERT_TRUE(fit.current.largest);
  const std::int64_t now = fit.dimensions.front().value;
  EXPECT_EQ(now, fit.current.largest->value);
  EXPECT_TRUE(text.contains(QString::number(now))) << text.toStdString();
  EXPECT_LE(peak(), document().choices().times.profile.memory_bytes);
}

TEST_F(Tasks, UndoAll) {
  begin(sample(u"gpt2_tiny"_s));
  const Choices before = document().choices();
  for (const int level : {1, 0}) {
    Choices choices = document().choices();
    choices.plans.level = level;
    choices.order.strategy = level == 1 ? "minimal" : "file";
    choices.update.optimizer = level == 1 ? "adam" : "sgd";
    document().choose(choices, u"level %1"_s.arg(level));
    ASSERT_TRUE(settles());
  }
  ASSERT_EQ(document().undo_stack().index(), 2);
  key(Qt::Key_Z, Qt::ControlModifier | Qt::AltModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices(), before);
  EXPECT_EQ(actions_, 1);
}

TEST_F(Tasks, UndoAllIncludesSizesAndDeviceAndIsUndone) {
  begin(sample(u"gpt2_tiny"_s));
  auto& undo_all = find<QAction>(u"undo_all"_s);
  EXPECT_FALSE(undo_all.isEnabled());
  EXPECT_EQ(undo_all.toolTip(), u"Nothing differs from the file as it was opened"_s);
  const Choices before = document().choices();
  Choices all = before;
  all.dims["inputs_input_ids_dim0"] = 3;
  document().choose(all, u"size"_s);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(undo_all.isEnabled()) << "a size alone is undone, too";
  all.times.profile = load_profile("RTX4090-24GB");
  all.times.device_memory = 24 * gibibyte;
  all.device = "cpu";
  all.update.optimizer = "adam";
  all.plans.level = 1;
  all.graph.passes = {"fuse_bias_gelu"};
  all.order.strategy = "minimal";
  all.fusion.strategy = "memory-aware";
  document().choose(all, u"all"_s);
  ASSERT_TRUE(settles());
  const int steps = document().undo_stack().index();
  key(Qt::Key_Z, Qt::ControlModifier | Qt::AltModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices(), before);
  EXPECT_EQ(actions_, 1);
  EXPECT_EQ(document().undo_stack().index(), steps + 1);
  EXPECT_FALSE(undo_all.isEnabled());
  key(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices(), all);
}

TEST_F(Tasks, CompareWithAnEarlierSession) {
  begin(sample(u"gpt2_tiny"_s));
  document().files().write_session(document().session(), in_folder(u"last_week.stashscope"_s));
  ASSERT_TRUE(comes_true([this] { return QFile::exists(in_folder(u"last_week.stashscope"_s)); }));
  key(Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
  choose_file(u"compare_dialog"_s, in_folder(u"last_week.stashscope"_s));
  ASSERT_TRUE(comes_true([this] { return find<ComparePanel>(u"compare_panel"_s).is_comparing(); }));
  EXPECT_TRUE(find<ComparePanel>(u"compare_panel"_s).isVisible());
  EXPECT_EQ(window().workspaces().current(), u"compare"_s);
  EXPECT_LE(actions_, 3);
}

TEST_F(Tasks, ExportForTheRuntime) {
  begin(sample(u"gpt2_tiny"_s));
  plan_for(u"90%"_s, peak() * 9 / 10);
  actions_ = 0;
  key(Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
  choose_file(u"save_dialog"_s, in_folder(u"plans.sh"_s));
  ASSERT_TRUE(comes_true([this] { return QFile::exists(in_folder(u"plans.sh"_s)); }));
  EXPECT_EQ(actions_, 2);
}

}  // namespace tasks_test
}  // namespace stashscope::ui::test
