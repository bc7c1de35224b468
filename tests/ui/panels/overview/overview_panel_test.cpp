#include "ui/panels/overview/overview_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QSplitter>
#include <QWheelEvent>

#include "tests/ui/support/window_test.h"
#include "ui/pictures/picture_file.h"

namespace stashscope::ui::test {
namespace overview_panel_test {

using namespace Qt::StringLiterals;

class Overview : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    find<QAction>(u"workspace_overview"_s).trigger();
    open(sample(u"gpt2_tiny"_s));
    ASSERT_TRUE(comes_true([this] { return modules().model()->rowCount() > 0; }));
  }

  IcicleView& icicle() { return find<IcicleView>(u"icicle_view"_s); }
  TableView& modules() { return find<TableView>(u"module_table"_s); }
  QString heading() { return find<QLabel>(u"overview_heading"_s).text(); }

  int row_of(const QString& name) {
    const QAbstractItemModel& model = *modules().model();
    for (int row = 0; row < model.rowCount(); ++row) {
      if (model.index(row, ModuleModel::module).data().toString() == name) return row;
    }
    throw std::runtime_error("no row " + name.toStdString());
  }
  const IcicleBox& box_named(const QString& name) {
    for (const IcicleBox& each : icicle().boxes()) {
      if (QString::fromStdString(icicle().tree().nodes[each.node].name) == name) return each;
    }
    throw std::runtime_error("no box " + name.toStdString());
  }
  void click_box(const IcicleBox& box, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::mouseClick(&icicle(), Qt::LeftButton, modifiers,
                      icicle().rectangle(box).center().toPoint());
  }
};

TEST_F(Overview, HoldsThePeakUntilTheCursorMoves) {
  ASSERT_TRUE(icicle().isVisible());
  EXPECT_EQ(icicle().bytes_of(0), peak());
  EXPECT_TRUE(heading().startsWith(u"At the peak"_s)) << heading().toStdString();
  document().selection().select_slot(0);
  EXPECT_EQ(icicle().bytes_of(0), document().study()->current->timeline.live_bytes[0]);
  EXPECT_TRUE(heading().startsWith(u"In slot 1:"_s)) << heading().toStdString();
}

TEST_F(Overview, TheRowsAddUpToThePeakAndTheTableSaysWhere) {
  const auto sum = [this](int column) {
    const QAbstractItemModel& model = *modules().model();
    qlonglong bytes = 0;
    for (int row = 0; row < model.rowCount(); ++row) {
      bytes += model.index(row, column).data(exact_role).toLongLong();
    }
    return bytes;
  };
  EXPECT_GE(row_of(u"outside of modules"_s), 0);
  EXPECT_EQ(sum(ModuleModel::at_peak), peak());
  const qlonglong stashed = sum(ModuleModel::stashed);
  document().selection().select_slot(0);
  const std::size_t slot = document().study()->current->timeline.peak_slot + 1;
  EXPECT_TRUE(find<QLabel>(u"modules_heading"_s).text().contains(u"slot %1:"_s.arg(slot)))
      << "also while the cursor is elsewhere";
  const int rows = modules().model()->rowCount();
  find<QCheckBox>(u"whole_layers"_s).click();
  ASSERT_TRUE(comes_true([&] { return modules().model()->rowCount() < rows; }));
  EXPECT_EQ(sum(ModuleModel::at_peak), peak());
  EXPECT_EQ(sum(ModuleModel::stashed), stashed);
  for (int row = 0; row < modules().model()->rowCount(); ++row) {
    const QString name = modules().model()->index(row, 0).data(exact_role).toString();
    EXPECT_FALSE(name.contains(u"attn"_s)) << name.toStdString();
  }
}

TEST_F(Overview, ALinkLeadsBackToThePeak) {
  auto& link = find<QWidget>(u"overview_to_peak"_s);
  EXPECT_FALSE(link.isVisible());
  document().selection().select_slot(0);
  ASSERT_TRUE(link.isVisible());
  link.setFocus();
  QTest::keyClick(&link, Qt::Key_Space);
  EXPECT_EQ(document().selection().slot(), document().study()->current->timeline.peak_slot);
  EXPECT_TRUE(heading().startsWith(u"At the peak"_s)) << heading().toStdString();
  EXPECT_FALSE(link.isVisible());
}

TEST_F(Overview, FormulasGiveWayToNames) {
  const auto resize = [this](int width, int height) {
    window().resize(width, height);
    find<QAction>(u"reset_layout"_s).trigger();
    QTest::qWait(20);
  };
  resize(900, 614);
  EXPECT_TRUE(modules().isColumnHidden(ModuleModel::symbolic));
  std::string titles;
  modules().gather_data([&](const PictureData& data) { titles = data(); });
  EXPECT_NE(titles.find("Symbolic"), std::string::npos) << "a file has room for it";
  resize(1093, 614);
  for (int row = 0; row < modules().model()->rowCount(); ++row) {
    EXPECT_GE(modules().columnWidth(ModuleModel::module),
              modules().sizeHintForIndex(modules().model()->index(row, 0)).width());
  }
  resize(2560, 1440);
  EXPECT_FALSE(modules().isColumnHidden(ModuleModel::symbolic));
  EXPECT_GE(modules().columnWidth(ModuleModel::symbolic), 160);
}

TEST_F(Overview, GroupsHaveTheirNamesAsSoonAsTheyFit) {
  window().resize(1093, 614);
  QCoreApplication::processEvents();
  int named = 0;
  for (const IcicleBox& box : icicle().boxes()) {
    const MemoryTreeNode& node = icicle().tree().nodes[box.node];
    if (box.node == 0 || node.child_count == 0) continue;
    const double text =
        QFontMetricsF(icicle().font()).horizontalAdvance(QString::fromStdString(node.name));
    const double width = icicle().rectangle(box).width() - 1;
    if (width < text + 2) continue;
    ++named;
    EXPECT_FALSE(icicle().label(box, width).isEmpty()) << node.name << ' ' << width;
  }
  EXPECT_GT(named, 3);
}

TEST_F(Overview, AClickZoomsAndSelectsTheNodesOfTheGroup) {
  click_box(box_named(u"h.1"_s));
  EXPECT_TRUE(heading().endsWith(u"h.1"_s)) << heading().toStdString();
  const std::vector<NodeId>& nodes = document().selection().nodes();
  ASSERT_FALSE(nodes.empty());
  const Graph& graph = document().study()->graph();
  for (const NodeId node : nodes) {
    EXPECT_NE(graph.node(node).name.find("h.1"), std::string::npos) << graph.node(node).name;
  }
  click(find<QWidget>(u"overview_zoom_out"_s));
  EXPECT_FALSE(heading().endsWith(u"h.1"_s)) << heading().toStdString();
}

TEST_F(Overview, ControlAndAClickAddWithoutAZoom) {
  const std::uint32_t top = icicle().top();
  click_box(box_named(u"h.0"_s), Qt::ControlModifier);
  const std::size_t of_one = document().selection().nodes().size();
  click_box(box_named(u"h.1"_s), Qt::ControlModifier);
  EXPECT_GT(document().selection().nodes().size(), of_one);
  EXPECT_EQ(icicle().top(), top);
}

TEST_F(Overview, KeysReachEveryBox) {
  icicle().setFocus();
  press(Qt::Key_Down);
  press(Qt::Key_Right);
  press(Qt::Key_Return);
  const std::uint32_t zoomed = icicle().top();
  EXPECT_NE(zoomed, 0U);
  press(Qt::Key_Backspace);
  EXPECT_NE(icicle().top(), zoomed);
}

TEST_F(Overview, AScrollBarLeadsToTheLowestRows) {
  auto& bar = find<QScrollBar>(u"icicle_scroll"_s);
  auto& parts = find<QSplitter>(u"overview_parts"_s);
  parts.setSizes({icicle().minimumHeight(), 1000});
  QCoreApplication::processEvents();
  ASSERT_TRUE(bar.isVisible());
  const auto lowest = [this] { return std::ranges::max(icicle().boxes(), {}, &IcicleBox::row); };
  EXPECT_GT(icicle().rectangle(lowest()).top(), icicle().height());
  for (const IcicleBox& box : icicle().boxes()) {
    EXPECT_LE(icicle().rectangle(box).right(), bar.x() + 1e-6) << "no box below the bar";
  }
  for (int notch = 0; notch < 20; ++notch) {
    QWheelEvent wheel({5, 5}, icicle().mapToGlobal(QPointF(5, 5)), {}, {0, -120}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&icicle(), &wheel);
  }
  EXPECT_EQ(bar.value(), bar.maximum());
  EXPECT_NEAR(icicle().rectangle(lowest()).bottom(), icicle().height(), 1);
  const QSignalSpy chosen(&icicle(), &IcicleView::chosen);
  const std::uint32_t node = lowest().node;
  click_box(lowest());
  ASSERT_EQ(chosen.size(), 1);
  EXPECT_EQ(chosen[0][0].toUInt(), node);
  icicle().setFocus();
  for (std::uint32_t row = lowest().row; row > 0; --row) press(Qt::Key_Up);
  EXPECT_EQ(bar.value(), 0) << "keys scroll the box that they reach into view";
  parts.setSizes({1000, 100});
  QCoreApplication::processEvents();
  EXPECT_FALSE(bar.isVisible());
  EXPECT_EQ(bar.value(), 0);
}

TEST_F(Overview, ASavedPictureHasTheRowsOutOfSight) {
  auto& parts = find<QSplitter>(u"overview_parts"_s);
  parts.setSizes({icicle().minimumHeight(), 1000});
  QCoreApplication::processEvents();
  const auto lowest = std::ranges::max(icicle().boxes(), {}, &IcicleBox::row);
  EXPECT_GE(icicle().picture({}).size.height(), icicle().rectangle(lowest).bottom());
}

TEST_F(Overview, ABlockSumByARowEndsWithTheModel) {
  auto& sums = find<QCheckBox>(u"overview_sum_blocks"_s);
  click_cell(modules(), row_of(u"▸ 2 × transformer.h.*.mlp"_s), ModuleModel::module);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(sums.isChecked());
  open(sample(u"lenet"_s));
  EXPECT_FALSE(sums.isChecked());
  click(sums);
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(sums.isChecked()) << "the user's own choice stays";
}

TEST_F(Overview, ModulesAreListedByBytesAndLeadToTheIcicle) {
  QAbstractItemModel& model = *modules().model();
  ASSERT_GT(model.rowCount(), 2);
  choose_entry(u"overview_grouping"_s, 2);
  ASSERT_TRUE(settles());
  const int row = row_of(u"transformer.wte"_s);
  click_cell(modules(), row, ModuleModel::module);
  ASSERT_TRUE(settles());
  EXPECT_EQ(find<QComboBox>(u"overview_grouping"_s).currentIndex(), 0);
  EXPECT_TRUE(model.index(row, ModuleModel::module)
                  .data()
                  .toString()
                  .startsWith(heading().section(u' ', -1)))
      << heading().toStdString();
}

TEST_F(Overview, AModuleIsShownAlsoWhileTensorsAreGrouped) {
  auto& grouping = find<QComboBox>(u"overview_grouping"_s);
  grouping.setCurrentIndex(2);
  Q_EMIT grouping.activated(2);
  const int row = row_of(u"transformer.wte"_s);
  Q_EMIT modules().activated(modules().model()->index(row, ModuleModel::module));
  EXPECT_TRUE(heading().endsWith(u" transformer.wte"_s)) << heading().toStdString();
  ASSERT_TRUE(settles());
  EXPECT_TRUE(heading().endsWith(u" transformer.wte"_s)) << heading().toStdString();
}

/// More rows than are sorted in one event.
TEST_F(Overview, AClickMeansItsRowAlsoWhileRowsAreSorted) {
  const Study& study = *document().study();
  std::vector<ModuleGroup> groups = module_groups(module_memory(study));
  for (int i = 0; i < 5000; ++i) {
    const ModuleMemory filler{"filler", false, i + 1, 0, 0, {}};
    groups.push_back({filler, {filler}});
  }
  auto& model = dynamic_cast<ModuleModel&>(*modules().model());
  model.set_modules(std::move(groups), peak());
  const int row = row_of(u"▸ 2 × transformer.h.*.attn"_s);
  model.sort(ModuleModel::at_peak, Qt::AscendingOrder);
  ASSERT_EQ(row_of(u"▸ 2 × transformer.h.*.attn"_s), row) << "the sort is under way";
  Q_EMIT modules().clicked(model.index(row, ModuleModel::module));
  ASSERT_NE(row_of(u"▾ 2 × transformer.h.*.attn"_s), row);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(heading().endsWith(u"in transformer.h.*.attn"_s)) << heading().toStdString();
}

TEST_F(Overview, EqualBlocksAreOneRowThatOpens) {
  QAbstractItemModel& model = *modules().model();
  const auto& sums = find<QCheckBox>(u"overview_sum_blocks"_s);
  const int closed = model.rowCount();
  const int row = row_of(u"▸ 2 × transformer.h.*.attn"_s);
  const auto spoken = [&] {
    return model.index(row, ModuleModel::module).data(Qt::AccessibleTextRole).toString();
  };
  EXPECT_EQ(spoken(), u"2 × transformer.h.*.attn, closed"_s);
  click_cell(modules(), row, ModuleModel::module);
  ASSERT_TRUE(settles());
  ASSERT_EQ(model.rowCount(), closed + 2);
  EXPECT_EQ(spoken(), u"2 × transformer.h.*.attn, open"_s);
  EXPECT_TRUE(heading().endsWith(u"in transformer.h.*.attn"_s)) << "the icicle sums, too";
  EXPECT_TRUE(sums.isChecked());
  EXPECT_TRUE(model.index(row + 1, ModuleModel::module).data().toString().endsWith(u".attn"_s));
  const auto bytes = [&](int at) {
    return model.index(at, ModuleModel::at_peak).data(exact_role).toLongLong();
  };
  EXPECT_EQ(bytes(row), bytes(row + 1) + bytes(row + 2));
  EXPECT_EQ(icicle().bytes_of(icicle().top()), bytes(row));
  click_cell(modules(), row + 1, ModuleModel::module);
  ASSERT_TRUE(settles());
  EXPECT_FALSE(sums.isChecked()) << "a single module has no box among the sums";
  EXPECT_EQ(icicle().bytes_of(icicle().top()), bytes(row + 1));
  modules().setCurrentIndex(model.index(row, 0));
  QTest::keyClick(&modules(), Qt::Key_Left);
  EXPECT_EQ(model.rowCount(), closed);
  QTest::keyClick(&modules(), Qt::Key_Right);
  EXPECT_EQ(model.rowCount(), closed + 2);
  Choices choices = document().choices();
  choices.plans.level = 1;
  document().choose(choices, u"level 1"_s);
  ASSERT_TRUE(settles());
  EXPECT_NO_THROW(row_of(u"▾ 2 × transformer.h.*.attn"_s)) << "the row stays open";
}

TEST_F(Overview, TheIcicleSumsEqualBlocks) {
  click(find<QWidget>(u"overview_sum_blocks"_s));
  ASSERT_TRUE(settles());
  const std::int64_t both = icicle().bytes_of(box_named(u"h.*"_s).node);
  EXPECT_EQ(icicle().bytes_of(0), peak());
  click_box(box_named(u"h.*"_s));
  EXPECT_FALSE(document().selection().nodes().empty());
  find<QCheckBox>(u"overview_sum_blocks"_s).click();
  ASSERT_TRUE(settles());
  ASSERT_EQ(icicle().top(), 0U);
  EXPECT_EQ(both, icicle().bytes_of(box_named(u"h.0"_s).node) +
                      icicle().bytes_of(box_named(u"h.1"_s).node));
  choose_entry(u"overview_grouping"_s, 1);
  EXPECT_FALSE(find<QWidget>(u"overview_sum_blocks"_s).isEnabled());
}

TEST_F(Overview, TheRowAndTheZoomEndWhenSomethingElseIsSelected) {
  const auto click_row = [this] {
    click_cell(modules(), row_of(u"transformer.wte"_s), ModuleModel::module);
    ASSERT_TRUE(settles());
    ASSERT_TRUE(heading().endsWith(u" transformer.wte"_s)) << heading().toStdString();
    ASSERT_TRUE(modules().selectionModel()->hasSelection());
  };
  click_row();
  document().selection().select_slot(0);
  EXPECT_NE(icicle().top(), 0U) << "a step of the cursor leaves the zoom";
  EXPECT_FALSE(modules().selectionModel()->hasSelection());
  click_row();
  const Study& study = *document().study();
  const auto inside = nodes_in_tree(icicle().tree(), *study.current,
                                    tensor_homes(study, *study.current).modules, icicle().top());
  ASSERT_FALSE(inside.empty());
  window().graph().go_to(inside.front());
  EXPECT_NE(icicle().top(), 0U) << "the node is in the group";
  click_row();
  const auto outside = std::ranges::find_if(study.current->timeline.order, [&](NodeId each) {
    return std::ranges::find(inside, study.current->dataflow.origin(each)) == inside.end();
  });
  window().graph().go_to(*outside);
  EXPECT_EQ(icicle().top(), 0U);
  EXPECT_FALSE(modules().selectionModel()->hasSelection());
}

TEST_F(Overview, WholeLayersLeaveTheColumnsInPlace) {
  const auto places = [this] {
    std::vector<int> lefts;
    for (int column = 0; column < modules().model()->columnCount(); ++column) {
      lefts.push_back(modules().columnViewportPosition(column));
    }
    return lefts;
  };
  const std::vector<int> before = places();
  auto& layers = find<QCheckBox>(u"whole_layers"_s);
  for (const bool is_on : {true, false}) {
    const int rows = modules().model()->rowCount();
    layers.click();
    ASSERT_TRUE(comes_true([&] { return modules().model()->rowCount() != rows; }));
    EXPECT_EQ(places(), before) << is_on;
  }
}

TEST_F(Overview, TheZoomStaysWhenAPlanIsTicked) {
  click_box(box_named(u"h.1"_s));
  const QString before = heading();
  Choices choices = document().choices();
  choices.plans.level = 1;
  document().choose(choices, u"level 1"_s);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(heading().endsWith(u"h.1"_s)) << heading().toStdString();
  EXPECT_NE(heading(), before);
}

TEST_F(Overview, FollowsTheCursorThatMovedWhileItWasHidden) {
  find<QDockWidget>(u"overview_dock"_s).hide();
  document().selection().select_slot(0);
  find<QDockWidget>(u"overview_dock"_s).show();
  QCoreApplication::processEvents();
  ASSERT_TRUE(settles());
  EXPECT_EQ(icicle().bytes_of(0), document().study()->current->timeline.live_bytes[0]);
  EXPECT_TRUE(heading().startsWith(u"In slot 1:"_s)) << heading().toStdString();
}

TEST_F(Overview, SizesAreLinksToTheirFields) {
  auto& sizes = find<QLabel>(u"overview_sizes"_s);
  ASSERT_TRUE(sizes.isVisible());
  EXPECT_TRUE(sizes.text().contains(u">batch 1</a>"_s)) << sizes.text().toStdString();
  EXPECT_TRUE(sizes.text().contains(u">sequence 64</a>"_s)) << sizes.text().toStdString();
  EXPECT_TRUE(sizes.text().contains(u">no optimizer</a>"_s)) << sizes.text().toStdString();
  sizes.setFocus();
  QTest::keyClick(&sizes, Qt::Key_Tab);
  QTest::keyClick(&sizes, Qt::Key_Tab);
  QTest::keyClick(&sizes, Qt::Key_Return);
  auto& field = find<QSpinBox>(u"dimension:inputs_input_ids_dim1"_s);
  ASSERT_TRUE(field.isVisible());
  EXPECT_TRUE(field.hasFocus());
  QTest::keyClicks(&field, u"32"_s);
  QTest::keyClick(&field, Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(sizes.text().contains(u">sequence 32</a>"_s)) << sizes.text().toStdString();
}

TEST_F(Overview, TheOptimizerIsALinkToItsMenu) {
  auto& sizes = find<QLabel>(u"overview_sizes"_s);
  Q_EMIT sizes.linkActivated(u"optimizer"_s);
  auto& menu = find<QMenu>(u"optimizer_menu"_s);
  ASSERT_TRUE(menu.isVisible());
  find<QAction>(u"optimizer_sgd"_s).trigger();
  menu.close();
  ASSERT_TRUE(settles());
  EXPECT_TRUE(sizes.text().contains(u">with sgd</a>"_s)) << sizes.text().toStdString();
}

TEST_F(Overview, FormulasAreCutAtTheirEnd) {
  const QModelIndex cell = modules().model()->index(0, ModuleModel::symbolic);
  const QString formula = cell.data().toString();
  QStyleOptionViewItem option;
  option.initFrom(&modules());
  option.widget = &modules();
  option.textElideMode = modules().textElideMode();
  option.rect = QRect(0, 0, option.fontMetrics.horizontalAdvance(formula) / 2, 24);
  const Picture drawn = {
      u"cell"_s,
      option.rect.size(),
      [&](QPainter& painter) { modules().itemDelegate()->paint(&painter, option, cell); },
      {}};
  const QString svg = QString::fromStdString(encoded(drawn, PictureFormat::svg));
  const qsizetype cut = svg.indexOf(u"…"_s);
  ASSERT_GT(cut, 0) << svg.toStdString();
  EXPECT_EQ(svg.mid(cut + 1, 1), u"<"_s) << svg.toStdString();
  EXPECT_TRUE(cell.data(Qt::ToolTipRole).toString().startsWith(formula));
}

TEST_F(Overview, EveryGroupingHoldsAllBytes) {
  for (const int grouping : {0, 1, 2, 3}) {
    choose_entry(u"overview_grouping"_s, grouping);
    ASSERT_TRUE(settles());
    EXPECT_EQ(static_cast<int>(icicle().tree().grouping), grouping);
    EXPECT_EQ(icicle().bytes_of(0), peak());
  }
}

}  // namespace overview_panel_test
}  // namespace stashscope::ui::test
