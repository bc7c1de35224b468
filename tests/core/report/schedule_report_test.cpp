#include "core/report/schedule_report.h"

#include <gtest/gtest.h>

#include "tests/support/named_model.h"

namespace stashscope {
namespace schedule_report_test {

TEST(ScheduleReport, OneGroupIsNotWrittenAsSeveral) {
  const auto study = compute_study(test::named(test::blocks(1)), {}, nullptr, Progress());
  const std::string text =
      fusions_text(*study, {{"dataflow", "", 1, 2, 2048}, {"memory-aware", "", 2, 4, 1024}});
  EXPECT_NE(text.find("KiB, 2 nodes in 1 group\n"), std::string::npos) << text;
  EXPECT_NE(text.find("4 nodes in 2 groups\n"), std::string::npos) << text;
}

}  // namespace schedule_report_test
}  // namespace stashscope
