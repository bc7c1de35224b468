#include "core/base/text.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace stashscope {
namespace {

TEST(Text, BytesHaveThreeDigits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(671088640), "640 MiB");
  EXPECT_EQ(format_bytes(-3 * 1024 * 1024), "-3.00 MiB");
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

TEST(Text, Wildcards) {
  EXPECT_TRUE(matches_wildcard("inputs_labels_dim0", "inputs_*_dim0"));
  EXPECT_FALSE(matches_wildcard("inputs_labels_dim1", "inputs_*_dim0"));
  EXPECT_TRUE(matches_wildcard("abc", "*"));
  EXPECT_TRUE(matches_wildcard("aXbXc", "a*b*c"));
  EXPECT_FALSE(matches_wildcard("", "a*"));
}

}  // namespace
}  // namespace stashscope
