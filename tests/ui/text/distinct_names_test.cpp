#include "ui/text/distinct_names.h"

#include <gtest/gtest.h>

#include <set>

namespace stashscope::ui::test {
namespace distinct_names_test {

using namespace Qt::StringLiterals;

DistinctNames::Fits at_most(qsizetype characters) {
  return [characters](const QString& text) { return text.size() <= characters; };
}

TEST(DistinctNames, LeaveOutTheModulesThatAllShare) {
  const DistinctNames names({u"model.decoder.wte.weight"_s, u"/model/decoder/h.0/Add_output_0"_s,
                             u"/model/decoder/h.1/Add_output_0"_s, u"output-1"_s});
  EXPECT_EQ(names.shortened(u"/model/decoder/h.0/Add_output_0"_s, at_most(99)),
            u"h.0/Add_output_0"_s);
  EXPECT_EQ(names.shortened(u"model.decoder.wte.weight"_s, at_most(99)), u"wte.weight"_s);
  EXPECT_EQ(names.shortened(u"output-1"_s, at_most(99)), u"output-1"_s);
  const DistinctNames same({u"model/x"_s, u"x"_s});
  EXPECT_EQ(same.shortened(u"model/x"_s, at_most(99)), u"model/x"_s) << "x is another one";
}

TEST(DistinctNames, CutNamesOfPlansAtWords) {
  const QStringList all = {u"model.layers.*, 2 modules, keeping 1 of 5 add and attention"_s,
                           u"model.layers.*, 2 modules, keeping 3 of 5 add and attention"_s,
                           u"model.layers.*, 2 modules, keeping 2 neg and attention"_s, u"model"_s};
  const DistinctNames names(all);
  for (const qsizetype room : {24, 30, 36, 44}) {
    std::set<QString> texts;
    for (const QString& each : all) {
      const QString text = names.shortened(each, at_most(room));
      texts.insert(text);
      EXPECT_LE(text.size(), std::max<qsizetype>(room, 5)) << text.toStdString();
    }
    EXPECT_EQ(texts.size(), 4U) << room;
  }
}

TEST(DistinctNames, KeepABeginningThatNoOtherNameHas) {
  const DistinctNames names({u"One of 3: a or b or c"_s, u"h.*, 2 modules, keeping add"_s,
                             u"h.*, 2 modules, keeping mul"_s});
  EXPECT_EQ(names.beginning(u"One of 3: a or b or c"_s, at_most(15)), u"One of 3: a or…"_s);
  EXPECT_EQ(names.beginning(u"h.*, 2 modules, keeping add"_s, at_most(25)), QString());
}

TEST(DistinctNames, CutWhatDoesNotTellThemApart) {
  const QStringList all = {
      u"/h.0/attn/LayerNormalization_output_0"_s, u"/h.1/attn/LayerNormalization_output_0"_s,
      u"/h.1/mlp/LayerNormalization_output_0"_s, u"/lm_head/MatMul_output_0"_s};
  const DistinctNames names(all);
  EXPECT_EQ(names.shortened(all[0], at_most(34)), u"h.0/…/LayerNormalization_output_0"_s);
  EXPECT_EQ(names.shortened(all[3], at_most(20)), u"…/MatMul_output_0"_s);
  for (const qsizetype room : {16, 24, 28, 34, 60}) {
    std::set<QString> texts;
    for (const QString& each : all) texts.insert(names.shortened(each, at_most(room)));
    EXPECT_EQ(texts.size(), 4U) << room;
  }
}

TEST(DistinctNames, CutInsideAModuleWhereWholeModulesDoNotTellThemApart) {
  QStringList all = {u"output-1"_s, u"/lm_head/MatMul_output_0"_s};
  for (int layer = 0; layer < 12; ++layer) {
    all << u"/transformer/h.%1/attn/MatMul_output_0"_s.arg(layer);
  }
  const DistinctNames names(all);
  EXPECT_EQ(names.shortened(all[2], at_most(24)), u"….0/attn/MatMul_output_0"_s);
  std::set<QString> texts;
  for (const QString& each : all) {
    const QString text = names.shortened(each, at_most(24));
    EXPECT_LE(text.size(), 24);
    texts.insert(text);
  }
  EXPECT_EQ(texts.size(), 14U);
}

TEST(DistinctNames, StayWholeWhereNoPartWouldDo) {
  const DistinctNames names({u"abcdefghij"_s, u"xbcdefghij"_s});
  EXPECT_EQ(names.shortened(u"abcdefghij"_s, at_most(8)), u"abcdefghij"_s);
  EXPECT_EQ(DistinctNames(QStringList()).shortened(u"a"_s, at_most(8)), u"a"_s);
}

}  // namespace distinct_names_test
}  // namespace stashscope::ui::test
