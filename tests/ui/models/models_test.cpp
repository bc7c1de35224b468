// The models of tables and trees follow the rules of Qt's views while studies change.

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <set>

#include "core/memory/bands.h"
#include "core/study/edits/edits.h"
#include "core/study/step/fusion_table.h"
#include "tests/support/model_builder.h"
#include "tests/ui/support/samples.h"
#include "tests/ui/support/studies.h"
#include "ui/charts/band_colours.h"
#include "ui/graph/graph_painter.h"
#include "ui/models/alive_model.h"
#include "ui/models/difference_model.h"
#include "ui/models/edit_model.h"
#include "ui/models/fusion_model.h"
#include "ui/models/group_model.h"
#include "ui/models/order_model.h"
#include "ui/models/plan_filter.h"
#include "ui/models/plan_texts.h"
#include "ui/models/plan_tree_model.h"
#include "ui/models/step_model.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace models_test {

using namespace Qt::StringLiterals;
using Reporting = QAbstractItemModelTester::FailureReportingMode;

class Models : public testing::Test {
 protected:
  /// Studies in a sequence that a user could make.
  void walk(const std::function<void(std::shared_ptr<const Study>)>& show) {
    const auto first = study_of(sample(u"gpt2_tiny"_s));
    show(first);
    show(compute_study(first->model,
                       with_plan(*first, first->choices, first->plan_table->plans[0], true),
                       first.get(), Progress()));
    show(study_of(sample(u"lenet"_s)));
    show(nullptr);
    show(first);
    show(nullptr);
    show(nullptr);
  }
};

TEST_F(Models, AGroupOfManyPlansNamesTheFirst) {
  EXPECT_EQ(one_of_text({u"a"_s, u"b"_s, u"c"_s}), u"One of 3: a or b or c"_s);
  EXPECT_EQ(one_of_text({u"a"_s, u"b"_s, u"c"_s, u"d"_s}), u"One of 4, such as a"_s);
}

TEST_F(Models, PlansKeepTheRules) {
  PlanTreeModel model;
  const QAbstractItemModelTester tester(&model, Reporting::Warning);
  walk([&](auto study) {
    model.set_study(study);
    model.list_extensions(true);
    model.list_extensions(false);
  });
}

TEST_F(Models, PlansThatAreFilteredAndSortedKeepTheRules) {
  PlanTreeModel model;
  PlanFilter filter(model);
  const QAbstractItemModelTester tester(&filter, Reporting::Warning);
  walk([&](auto study) {
    filter.look_for(u"gelu"_s);
    model.set_study(study);
    for (int column = 0; column < model.columnCount(); ++column) {
      filter.sort(column, column % 2 == 0 ? Qt::AscendingOrder : Qt::DescendingOrder);
    }
    filter.look_for(u"h.1"_s);
    filter.look_for({});
  });
}

TEST_F(Models, OrdersKeepTheRules) {
  OrderModel model;
  const QAbstractItemModelTester tester(&model, Reporting::Warning);
  walk([&](auto study) { model.set_study(study); });
}

TEST_F(Models, StepsKeepTheRules) {
  StepModel model;
  const QAbstractItemModelTester tester(&model, Reporting::Warning);
  walk([&](auto study) { model.set_study(study); });
}

TEST_F(Models, FusionsKeepTheRules) {
  FusionModel model;
  const QAbstractItemModelTester tester(&model, Reporting::Warning);
  walk([&](auto study) {
    model.set_study(study);
    if (study != nullptr) model.set_rows(fusion_table(*study, SearchedOrders::leave_out));
  });
}

TEST_F(Models, GroupsAndEditsKeepTheRules) {
  GroupModel groups;
  EditModel edits;
  const QAbstractItemModelTester groups_tester(&groups, Reporting::Warning);
  const QAbstractItemModelTester edits_tester(&edits, Reporting::Warning);
  Choices choices;
  choices.fusion = {"dataflow", {}, {{"nobody", "no one"}}};
  for (const char* fusion : {"dataflow", "none", "horizontal"}) {
    choices.fusion.strategy = choice_of(fusion, no_fusion);
    const auto study = study_of(sample(u"gpt2_tiny"_s), choices);
    groups.set_study(study);
    edits.set_edits(order_edits(*study));
    EXPECT_EQ(groups.rowCount(), static_cast<int>(study->current->groups.members.size()));
    for (const NodeId node : study->current->timeline.order) {
      const QModelIndex index = groups.index_of(node);
      if (index.isValid()) {
        EXPECT_EQ(groups.node_at(index), node);
      }
    }
  }
  groups.set_study(nullptr);
  edits.set_edits({});
}

TEST_F(Models, WhatIsAliveKeepsTheRules) {
  AliveModel model;
  const QAbstractItemModelTester tester(&model, Reporting::Warning);
  walk([&](auto study) {
    for (const std::size_t step : {0, 50, 3}) model.set_moment(study, step);
  });
}

TEST_F(Models, WhatIsAliveHasTheColourOfItsUse) {
  AliveModel model;
  const auto study = study_of(sample(u"gpt2_tiny"_s));
  const Timeline& timeline = study->current->timeline;
  model.set_moment(study, timeline.peak_slot);
  const auto alive = alive_at(timeline, timeline.peak_slot);
  const Variant& current = *study->current;
  const auto bands =
      bands_at(current.dataflow, study->prepared->rules, timeline, current.forward_slots,
               study->prepared->step.boundary.yield, timeline.peak_slot);
  for (const Theme& theme : {light_theme(), dark_theme()}) {
    model.set_theme(theme);
    for (int row = 0; row < model.rowCount(); ++row) {
      const Band band = bands[alive[static_cast<std::size_t>(row)]];
      const QVariant colour = model.index(row, AliveModel::tensor).data(Qt::DecorationRole);
      EXPECT_EQ(colour.value<QColor>(), band_colour(band, theme));
    }
  }
}

TEST_F(Models, DifferencesKeepTheRules) {
  DifferenceModel model;
  const QAbstractItemModelTester tester(&model, Reporting::Warning);
  walk([&](std::shared_ptr<const Study> study) {
    if (study == nullptr) return model.set_differences(nullptr, {});
    Measurement run;
    run.live_bytes = study->current->timeline.live_bytes;
    run.live_bytes.front() += 7;
    model.set_differences(study, measured_differences(*study, *study->current, run).slots);
    ASSERT_EQ(model.rowCount(), std::ssize(run.live_bytes));
    EXPECT_EQ(model.index(0, DifferenceModel::difference).data(), u"+7 B"_s);
    EXPECT_EQ(model.index(1, DifferenceModel::difference).data(), u"0"_s);
    EXPECT_EQ(model.index(0, DifferenceModel::cause).data(), u"not explained"_s);
  });
}

TEST_F(Models, TickingAsksAndChangesNothingItself) {
  PlanTreeModel model;
  model.set_study(study_of(sample(u"gpt2_tiny"_s)));
  QSignalSpy wanted(&model, &PlanTreeModel::switch_wanted);
  const QModelIndex index = model.index(1, PlanTreeModel::plan);
  ASSERT_EQ(model.kind(index), PlanTreeModel::Kind::plan);
  for (const QModelIndex& each : {index, model.index(0, 0, index)}) {
    wanted.clear();
    EXPECT_TRUE(model.setData(each, Qt::Checked, Qt::CheckStateRole));
    ASSERT_EQ(wanted.count(), 1);
    EXPECT_EQ(wanted[0][0].toModelIndex(), each);
    EXPECT_EQ(wanted[0][1], true);
    EXPECT_EQ(each.data(Qt::CheckStateRole), Qt::Unchecked);
    EXPECT_FALSE(model.setData(each, 3, Qt::EditRole));
  }
}

TEST_F(Models, TheSameRowsAreNotReset) {
  PlanTreeModel model;
  const auto study = study_of(sample(u"gpt2_tiny"_s));
  model.set_study(study);
  QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
  QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
  Choices choices = with_plan(*study, study->choices, study->plan_table->plans[0], true);
  choices.dims["inputs_input_ids_dim0"] = 3;
  model.set_study(compute_study(study->model, choices, study.get(), Progress()));
  EXPECT_EQ(reset.count(), 0);
  EXPECT_GT(changed.count(), 0);
}

TEST_F(Models, EveryRowHasTextsAndAKeyOfItsOwn) {
  PlanTreeModel model;
  model.list_extensions(true);
  model.set_study(study_of(sample(u"gpt2_tiny"_s)));
  std::set<QString> keys;
  int items = 0;
  visit_all(model, {}, [&](const QModelIndex& index) {
    ++items;
    keys.insert(model.key(index));
    EXPECT_FALSE(index.data().toString().isEmpty());
    EXPECT_FALSE(index.siblingAtColumn(PlanTreeModel::saving).data().toString().isEmpty());
    EXPECT_FALSE(index.data(Qt::ToolTipRole).toString().isEmpty());
    const bool is_plan = model.kind(index) == PlanTreeModel::Kind::plan;
    const bool has_node = model.kind(index) == PlanTreeModel::Kind::occurrence || is_plan;
    EXPECT_EQ(model.entries(index).empty(), !has_node);
    EXPECT_EQ(index.siblingAtColumn(PlanTreeModel::count).flags().testFlag(Qt::ItemIsEditable),
              is_plan);
  });
  EXPECT_EQ(static_cast<int>(keys.size()), items);
  EXPECT_GT(items, 40);
}

TEST_F(Models, NoPlansHaveAReason) {
  const Graph fixed = stashscope::test::perceptron().build();
  auto study = compute_study(std::make_shared<const Graph>(fixed), {}, nullptr, Progress());
  EXPECT_FALSE(no_plans_text(*study).isEmpty());
  const QString resnet = shared_model(u"resnet50_train_fwd"_s);
  if (!QFileInfo::exists(resnet)) GTEST_SKIP() << "needs resnet50";
  EXPECT_TRUE(no_plans_text(*study_of(resnet)).contains(u"Conv ("_s));
}

TEST(Texts, Changes) {
  EXPECT_EQ(change_text(100, 71), u"−29 %"_s);
  EXPECT_EQ(change_text(1000, 1041), u"+4.1 %"_s);
  EXPECT_EQ(change_text(1000, 1000), u"±0 %"_s);
  EXPECT_EQ(change_text(0, 5), u"±0 %"_s);
}

}  // namespace models_test
}  // namespace stashscope::ui::test
