// Tables are sorted by value, by a click on a title and in the menu, and rows keep their meaning.

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QHeaderView>
#include <QMenu>
#include <algorithm>

#include "core/study/step/fusion_table.h"
#include "tests/ui/support/studies.h"
#include "tests/ui/support/watchdog.h"
#include "tests/ui/support/window_test.h"
#include "ui/models/alive_model.h"
#include "ui/models/comparison_model.h"
#include "ui/models/fusion_model.h"
#include "ui/models/module_model.h"
#include "ui/models/order_model.h"
#include "ui/palette/commands.h"

namespace stashscope::ui::test {
namespace sorting_test {

using namespace Qt::StringLiterals;

QStringList texts(const QAbstractItemModel& model, int column) {
  QStringList texts;
  for (int row = 0; row < model.rowCount(); ++row)
    texts << model.index(row, column).data().toString();
  return texts;
}

std::vector<double> numbers(const QAbstractItemModel& model, int column) {
  std::vector<double> numbers;
  for (int row = 0; row < model.rowCount(); ++row) {
    numbers.push_back(model.index(row, column).data(exact_role).toDouble());
  }
  return numbers;
}

class Sorting : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
    for (const QString& panel : {u"overview_dock"_s, u"alive_dock"_s}) {
      find<QWidget>(panel).show();
      find<QWidget>(panel).raise();
    }
    ASSERT_TRUE(settles());
    ASSERT_TRUE(comes_true([&] { return table(u"module_table"_s).model()->rowCount() > 0; }));
  }

  TableView& table(const QString& name) { return find<TableView>(name); }

  static void click_title(QTableView& table, int column) {
    QHeaderView& header = *table.horizontalHeader();
    table.scrollTo(table.model()->index(0, column));
    const int x = header.sectionViewportPosition(column) + header.sectionSize(column) / 2;
    QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, QPoint(x, header.height() / 2));
  }

  static QMenu& sort_menu(const QWidget& table) {
    for (QAction* const action : table.actions()) {
      if (action->menu() == nullptr || action->text() != u"Sort by"_s) continue;
      Q_EMIT action->menu()->aboutToShow();
      return *action->menu();
    }
    throw std::runtime_error("no menu to sort " + table.objectName().toStdString());
  }
};

TEST(SortedRows, AreInTheOrderOfTheirValues) {
  const auto sorted = [](const QVariantList& values, Qt::SortOrder order) {
    RowSorter sorter(order);
    for (qsizetype i = 0; i < values.size(); ++i) {
      sorter.add(values[i]);
      if (i % 3 == 2) sorter.close_run();
    }
    sorter.close_run();
    QVariantList result;
    for (const int row : std::move(sorter).rows()) result << values[row];
    return result;
  };
  const QVariantList names = {u"h.10"_s, u"H.2.attn"_s, u"h.1"_s, u""_s, u"embedding"_s, u"h.2"_s};
  EXPECT_EQ(sorted(names, Qt::AscendingOrder),
            QVariantList({u"embedding"_s, u"h.1"_s, u"h.2"_s, u"H.2.attn"_s, u"h.10"_s, u""_s}));
  EXPECT_EQ(sorted(names, Qt::DescendingOrder),
            QVariantList({u"h.10"_s, u"H.2.attn"_s, u"h.2"_s, u"h.1"_s, u"embedding"_s, u""_s}));
  const QVariantList mixed = {qlonglong{9}, u"when chosen"_s, QVariant(), 10.5, qlonglong{-2}};
  EXPECT_EQ(sorted(mixed, Qt::AscendingOrder),
            QVariantList({qlonglong{-2}, qlonglong{9}, 10.5, u"when chosen"_s, QVariant()}));
  EXPECT_EQ(sorted(mixed, Qt::DescendingOrder),
            QVariantList({10.5, qlonglong{9}, qlonglong{-2}, u"when chosen"_s, QVariant()}));
}

TEST_F(Sorting, ATitleSortsLargestFirstThenSmallestFirstThenAsAtFirst) {
  TableView& modules = table(u"module_table"_s);
  const QHeaderView& header = *modules.horizontalHeader();
  const QStringList first = texts(*modules.model(), ModuleModel::module);
  EXPECT_EQ(header.sortIndicatorSection(), -1);
  click_title(modules, ModuleModel::time);
  EXPECT_TRUE(header.isSortIndicatorShown());
  EXPECT_EQ(header.sortIndicatorSection(), ModuleModel::time);
  EXPECT_NE(texts(*modules.model(), ModuleModel::module), first);
  EXPECT_TRUE(
      std::ranges::is_sorted(numbers(*modules.model(), ModuleModel::time), std::greater<>()));
  click_title(modules, ModuleModel::time);
  EXPECT_TRUE(std::ranges::is_sorted(numbers(*modules.model(), ModuleModel::time)));
  click_title(modules, ModuleModel::time);
  EXPECT_EQ(header.sortIndicatorSection(), -1);
  EXPECT_EQ(texts(*modules.model(), ModuleModel::module), first);
  click_title(modules, ModuleModel::module);
  const auto& model = *static_cast<const ModuleModel*>(modules.model());
  std::vector<std::string> names;
  for (int row = 0; row < model.rowCount(); ++row) names.push_back(model.at(row).module);
  EXPECT_GE(names.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(names)) << testing::PrintToString(names);
}

TEST_F(Sorting, TheSelectedRowAndTheMeaningOfRowsStay) {
  TableView& alive = table(u"alive_table"_s);
  const auto& model = *static_cast<const AliveModel*>(alive.model());
  int row = 0;
  while (!model.maker(row).valid()) ++row;
  click_cell(alive, row, AliveModel::tensor);
  const NodeId node = document().selection().node();
  const QString name = alive.currentIndex().data().toString();
  click_title(alive, AliveModel::tensor);
  EXPECT_EQ(alive.currentIndex().data().toString(), name);
  EXPECT_NE(alive.currentIndex().row(), row);
  EXPECT_EQ(model.maker(alive.currentIndex().row()), node);
  EXPECT_EQ(document().selection().node(), node);
  EXPECT_TRUE(alive.selectionModel()->isRowSelected(alive.currentIndex().row()));
  // The rows of another slot are sorted by the same column.
  const std::size_t at = document().selection().slot();
  document().selection().select_slot(at / 2);
  RowSorter sorter(Qt::AscendingOrder);
  const QStringList names = texts(model, AliveModel::tensor);
  for (const QString& each : names) sorter.add(each);
  sorter.close_run();
  const std::vector<int> rows = std::move(sorter).rows();
  EXPECT_TRUE(std::ranges::is_sorted(rows));
  EXPECT_GT(rows.size(), 4U);
}

TEST_F(Sorting, TheMenuAndThePaletteSortAsWell) {
  for (const char* const name : {"module_table", "alive_table", "compare_table", "difference_table",
                                 "fusion_table", "order_table"}) {
    TableView& each = table(QString::fromLatin1(name));
    QMenu& menu = sort_menu(each);
    EXPECT_EQ(menu.actions().size(), each.model()->columnCount() + 2) << name;
    EXPECT_EQ(each.contextMenuPolicy(), Qt::ActionsContextMenu) << name;
  }
  TableView& modules = table(u"module_table"_s);
  const QStringList first = texts(*modules.model(), ModuleModel::module);
  sort_menu(modules).actions().at(ModuleModel::stashed)->trigger();
  EXPECT_TRUE(
      std::ranges::is_sorted(numbers(*modules.model(), ModuleModel::stashed), std::greater<>()));
  EXPECT_TRUE(sort_menu(modules).actions().at(ModuleModel::stashed)->isChecked());
  sort_menu(modules).actions().back()->trigger();
  EXPECT_EQ(texts(*modules.model(), ModuleModel::module), first);
  const std::vector<Command> commands = all_commands(*window().menuBar(), window());
  const auto by_time = std::ranges::find_if(commands, [&](const Command& each) {
    return each.widget == &modules && full_name(each).endsWith(u"Sort by › Time"_s);
  });
  ASSERT_NE(by_time, commands.end());
  by_time->action->trigger();
  EXPECT_EQ(modules.horizontalHeader()->sortIndicatorSection(), ModuleModel::time);
}

TEST_F(Sorting, PicturesAndFilesHaveTheShownOrder) {
  TableView& modules = table(u"module_table"_s);
  const auto data = [&modules] {
    const auto gathered = std::make_shared<std::string>();
    modules.gather_data([gathered](const PictureData& figures) { *gathered = figures(); });
    EXPECT_TRUE(comes_true([&] { return !gathered->empty(); }));
    return *gathered;
  };
  const std::string first = data();
  click_title(modules, ModuleModel::module);
  const std::string sorted = data();
  EXPECT_NE(sorted, first);
  const std::string name = modules.model()->index(0, 0).data().toString().toStdString();
  EXPECT_EQ(sorted.substr(sorted.find("\r\n") + 2, name.size()), name);
}

TEST_F(Sorting, ARowOfASortedTableIsStillItsChoice) {
  TableView& orders = table(u"order_table"_s);
  find<QWidget>(u"orders_dock"_s).raise();
  QCoreApplication::processEvents();
  click_title(orders, OrderModel::peak);
  const int last = orders.model()->rowCount() - 1;
  int row = last;
  while (orders.model()->index(row, OrderModel::name).data(Qt::CheckStateRole) == Qt::Checked)
    --row;
  const QString name = orders.model()->index(row, OrderModel::name).data().toString();
  click_cell(orders, row, OrderModel::name);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(name.startsWith(QString::fromStdString(*document().choices().order.strategy)))
      << name.toStdString();
}

TEST_F(Sorting, TheThirdClickOnAPlanColumnGivesTheLargestPlansBack) {
  QHeaderView& header = *plans().header();
  const QStringList first = texts(*plans().model(), PlanTreeModel::plan);
  for (int clicks = 0; clicks < 3; ++clicks) {
    const int x = header.sectionViewportPosition(PlanTreeModel::plan) + 20;
    QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, QPoint(x, header.height() / 2));
    EXPECT_EQ(header.sortIndicatorSection() == PlanTreeModel::plan, clicks < 2);
  }
  EXPECT_EQ(header.sortIndicatorSection(), PlanTreeModel::saving);
  EXPECT_EQ(header.sortIndicatorOrder(), Qt::DescendingOrder);
  EXPECT_EQ(texts(*plans().model(), PlanTreeModel::plan), first);
}

TEST_F(Sorting, EnterOrADoubleClickShowsTheTensorInTheGraph) {
  window().graph().close_groups();
  ASSERT_TRUE(settles());
  TableView& alive = table(u"alive_table"_s);
  const auto& model = *static_cast<const AliveModel*>(alive.model());
  const std::size_t slot = document().selection().slot();
  int row = 0;
  while (!model.maker(row).valid()) ++row;
  alive.setCurrentIndex(model.index(row, AliveModel::tensor));
  alive.setFocus();
  QTest::keyClick(&alive, Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().selection().node(), model.maker(row));
  EXPECT_EQ(document().selection().slot(), slot) << "the cursor stays where the user looks";
  const layout::Drawing& drawing = window().graph().view().scene()->drawing();
  EXPECT_FALSE(drawing.boxes[drawing.box_of[model.maker(row)]].shows.group.valid())
      << "its groups are open";
  // A parameter is selected itself, with the nodes that read it.
  row = 0;
  while (model.maker(row).valid()) ++row;
  const QRect cell = alive.visualRect(model.index(row, AliveModel::tensor));
  alive.scrollTo(model.index(row, AliveModel::tensor));
  QTest::mouseClick(alive.viewport(), Qt::LeftButton, {}, cell.center());
  QTest::mouseDClick(alive.viewport(), Qt::LeftButton, {}, cell.center());
  EXPECT_EQ(document().selection().current().tensor, model.root(row));
  EXPECT_FALSE(document().selection().nodes().empty());
}

TEST_F(Sorting, EnterOnAModuleOpensItInTheIcicle) {
  TableView& modules = table(u"module_table"_s);
  click_title(modules, ModuleModel::module);
  const auto& icicle = find<IcicleView>(u"icicle_view"_s);
  ASSERT_EQ(icicle.top(), 0U);
  const int row = modules.model()->rowCount() - 1;
  modules.setCurrentIndex(modules.model()->index(row, ModuleModel::module));
  QTest::keyClick(&modules, Qt::Key_Return);
  ASSERT_TRUE(settles());
  ASSERT_NE(icicle.top(), 0U);
  const QString name = modules.model()->index(row, ModuleModel::module).data().toString();
  EXPECT_TRUE(name.startsWith(QString::fromStdString(path_in_tree(icicle.tree(), icicle.top()))));
}

TEST(SortedModels, KeepTheRules) {
  const auto study = study_of(sample(u"gpt2_tiny"_s));
  AliveModel alive;
  ComparisonModel comparison;
  FusionModel fusions;
  for (QAbstractItemModel* const model :
       std::initializer_list<QAbstractItemModel*>{&alive, &comparison, &fusions}) {
    new QAbstractItemModelTester(model, QAbstractItemModelTester::FailureReportingMode::Warning,
                                 model);
    model->sort(0, Qt::DescendingOrder);
  }
  alive.set_moment(study, 50);
  alive.sort(AliveModel::life, Qt::AscendingOrder);
  alive.set_moment(study, 3);
  alive.set_moment(nullptr, 0);
  EXPECT_EQ(alive.rowCount(), 0);
  fusions.set_study(study);
  fusions.sort(FusionModel::nodes, Qt::DescendingOrder);
  fusions.set_rows(fusion_table(*study, SearchedOrders::leave_out));
  EXPECT_GE(fusions.fusion_row(0).fused_nodes, fusions.fusion_row(1).fused_nodes);
  EXPECT_GT(fusions.fusion_row(0).fused_nodes, 0U);
  const ComparisonRow order{
      ComparisonGroup::choices, "order", Quantity::text, {"file", {}}, {"minimal", {}}};
  const ComparisonRow level{
      ComparisonGroup::choices, "level", Quantity::text, {"0", {}}, {"1", {}}};
  comparison.set_rows({order, level});
  comparison.sort(ComparisonModel::name, Qt::AscendingOrder);
  EXPECT_EQ(texts(comparison, ComparisonModel::name), QStringList({u"level"_s, u"order"_s}));
  EXPECT_EQ(texts(comparison, ComparisonModel::group).count(QString()), 0)
      << "every row says its topic";
}

/// As many rows as a very large model has tensors.
class ManyRows : public TableModel {
 public:
  ManyRows() : TableModel({{u"Name"_s, {}, false}, {u"Size"_s, {}, true}}, nullptr) {}

 protected:
  int rows() const override { return 50'000; }
  QVariant cell(int row, int column, int role) const override {
    const int mixed = static_cast<int>(row * 7'919LL % rows());
    if (role == exact_role) return column == 1 ? QVariant(mixed) : QVariant();
    if (role != Qt::DisplayRole) return {};
    return column == 1 ? QString::number(mixed)
                       : u"transformer.h.%1.attention.output.%2"_s.arg(mixed % 97).arg(mixed);
  }
};

TEST(ManySortedRows, TakeNoLongEvent) {
  if (!times_are_real()) GTEST_SKIP() << "times mean nothing in this build";
  auto& application = *static_cast<WatchedApplication*>(qApp);
  ManyRows model;
  TableView table;
  table.setModel(&model);
  table.let_sort();
  table.resize(400, 300);
  table.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&table));
  table.selectRow(1'234);
  const QString selected = table.currentIndex().data().toString();
  for (const int column : {0, 1, 0, 0}) {
    QHeaderView& header = *table.horizontalHeader();
    QCoreApplication::processEvents();
    const int row = table.currentIndex().row();
    application.take_longest();
    const int x = header.sectionViewportPosition(column) + header.sectionSize(column) / 2;
    QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, QPoint(x, header.height() / 2));
    ASSERT_TRUE(comes_true([&] { return table.currentIndex().row() != row; })) << column;
    const auto longest = application.take_longest();
    EXPECT_LT(longest.milliseconds, 50) << column << ": " << longest.event;
    RecordProperty("column " + std::to_string(column), std::to_string(longest.milliseconds));
    EXPECT_EQ(table.currentIndex().data().toString(), selected);
  }
  EXPECT_EQ(model.index(0, 0).data().toString(), u"transformer.h.96.attention.output.49954"_s);
}

TEST(ManyRowsAsAFile, TakeNoLongEventAndAreOfOneState) {
  if (!times_are_real()) GTEST_SKIP() << "times mean nothing in this build";
  auto& application = *static_cast<WatchedApplication*>(qApp);
  ManyRows model;
  TableView table;
  table.setModel(&model);
  model.sort(1, Qt::DescendingOrder);
  ASSERT_TRUE(comes_true([&] { return model.index(0, 1).data().toInt() == 49'999; }));
  application.take_longest();
  std::string gathered;
  QMetaObject::invokeMethod(
      &table, [&] { table.gather_data([&](const PictureData& figures) { gathered = figures(); }); },
      Qt::QueuedConnection);
  QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
  EXPECT_TRUE(gathered.empty());
  model.sort(-1);
  ASSERT_TRUE(comes_true([&] { return !gathered.empty(); }));
  const auto longest = application.take_longest();
  EXPECT_LT(longest.milliseconds, 50) << longest.event;
  RecordProperty("longest", std::to_string(longest.milliseconds));
  EXPECT_EQ(std::ranges::count(gathered, '\n'), 50'001);
  EXPECT_TRUE(gathered.starts_with("Name,Size\r\n")) << gathered.substr(0, 40);
  EXPECT_TRUE(gathered.ends_with(",42081\r\n")) << "the order that was chosen meanwhile";
}

}  // namespace sorting_test
}  // namespace stashscope::ui::test
