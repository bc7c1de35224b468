#include "core/allocator/allocator_settings.h"

#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace stashscope {
namespace allocator_settings_test {

constexpr std::int64_t mebibyte = 1 << 20;

TEST(AllocatorSettings, AreReadAsPyTorchWritesThem) {
  const AllocatorSettings settings = parse_allocator_settings(
      "expandable_segments:True, max_split_size_mb:128,garbage_collection_threshold:0.8,"
      "roundup_power2_divisions:8,backend:native");
  EXPECT_TRUE(settings.expandable_segments);
  EXPECT_EQ(settings.max_split_bytes, 128 * mebibyte);
  EXPECT_EQ(settings.garbage_collection_threshold, 0.8);
  for (const std::uint32_t each : settings.roundup_divisions) EXPECT_EQ(each, 8U);
  EXPECT_EQ(parse_allocator_settings(to_string(settings)), settings);
  EXPECT_EQ(parse_allocator_settings("max_split_size_mb=128"),
            parse_allocator_settings("max_split_size_mb:128"));
  EXPECT_EQ(parse_allocator_settings(""), AllocatorSettings());
  EXPECT_EQ(to_string(AllocatorSettings()), "");
}

TEST(AllocatorSettings, ListsOfDivisionsFillTheSizesBelowAndAbove) {
  const AllocatorSettings settings =
      parse_allocator_settings("roundup_power2_divisions:[256:1,512:2,1024:4,>:8]");
  EXPECT_EQ(settings.roundup_divisions[0], 1U) << "below the first size";
  EXPECT_EQ(settings.roundup_divisions[8], 1U);
  EXPECT_EQ(settings.roundup_divisions[9], 2U);
  EXPECT_EQ(settings.roundup_divisions[10], 8U) << "PyTorch fills from the last size on";
  EXPECT_EQ(settings.roundup_divisions[15], 8U);
  EXPECT_EQ(parse_allocator_settings(to_string(settings)), settings);
}

TEST(AllocatorSettings, AnyDivisionsAreWrittenSoThatTheyCanBeRead) {
  std::uint32_t random = 1;
  for (int i = 0; i < 200; ++i) {
    AllocatorSettings settings;
    for (std::uint32_t& each : settings.roundup_divisions) {
      random = random * 1664525U + 1013904223U;
      each = 1U << (random >> 28U);
    }
    EXPECT_EQ(parse_allocator_settings(to_string(settings)), settings) << to_string(settings);
  }
}

TEST(AllocatorSettings, BadOnesAreRefused) {
  for (const char* const text :
       {"max_split_size_mb:19", "max_split_size_mb:x", "max_split_size_mb", "expandable_segments:2",
        "garbage_collection_threshold:1", "garbage_collection_threshold:nan",
        "roundup_power2_divisions:3", "roundup_power2_divisions:[256:1", "fast:True",
        "roundup_power2_divisions:[255:1]", "roundup_power2_divisions:[256]",
        "backend:cudaMallocAsync"}) {
    const std::string said =
        test::refusal(ErrorKind::usage, [&] { parse_allocator_settings(text); });
    EXPECT_NE(said.find("allocator setting '"), std::string::npos) << said;
  }
}

TEST(RoundedBytes, AreMultiplesOf512OrPartsOfAPowerOfTwo) {
  AllocatorSettings settings;
  EXPECT_EQ(rounded_bytes(0, settings), 512);
  EXPECT_EQ(rounded_bytes(512, settings), 512);
  EXPECT_EQ(rounded_bytes(513, settings), 1024);
  settings.roundup_divisions.fill(4);
  EXPECT_EQ(rounded_bytes(1200, settings), 1536) << "at most 512 a division: plain rounding";
  EXPECT_EQ(rounded_bytes(1200 * 1024, settings), 1280 * 1024) << "quarters of 1 MiB";
  EXPECT_EQ(rounded_bytes(4 * mebibyte, settings), 4 * mebibyte);
  EXPECT_EQ(rounded_bytes(7 * mebibyte + 1, settings), 8 * mebibyte);
}

}  // namespace allocator_settings_test
}  // namespace stashscope
