#include "core/report/replanned_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stashscope {
namespace replanned_report_test {

TEST(ReplannedReport, ASizeThatCannotBeComputedSaysWhy) {
  ReplannedFit fit;
  fit.next = UnplannedSize{.value = 37, .fault = "tensor 'a': has too many bytes"};
  EXPECT_NE(replanned_text(fit).find("37 fails: tensor 'a': has too many bytes\n"),
            std::string::npos)
      << replanned_text(fit);
  const nlohmann::json next = replanned_json(fit)["next"];
  EXPECT_EQ(next["fault"], "tensor 'a': has too many bytes");
  EXPECT_TRUE(next["bound_bytes"].is_null());
  EXPECT_FALSE(replanned_json(fit)["at_least"].get<bool>());
}

}  // namespace replanned_report_test
}  // namespace stashscope
