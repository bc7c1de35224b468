#include "core/report/page/card.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/study/facts/plan_facts.h"
#include "tests/core/report/page/page_data.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace card_test {

TEST(Card, HasThePeaksTheCurveAndTheRows) {
  const auto study = test::study_of(test::named(test::blocks(4)), 1);
  const std::string card = study_card(*study, "folder/a<b.onnx");
  EXPECT_NE(card.find("a&lt;b, "), std::string::npos);
  EXPECT_NE(card.find(format_bytes(study->current->timeline.peak_bytes) + ", " +
                      format_bytes(study->baseline->timeline.peak_bytes) + " without plans"),
            std::string::npos);
  EXPECT_EQ(test::count_of(card, "<svg"), 1U);
  const std::size_t rows = std::min<std::size_t>(plan_rows(*study), 12);
  EXPECT_EQ(test::count_of(card, "<tr"), rows + 1);
  for (std::size_t row = 0; row < rows; ++row) {
    EXPECT_NE(card.find(xml_escaped(plan_row(*study, row).config)), std::string::npos);
  }
}

TEST(Card, SaysWhatItLeavesOut) {
  const auto study = test::study_of(test::named(test::random_model(3, 60)));
  const std::size_t all = plan_rows(*study);
  ASSERT_GT(all, 13U);
  const std::string card = study_card(*study, "m.onnx");
  EXPECT_NE(card.find("and " + counted(all - 12, "plan", "plans") + " more"), std::string::npos);
  EXPECT_EQ(card.find("without plans"), std::string::npos) << "no plan is on";
}

}  // namespace card_test
}  // namespace stashscope
