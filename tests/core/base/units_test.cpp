#include "core/base/units.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/base/text.h"

namespace stashscope {
namespace units_test {

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = kib * kib;

std::string bytes_in_column_of(std::int64_t largest, std::int64_t bytes) {
  return format_in(byte_unit(largest), static_cast<double>(bytes));
}

TEST(ColumnUnit, OfBytesIsChosenByTheLargest) {
  EXPECT_EQ(byte_unit(0).name, "B");
  EXPECT_EQ(byte_unit(1023).name, "B");
  EXPECT_EQ(byte_unit(kib).name, "KiB");
  EXPECT_EQ(byte_unit(-3 * mib).name, "MiB");
  EXPECT_EQ(byte_unit(1024 * mib).name, "GiB");
  EXPECT_EQ(byte_unit(std::numeric_limits<std::int64_t>::max()).name, "EiB");
}

TEST(ColumnUnit, WhatRoundsToALargerUnitIsWrittenInIt) {
  EXPECT_EQ(bytes_in_column_of(mib - 1, mib - 1), "1.00 MiB");
  EXPECT_EQ(bytes_in_column_of(mib - 6, mib - 6), "1023.99 KiB");
  EXPECT_EQ(format_in(time_unit(0.999996), 0.999996), "1.00 s");
}

TEST(ColumnUnit, AllAmountsAreWrittenInIt) {
  EXPECT_EQ(bytes_in_column_of(117 * mib, 117 * mib), "117.00 MiB");
  EXPECT_EQ(bytes_in_column_of(117 * mib, 512 * kib), "0.50 MiB");
  EXPECT_EQ(bytes_in_column_of(117 * mib, 2048 * mib), "2048.00 MiB");
  EXPECT_EQ(bytes_in_column_of(117 * mib, -512 * kib), "−0.50 MiB");
  EXPECT_EQ(bytes_in_column_of(117 * mib, 0), "0.00 MiB");
  EXPECT_EQ(bytes_in_column_of(640, 640), "640 B");
  EXPECT_EQ(bytes_in_column_of(640, 1), "1 B");
  EXPECT_EQ(bytes_in_column_of(640, 0), "0 B");
}

TEST(ColumnUnit, LargeOnesTellMebibytesApart) {
  EXPECT_EQ(bytes_in_column_of(2048 * mib, 989 * mib), "0.966 GiB");
  EXPECT_EQ(bytes_in_column_of(2048 * mib, 988 * mib), "0.965 GiB");
  EXPECT_EQ(bytes_in_column_of(2048 * mib, kib), "<0.001 GiB");
}

TEST(ColumnUnit, SomethingIsNotWrittenAsNothing) {
  EXPECT_EQ(bytes_in_column_of(mib, 1), "<0.01 MiB");
  EXPECT_EQ(bytes_in_column_of(mib, -1), "−<0.01 MiB");
  EXPECT_EQ(bytes_in_column_of(mib, mib / 200), "<0.01 MiB");
  EXPECT_EQ(bytes_in_column_of(mib, mib / 200 + 1), "0.01 MiB");
  EXPECT_EQ(format_in(time_unit(0.2), 4.9e-6), "<0.01 ms");
}

TEST(ColumnUnit, OfASingleAmountIsTheOneItIsWrittenIn) {
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{640}, 1025 * kib / 1024, 9 * kib,
                                   12 * mib + 300 * kib, 117 * mib, mib - 1, 2048 * mib}) {
    EXPECT_EQ(format_in(own_byte_unit(bytes), static_cast<double>(bytes)), format_bytes(bytes));
  }
  EXPECT_EQ(own_byte_unit(mib - 1).name, "KiB") << "as format_bytes has it";
  EXPECT_EQ(own_byte_unit(12 * mib).digits, 1);
}

TEST(ColumnUnit, OfTimesIsChosenByTheLongest) {
  EXPECT_EQ(time_unit(0).name, "s");
  EXPECT_EQ(time_unit(2e-12).name, "ns");
  EXPECT_EQ(time_unit(-0.0831).name, "ms");
  EXPECT_EQ(format_in(time_unit(3600), 3600), "3600.00 s");
  EXPECT_EQ(format_in(time_unit(0.0831), 0.0831), "83.10 ms");
  EXPECT_EQ(format_in(time_unit(0.0831), 0.00064), "0.64 ms");
  EXPECT_EQ(format_in(time_unit(0.00064), 2.5e-9), "<0.01 µs");
  EXPECT_EQ(format_in(time_unit(0.00064), 2.5e-7), "0.25 µs");
}

TEST(LargestUnit, IsTheLargestThatIsThereOnce) {
  EXPECT_EQ(largest_unit(byte_units(), 1023.999).name, "B");
  EXPECT_EQ(largest_unit(byte_units(), -1024).name, "KiB");
  EXPECT_EQ(largest_unit(byte_units(), 0).name, "B");
  EXPECT_EQ(largest_unit(byte_units(), 512, 0.5).name, "KiB");
  EXPECT_EQ(largest_unit(byte_units(), 512).name, "B");
}

TEST(FormatSeconds, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(12.34), "12.3 s");
  EXPECT_EQ(format_seconds(1), "1.00 s");
  EXPECT_EQ(format_seconds(0.0831), "83.1 ms");
  EXPECT_EQ(format_seconds(0.00064), "640 µs");
  EXPECT_EQ(format_seconds(2.5e-9), "2.50 ns");
}

TEST(FormatSeconds, RoundsIntoTheNextUnit) {
  EXPECT_EQ(format_seconds(0.9996), "1.00 s");
  EXPECT_EQ(format_seconds(0.00999996), "10.0 ms");
  EXPECT_EQ(format_seconds(3600), "3600 s");
}

TEST(FormatSeconds, LessThanNothingHasASign) {
  EXPECT_EQ(format_seconds(-0.0831), "−83.1 ms");
  EXPECT_EQ(format_seconds(-12.34), "−12.3 s");
}

}  // namespace units_test
}  // namespace stashscope
