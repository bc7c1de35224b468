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

/// The plan fits by what is reserved, but not beside memory outside tensors.
TEST(ReplannedReport, NamesTheMemoryThatDoesNotFit) {
  constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
  ReplannedFit fit;
  fit.memory_bytes = 40 * mebibyte;
  fit.device_bytes = 40 * mebibyte;
  fit.next = UnplannedSize{.value = 8,
                           .lowest_peak_bytes = 20 * mebibyte,
                           .later_peak_bytes = 20 * mebibyte,
                           .reserved_bytes = 30 * mebibyte,
                           .device = DeviceMemory{35 * mebibyte, 45 * mebibyte}};
  const std::string text = replanned_text(fit);
  EXPECT_NE(text.find("takes up to 45.0 MiB of the device, more than 40.0 MiB"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("30.0 MiB"), std::string::npos) << text;
  fit.next->device = DeviceMemory{35 * mebibyte, 40 * mebibyte};
  EXPECT_NE(replanned_text(fit).find("30.0 MiB"), std::string::npos) << replanned_text(fit);
}

}  // namespace replanned_report_test
}  // namespace stashscope
