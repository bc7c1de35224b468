#include "core/study/search/budget_input.h"

#include <gtest/gtest.h>

#include "core/planner/device_profile.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace budget_input_test {

using test::refusal;

constexpr std::int64_t peak = 15'000'000'000;

TEST(BudgetInput, IsBytesOrAShareOfThePeak) {
  EXPECT_EQ(budget_bytes(parse_budget("12GiB"), peak), std::int64_t{12} << 30);
  EXPECT_EQ(budget_bytes(parse_budget(" 900 MB "), peak), 900'000'000);
  EXPECT_EQ(budget_bytes(parse_budget("60%"), peak), 9'000'000'000);
  EXPECT_EQ(budget_bytes(parse_budget("12.5 %"), peak), 1'875'000'000);
  EXPECT_EQ(budget_bytes(parse_budget("150 %"), peak), 22'500'000'000);
  EXPECT_EQ(budget_bytes(parse_budget("0.0001%"), 1000), 1) << "0 bytes are no budget";
}

TEST(BudgetInput, IsWhatToSaveOfThePeak) {
  EXPECT_EQ(budget_bytes(parse_budget("-4GiB"), peak), peak - (std::int64_t{4} << 30));
  EXPECT_EQ(budget_bytes(parse_budget(" - 900 MB"), peak), peak - 900'000'000);
  EXPECT_EQ(budget_bytes(parse_budget("-100GiB"), peak), 1);
}

TEST(BudgetInput, IsWrittenAsAtMostTheSameBytes) {
  EXPECT_EQ(format_budget(std::int64_t{24} << 30), "24 GiB");
  EXPECT_EQ(format_budget(load_profile("T4-16GB").memory_bytes), "14.7 GiB");
  EXPECT_EQ(format_budget(640), "640 B");
  EXPECT_EQ(format_budget(14'994'804'572), "13.964 GiB");
  for (const std::int64_t bytes : {std::int64_t{1025}, std::int64_t{123'456'789}, peak,
                                   std::int64_t{24'481'313'587}, std::int64_t{1} << 50}) {
    const std::int64_t read = parse_budget(format_budget(bytes)).bytes;
    EXPECT_LE(read, bytes);
    EXPECT_GT(read, bytes - bytes / 1000 - 1) << format_budget(bytes);
    EXPECT_LE(format_budget(bytes).size(), 12U) << "fits the field";
  }
}

TEST(BudgetInput, SaysHowToWriteIt) {
  for (const char* const text : {"", "a lot", "12 apples", "- apples", "--3GiB", "GiB"}) {
    const std::string said = refusal(ErrorKind::usage, [&] { parse_budget(text); });
    EXPECT_NE(said.find("iB"), std::string::npos) << text << ": " << said;
  }
  for (const char* const text : {"%", "0%", "-5 %", "half %", "1e9%", "nan%", "6 0 x%"}) {
    const std::string said = refusal(ErrorKind::usage, [&] { parse_budget(text); });
    EXPECT_NE(said.find("60%"), std::string::npos) << text << ": " << said;
  }
  EXPECT_NE(refusal(ErrorKind::usage, [] { parse_budget("0 B"); }).find("0 bytes"),
            std::string::npos);
}

}  // namespace budget_input_test
}  // namespace stashscope
