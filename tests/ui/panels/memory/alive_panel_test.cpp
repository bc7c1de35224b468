// The list of tensors: at the cursor, all stashed ones, the whole step.

#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <algorithm>
#include <set>

#include "core/study/choices/node_names.h"
#include "core/study/facts/node_facts.h"
#include "tests/ui/support/window_test.h"
#include "ui/memory/icicle_view.h"
#include "ui/memory/memory_view.h"
#include "ui/models/alive_model.h"
#include "ui/text/texts.h"
#include "ui/widgets/cell_delegate.h"

namespace stashscope::ui::test {
namespace alive_panel_test {

using namespace Qt::StringLiterals;
using Column = AliveModel::Column;

class AliveTensors : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
    find<QWidget>(u"alive_panel"_s).setMinimumSize(900, 300);
  }
  TableView& table() { return find<TableView>(u"alive_table"_s); }
  const AliveModel& model() { return *static_cast<const AliveModel*>(table().model()); }
  QString text(int row, int column) { return model().index(row, column).data().toString(); }
  std::set<QString> roles() {
    std::set<QString> roles;
    for (int row = 0; row < model().rowCount(); ++row) roles.insert(text(row, Column::role));
    return roles;
  }
  void choose(int extent) { choose_entry(u"alive_extent"_s, extent); }
  const Variant& current() { return *document().study()->current; }
  QString name_of_node(NodeId node) {
    return shown(shown_name(document().study()->graph(), current().dataflow, node));
  }
};

TEST_F(AliveTensors, AllStashedOnesHaveMakerAndLastReader) {
  choose(1);
  ASSERT_GT(model().rowCount(), 10);
  EXPECT_EQ(roles(), std::set{u"stashed activations"_s});
  qlonglong before = model().index(0, Column::bytes).data(exact_role).toLongLong();
  for (int row = 0; row < model().rowCount(); ++row) {
    const qlonglong bytes = model().index(row, Column::bytes).data(exact_role).toLongLong();
    EXPECT_LE(bytes, before);
    before = bytes;
    const NodeId maker = model().maker(row);
    ASSERT_TRUE(maker.valid());
    EXPECT_EQ(text(row, Column::made_by), name_of_node(maker));
    const auto last = last_read_of_memory(*document().study(), maker);
    if (current().dataflow.topology.outputs[maker].size() == 1 && last) {
      EXPECT_EQ(text(row, Column::last_read_by), name_of_node(last->reader));
    }
  }
  const int rows = model().rowCount();
  document().selection().select_slot(0);
  EXPECT_EQ(model().rowCount(), rows) << "the cursor does not matter";
}

TEST_F(AliveTensors, ARoleOfTheLegendKeepsItsTensors) {
  choose(2);
  const int all = model().rowCount();
  ASSERT_GT(roles().size(), 2U);
  auto& legend = find<QLabel>(u"alive_bands"_s);
  Q_EMIT legend.linkActivated(QString::number(static_cast<int>(Band::parameters)));
  EXPECT_EQ(roles(), std::set{u"parameters"_s});
  EXPECT_LT(model().rowCount(), all);
  EXPECT_TRUE(legend.text().contains(u"<b>parameters</b>"_s)) << legend.text().toStdString();
  Q_EMIT legend.linkActivated(u"all"_s);
  EXPECT_EQ(model().rowCount(), all);
}

TEST_F(AliveTensors, TheBoxSaysWhatTheTableLists) {
  auto& legend = find<QLabel>(u"alive_bands"_s);
  const auto& extent = find<QComboBox>(u"alive_extent"_s);
  choose(1);
  const int stashed = model().rowCount();
  Q_EMIT legend.linkActivated(u"all"_s);
  EXPECT_EQ(extent.currentIndex(), 2);
  EXPECT_GT(model().rowCount(), stashed);
  Q_EMIT legend.linkActivated(QString::number(static_cast<int>(Band::parameters)));
  open(sample(u"lenet"_s));
  EXPECT_FALSE(model().kept_band().has_value()) << "a role of the model before";
}

TEST_F(AliveTensors, AFileHasTheNamesOfTheNodesInNewColumnsAtTheEnd) {
  choose(1);
  std::string file;
  table().gather_data([&](const PictureData& data) { file = data(); });
  ASSERT_TRUE(comes_true([&] { return !file.empty(); }));
  const QString titles = QString::fromStdString(file).section(u'\n', 0, 0);
  EXPECT_TRUE(titles.trimmed().endsWith(u"Type,Maker,Last reader,Module"_s)) << file.substr(0, 200);
  EXPECT_NE(file.find(text(0, Column::made_by).toStdString()), std::string::npos);
}

TEST_F(AliveTensors, ASelectedOneIsMarkedInTheCurveAndInTheChart) {
  find<QAction>(u"workspace_overview"_s).trigger();
  find<QDockWidget>(u"alive_dock"_s).raise();
  auto& curve = find<MemoryView>(u"memory_view"_s);
  auto& chart = find<IcicleView>(u"icicle_view"_s);
  ASSERT_TRUE(comes_true([&] { return !chart.boxes().empty(); }));
  int row = 0;
  while (!model().maker(row).valid()) ++row;
  click_cell(table(), row, Column::tensor);
  const QStringList life = model().index(row, Column::life).data(exact_role).toStringList();
  ASSERT_TRUE(curve.life().has_value());
  EXPECT_EQ(QString::number(curve.life()->first + 1), life.front());
  EXPECT_EQ(QString::number(curve.life()->last + 1), life.back());
  EXPECT_TRUE(std::ranges::any_of(chart.boxes(),
                                  [&](const IcicleBox& box) { return chart.is_marked(box); }));
  document().selection().clear();
  EXPECT_FALSE(curve.life().has_value());
}

TEST_F(AliveTensors, SlotsAreNotCut) {
  // At any place in the step, also behind the rows in sight.
  choose(2);
  QTest::qWait(20);
  const int room = table().columnWidth(Column::life) - 2 * CellDelegate::padding;
  ASSERT_GT(model().rowCount(), 20);
  for (int row = 0; row < model().rowCount(); ++row) {
    const QString text = model().index(row, Column::life).data().toString();
    EXPECT_GE(room, table().fontMetrics().horizontalAdvance(text)) << text.toStdString();
  }
}

}  // namespace alive_panel_test
}  // namespace stashscope::ui::test
