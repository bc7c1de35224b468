// Counts in the window agree with their nouns.

#include "ui/text/counted.h"

#include <QRegularExpression>

#include "tests/ui/support/texts_seen.h"
#include "tests/ui/support/window_test.h"

namespace stashscope::ui::test {
namespace counted_test {

using namespace Qt::StringLiterals;

TEST(Counted, HasTheSingularForOneOnly) {
  const auto nodes = [](int count) { return counted(count, u"1 node"_s, u"%L1 nodes"_s); };
  EXPECT_EQ(nodes(1), u"1 node"_s);
  EXPECT_EQ(nodes(0), u"0 nodes"_s);
  EXPECT_EQ(nodes(3), u"3 nodes"_s);
}

class Counts : public WindowTest {};

TEST_F(Counts, OfOneHaveTheSingular) {
  open(sample(u"gpt2_tiny"_s));
  document().selection().select_slot(0);
  ASSERT_TRUE(settles());
  auto& batch = find<QSpinBox>(u"dimension:inputs_input_ids_dim0"_s);
  ASSERT_EQ(batch.value(), 1);
  EXPECT_EQ(batch.text(), u"1 sample"_s);
  const QRegularExpression wrong(
      u"\\b(?<![.,])1 (samples|tokens|modules|nodes|tensors|plans|slots|groups|rows|boxes|notes)\\b"_s);
  for (const SeenText& seen : texts_of(window())) {
    EXPECT_FALSE(wrong.match(seen.text).hasMatch())
        << seen.where.toStdString() << ": " << seen.text.toStdString();
  }
  batch.setValue(2);
  ASSERT_TRUE(settles());
  EXPECT_EQ(batch.text(), u"2 samples"_s);
}

}  // namespace counted_test
}  // namespace stashscope::ui::test
