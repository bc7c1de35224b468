// Sums of equal modules: opened and closed rows while the table is sorted.

#include "ui/models/module_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QItemSelectionModel>

namespace stashscope::ui::test {
namespace module_model_test {

using namespace Qt::StringLiterals;

ModuleMemory module_of(const char* name, std::int64_t bytes, double seconds) {
  ModuleMemory module;
  module.module = name;
  module.peak_bytes = bytes;
  module.seconds = seconds;
  return module;
}

class SumsOfModules : public testing::Test {
 protected:
  SumsOfModules() {
    model_.set_modules(module_groups({module_of("h.0.attn", 40, 1), module_of("h.1.attn", 30, 5),
                                      module_of("h.0.mlp", 20, 9), module_of("h.1.mlp", 10, 8),
                                      module_of("lm_head", 5, 7)}),
                       105);
  }
  QStringList names() const {
    QStringList names;
    for (int row = 0; row < model_.rowCount(); ++row) {
      names << QString::fromStdString(model_.at(row).module);
    }
    return names;
  }
  ModuleModel model_;

 private:
  QAbstractItemModelTester tester_{&model_, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(SumsOfModules, OpenAndClose) {
  EXPECT_EQ(names(), QStringList({u"h.*.attn"_s, u"h.*.mlp"_s, u"lm_head"_s}));
  model_.set_open(1, true);
  EXPECT_EQ(names(),
            QStringList({u"h.*.attn"_s, u"h.*.mlp"_s, u"h.0.mlp"_s, u"h.1.mlp"_s, u"lm_head"_s}));
  model_.set_open(1, false);
  EXPECT_EQ(model_.rowCount(), 3);
}

TEST_F(SumsOfModules, ModulesOfAnOpenSumAreSortedBelowIt) {
  model_.set_open(0, true);
  model_.sort(ModuleModel::time, Qt::DescendingOrder);
  const QStringList by_time = {u"h.*.mlp"_s, u"lm_head"_s, u"h.*.attn"_s, u"h.1.attn"_s,
                               u"h.0.attn"_s};
  EXPECT_EQ(names(), by_time);
  model_.sort(ModuleModel::module, Qt::DescendingOrder);
  EXPECT_EQ(names(),
            QStringList({u"lm_head"_s, u"h.*.mlp"_s, u"h.*.attn"_s, u"h.1.attn"_s, u"h.0.attn"_s}));
  model_.sort(-1);
  EXPECT_EQ(names(),
            QStringList({u"h.*.attn"_s, u"h.0.attn"_s, u"h.1.attn"_s, u"h.*.mlp"_s, u"lm_head"_s}));
}

TEST_F(SumsOfModules, OpenAndCloseWhileTheTableIsSorted) {
  model_.sort(ModuleModel::time, Qt::AscendingOrder);
  ASSERT_EQ(names(), QStringList({u"h.*.attn"_s, u"lm_head"_s, u"h.*.mlp"_s}));
  QItemSelectionModel selection(&model_);
  selection.setCurrentIndex(model_.index(2, 0), QItemSelectionModel::SelectCurrent);
  model_.set_open(0, true);
  EXPECT_EQ(names(),
            QStringList({u"h.*.attn"_s, u"h.0.attn"_s, u"h.1.attn"_s, u"lm_head"_s, u"h.*.mlp"_s}));
  EXPECT_EQ(selection.currentIndex().row(), 4);
  model_.set_open(4, true);
  EXPECT_EQ(names().mid(4), QStringList({u"h.*.mlp"_s, u"h.1.mlp"_s, u"h.0.mlp"_s}));
  EXPECT_TRUE(model_.is_open(0));
  model_.set_open(0, false);
  EXPECT_EQ(names(),
            QStringList({u"h.*.attn"_s, u"lm_head"_s, u"h.*.mlp"_s, u"h.1.mlp"_s, u"h.0.mlp"_s}));
  EXPECT_EQ(selection.currentIndex().row(), 2);
}

TEST_F(SumsOfModules, StayOpenForNewModules) {
  model_.set_open(0, true);
  model_.sort(ModuleModel::at_peak, Qt::AscendingOrder);
  model_.set_modules(module_groups({module_of("h.0.attn", 4, 1), module_of("h.1.attn", 3, 5),
                                    module_of("h.2.attn", 2, 5), module_of("lm_head", 50, 7)}),
                     59);
  EXPECT_EQ(names(), QStringList({u"h.*.attn"_s, u"h.2.attn"_s, u"h.1.attn"_s, u"h.0.attn"_s,
                                  u"lm_head"_s}));
}

TEST(ModuleOutside, NamesItsOperatorsInItsTip) {
  ModuleMemory outside = module_of("outside of modules", 40, 1);
  outside.operators = {"MatMul", "SoftmaxCrossEntropyLoss"};
  ModuleModel model;
  model.set_modules(module_groups({outside}), 40);
  const QModelIndex cell = model.index(0, ModuleModel::module);
  EXPECT_TRUE(cell.data(Qt::ToolTipRole)
                  .toString()
                  .endsWith(u"The operators: MatMul, SoftmaxCrossEntropyLoss"_s));
  for (int i = 0; i < 20; ++i) outside.operators.push_back("Op" + std::to_string(i));
  model.set_modules(module_groups({outside}), 40);
  EXPECT_TRUE(cell.data(Qt::ToolTipRole).toString().endsWith(u"Op9 and 10 more"_s));
}

}  // namespace module_model_test
}  // namespace stashscope::ui::test
