#include "core/base/text.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.h"

namespace stashscope {
namespace text_test {

TEST(Text, BytesHaveThreeDigits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(671088640), "640 MiB");
  EXPECT_EQ(format_bytes(-3 * 1024 * 1024), "-3.00 MiB");
}

TEST(Text, BytesBesideOthersHaveTheDecimalsThatTellThemApart) {
  const std::int64_t limit = std::int64_t{24} << 30;
  EXPECT_EQ(format_bytes_beside(limit + (std::int64_t{20} << 20), limit), "24.02 GiB");
  EXPECT_EQ(format_bytes_beside(limit, limit + (std::int64_t{20} << 20)), "24.00 GiB");
  EXPECT_EQ(format_bytes_beside(limit + 1, limit), "24.000000001 GiB");
  EXPECT_EQ(format_bytes_beside(limit, limit), "24.0 GiB");
  EXPECT_EQ(format_bytes_beside(limit, 640), "24.0 GiB");
}

TEST(Text, BytesAreReadInBinaryAndDecimalUnits) {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  EXPECT_EQ(parse_bytes("80GiB"), 80 * gib);
  EXPECT_EQ(parse_bytes(" 1.5 gib "), gib + gib / 2);
  EXPECT_EQ(parse_bytes("16g"), 16 * gib);
  EXPECT_EQ(parse_bytes("12 GB"), 12'000'000'000);
  EXPECT_EQ(parse_bytes("0.7TB"), 700'000'000'000);
  EXPECT_EQ(parse_bytes(".5KiB"), 512);
  EXPECT_EQ(parse_bytes("3.kb"), 3000);
  EXPECT_EQ(parse_bytes("512MiB"), 512 * 1024 * 1024);
  EXPECT_EQ(parse_bytes("2PiB"), gib << 21);
  EXPECT_EQ(parse_bytes("4096"), 4096);
  EXPECT_EQ(parse_bytes("4096 B"), 4096);
  EXPECT_EQ(parse_bytes("0"), 0);
  EXPECT_EQ(parse_bytes("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
}

TEST(Text, WhatIsNoSizeIsRefused) {
  for (const char* each : {"", " ", "GiB", ".", ". GiB", "1.2.3", "1,5GiB", "80GiBs", "80 Gi",
                           "1e9", "0x10", "+1", "inf", "8 0GiB", "-1", "-80GiB",
                           "9223372036854775808", "8EiB", "99999999999999999999999 TiB"}) {
    try {
      parse_bytes(each);
      ADD_FAILURE() << "'" << each << "' was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << each;
      EXPECT_FALSE(error.hint().empty()) << each;
    }
  }
}

TEST(Text, Thousands) {
  EXPECT_EQ(with_thousands(671088640), "671,088,640");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(-1000), "-1,000");
}

TEST(Text, BrokenTextIsEscaped) {
  EXPECT_EQ(to_valid_utf8("a\xff"
                          "b\n"),
            "a\\xffb\\x0a");
  EXPECT_EQ(to_valid_utf8("日本"), "日本");
  EXPECT_EQ(to_valid_utf8("x\u202Ey"), "x\\xe2\\x80\\xaey");
  EXPECT_EQ(to_valid_utf8("\uFFFD\uFFFE\uFFFF"), "\uFFFD\\xef\\xbf\\xbe\\xef\\xbf\\xbf");
  EXPECT_EQ(printable(std::string(1000, 'x'), 10), "xxxxx...xxxxx");
}

TEST(Text, SignificantDigits) {
  EXPECT_EQ(format_digits(1.23652e-7, 3), "1.24e-07");
  EXPECT_EQ(format_digits(0.5, 3), "0.5");
  EXPECT_EQ(format_digits(12.0, 3), "12");
}

TEST(Text, CountsHaveTheirPlural) {
  EXPECT_EQ(counted(0, "tensor", "tensors"), "0 tensors");
  EXPECT_EQ(counted(1, "tensor", "tensors"), "1 tensor");
  EXPECT_EQ(counted(3, "tensor", "tensors"), "3 tensors");
}

TEST(Text, OnlyTheFirstAreJoined) {
  EXPECT_EQ(join_first({}, 2), "");
  EXPECT_EQ(join_first({"a", "b"}, 2), "a, b");
  EXPECT_EQ(join_first({"a", "b", "c", "d", "e"}, 2), "a, b and 3 more");
}

TEST(Text, BlanksOnBothSidesAreTrimmed) {
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed(" \t\r\n"), "");
  EXPECT_EQ(trimmed("\t a b \r\n"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
}

TEST(Text, Wildcards) {
  EXPECT_TRUE(matches_wildcard("inputs_labels_dim0", "inputs_*_dim0"));
  EXPECT_FALSE(matches_wildcard("inputs_labels_dim1", "inputs_*_dim0"));
  EXPECT_TRUE(matches_wildcard("abc", "*"));
  EXPECT_TRUE(matches_wildcard("aXbXc", "a*b*c"));
  EXPECT_FALSE(matches_wildcard("", "a*"));
}

}  // namespace text_test
}  // namespace stashscope
