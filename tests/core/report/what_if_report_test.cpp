#include "core/report/what_if_report.h"

#include <gtest/gtest.h>

namespace stashscope {
namespace what_if_report_test {

std::string lines_of(double seconds, std::size_t stops) {
  WhatIfSaving saving;
  saving.result = {"attention", "flash", 1, 1};
  saving.result.stopped_by.assign(stops, {"node 'a'", "has no mask"});
  saving.seconds = seconds;
  return what_if_lines("What-ifs:", {saving});
}

TEST(WhatIfReport, SaysHowTheTimeChanges) {
  EXPECT_NE(lines_of(0, 0).find("; the time does not change\n"), std::string::npos)
      << lines_of(0, 0);
  EXPECT_NE(lines_of(1, 0).find(" slower\n"), std::string::npos) << lines_of(1, 0);
  EXPECT_NE(lines_of(-1, 0).find(" faster\n"), std::string::npos) << lines_of(-1, 0);
}

TEST(WhatIfReport, CountsThePlacesThatItDoesNotList) {
  EXPECT_EQ(lines_of(0, 5).find("more place"), std::string::npos) << lines_of(0, 5);
  EXPECT_NE(lines_of(0, 6).find("1 more place;"), std::string::npos) << lines_of(0, 6);
  EXPECT_NE(lines_of(0, 7).find("2 more places;"), std::string::npos) << lines_of(0, 7);
}

}  // namespace what_if_report_test
}  // namespace stashscope
