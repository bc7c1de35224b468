// Workspace of a GPU: in the curve, in the table and in the result of the run.

#include <QHelpEvent>
#include <QTabBar>
#include <QToolTip>

#include "core/study/measured/measurement_file.h"
#include "tests/ui/support/window_test.h"
#include "ui/memory/memory_key.h"
#include "ui/memory/memory_view.h"
#include "ui/models/difference_model.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace workspaces_test {

using namespace Qt::StringLiterals;

constexpr std::int64_t mebibyte = 1 << 20;

/// A run as a GPU measures it: the predicted bytes, workspace in every third slot, and reserved
/// memory.
Measurement run_of(const Variant& variant, std::int64_t reserved) {
  Measurement run;
  run.device = "cuda:0";
  run.live_bytes = variant.timeline.live_bytes;
  run.idle_bytes = variant.timeline.idle_bytes;
  run.peak_bytes = variant.timeline.peak_bytes;
  run.node_seconds.assign(run.live_bytes.size(), 1e-5);
  run.step_seconds = 0.25;
  run.workspace_bytes.assign(run.live_bytes.size(), 0);
  for (std::size_t step = 0; step < run.live_bytes.size(); step += 3) {
    run.workspace_bytes[step] = mebibyte;
  }
  run.workspace_bytes[variant.timeline.peak_slot] = mebibyte / 2;
  run.peak_reserved_bytes = reserved;
  run.remarks = {"2 of 90 kernels belong to no step"};
  return run;
}

class Workspaces : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }

  void import(std::int64_t reserved) {
    const Study& study = *document().study();
    save_measurements(study, {run_of(*study.baseline, reserved), run_of(*study.current, reserved)},
                      in_folder(u"gpu.json"_s).toStdString());
    click(find<QWidget>(u"import_button"_s));
    answer_file_dialog(u"import_dialog"_s, in_folder(u"gpu.json"_s));
    ASSERT_TRUE(comes_true([this] { return document().measured() != nullptr; }));
    ASSERT_TRUE(settles());
  }
  void import() { import(peak() + 3 * mebibyte / 2); }
  void run_on_processor() {
    press(Qt::Key_F5);
    ASSERT_TRUE(comes_true([this] {
      return document().measured() != nullptr &&
             document().measured()->runs.current.device == "cpu";
    }));
  }

  MemoryView& view() { return find<MemoryView>(u"memory_view"_s); }
  QString result() { return find<QLabel>(u"run_result"_s).text(); }
  QString key() {
    QStringList texts;
    for (const KeyEntry& each :
         key_of(view().curves(), view().look(), theme_of(view().palette()))) {
      texts << each.text;
    }
    return texts.join(u'|');
  }
  QString tool_tip_at(QPoint point) {
    QToolTip::hideText();
    QHelpEvent help(QEvent::ToolTip, point, view().mapToGlobal(point));
    QApplication::sendEvent(&view(), &help);
    return QToolTip::text();
  }
  /// Beside the cursor, because a grid line may pass there.
  bool is_filled_at(QPoint point) {
    const QImage picture = view().grab().toImage();
    const QColor colour = workspace_colour(theme_of(view().palette()));
    return picture.pixelColor(point + QPoint(3, 0)) == colour ||
           picture.pixelColor(point + QPoint(3, 3)) == colour;
  }
  /// The middle of the workspace in a slot that has some.
  QPoint middle_of_a_workspace() {
    const std::size_t step = document().study()->current->timeline.order.size() / 12 * 3;
    const MemoryCurves& curves = view().curves();
    const std::int64_t bytes =
        (curves.measured->bytes[step] + curves.with_workspace->bytes[step]) / 2;
    view().set_cursor(step);
    return QPointF(view().x_of(step), view().y_of(bytes)).toPoint();
  }
};

TEST_F(Workspaces, LieOnTheMeasuredCurve) {
  import();
  const MemoryCurves& curves = view().curves();
  ASSERT_NE(curves.with_workspace, nullptr);
  const Measurement& run = document().measured()->runs.current;
  EXPECT_EQ(curves.with_workspace->peak_bytes, peak_with_workspace(run));
  EXPECT_GT(view().top(), run.peak_reserved_bytes) << "the reserve is in sight";
  EXPECT_TRUE(key().contains(u"|measured workspaces|reserved "_s)) << key().toStdString();

  for (int i = 0; i < 20; ++i) {
    view().setFocus();
    press(Qt::Key_Plus);
  }
  const QPoint point = middle_of_a_workspace();
  EXPECT_TRUE(view().is_workspace_at(point));
  EXPECT_TRUE(is_filled_at(point));
  EXPECT_TRUE(tool_tip_at(point).contains(u" with workspaces"_s));
  const QPoint above = view().plot().topLeft().toPoint() + QPoint(4, 2);
  EXPECT_FALSE(view().is_workspace_at(above));
  tool_tip_at(above);
  EXPECT_TRUE(comes_true([] { return !QToolTip::isVisible(); }));
}

TEST_F(Workspaces, AReserveFarAboveIsSaidOnly) {
  import(100 * peak());
  EXPECT_LT(view().top(), 10 * peak());
  EXPECT_TRUE(key().contains(u", above"_s)) << key().toStdString();
}

TEST_F(Workspaces, HaveAColumnAndASummary) {
  auto& tabs = find<QTabBar>(u"memory_tabs"_s);
  QTest::mouseClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(1).center());
  import();
  auto& table = find<QTableView>(u"difference_table"_s);
  EXPECT_FALSE(table.isColumnHidden(DifferenceModel::workspace));
  table.sortByColumn(DifferenceModel::workspace, Qt::DescendingOrder);
  const QModelIndex first = table.model()->index(0, DifferenceModel::workspace);
  EXPECT_EQ(first.data(Qt::ToolTipRole).toString(), exact_bytes_text(mebibyte));
  const QString summary = find<QLabel>(u"difference_summary"_s).text();
  EXPECT_TRUE(summary.contains(u"Workspaces: at most 1.00 MiB"_s)) << summary.toStdString();
}

TEST_F(Workspaces, AreInTheResultOfTheRun) {
  import();
  for (const char* word :
       {"Workspaces", "1.00 MiB", "Peak with workspaces", "Reserved", "Time of nodes",
        "Time of step", "250 ms", "cuda:0", "Both runs: 2 of 90 kernels belong to no step"}) {
    EXPECT_TRUE(result().contains(QString::fromLatin1(word))) << word << "\n"
                                                              << result().toStdString();
  }
}

TEST_F(Workspaces, AreNowhereWhereARunHasNone) {
  import();
  run_on_processor();
  EXPECT_EQ(view().curves().with_workspace, nullptr);
  EXPECT_FALSE(key().contains(u"workspaces"_s)) << key().toStdString();
  EXPECT_FALSE(key().contains(u"reserved"_s)) << key().toStdString();
  EXPECT_TRUE(result().contains(u"Time of step"_s)) << "the stream tells it";
  EXPECT_FALSE(result().contains(u"Workspaces"_s)) << result().toStdString();
  EXPECT_FALSE(result().contains(u"Reserved"_s)) << result().toStdString();
  auto& tabs = find<QTabBar>(u"memory_tabs"_s);
  QTest::mouseClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(1).center());
  EXPECT_TRUE(find<QTableView>(u"difference_table"_s).isColumnHidden(DifferenceModel::workspace));
}

TEST_F(Workspaces, StayInTheSession) {
  import();
  const Measurement measured = document().measured()->runs.current;
  press(Qt::Key_S, Qt::ControlModifier);
  answer_file_dialog(u"save_dialog"_s, in_folder(u"gpu.stashscope"_s));
  ASSERT_TRUE(comes_true([this] { return QFile::exists(in_folder(u"gpu.stashscope"_s)); }));
  start_window();
  open(in_folder(u"gpu.stashscope"_s));
  ASSERT_NE(document().measured(), nullptr);
  EXPECT_EQ(document().measured()->runs.current, measured);
  EXPECT_NE(view().curves().with_workspace, nullptr);
}

}  // namespace workspaces_test
}  // namespace stashscope::ui::test
