// A comparison as text and as JSON.

#include "core/report/comparison_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stashscope {
namespace comparison_report_test {

const std::vector<ComparisonRow> rows = {
    {ComparisonGroup::memory, "peak", Quantity::bytes, {"2.00 KiB", 2048.}, {"1.00 KiB", 1024.}},
    {ComparisonGroup::choices, "order", Quantity::text, {"file", {}}, {"file", {}}},
    {ComparisonGroup::choices, "batch", Quantity::count, {"8", 8.}, {"", {}}},
    {ComparisonGroup::choices, "tokens", Quantity::count, {"128 assumed", 128.}, {"128", 128.}},
    {ComparisonGroup::choices, "classes", Quantity::count, {"10", 10.}, {"10", 10.}},
    {ComparisonGroup::tensors, "same", Quantity::bytes, {"4 B", 4.}, {"4 B", 4.}},
    {ComparisonGroup::tensors, "bad \xff\nname", Quantity::bytes, {"", {}}, {"4 B", 4.}}};

TEST(ComparisonReport, ListsWhatDiffers) {
  const std::string text = comparison_text({"a.onnx", "b.onnx", rows});
  for (const char* part :
       {"Left:  a.onnx", "Right: b.onnx", "2.00 KiB", "−1.00 KiB (−50.0 %)", "batch", "left only",
        "right only", "(equal on both sides: 1)", "128 assumed", "classes",
        "(equal on both sides among the largest tensors: 1)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find("order"), std::string::npos) << text;
  EXPECT_EQ(text.find("Plans"), std::string::npos) << "a group without rows has no title";
  EXPECT_EQ(text.find('\xff'), std::string::npos);
}

TEST(ComparisonReport, JsonHasEveryRow) {
  const auto json = nlohmann::json::parse(comparison_json({"a.onnx", "b.onnx", rows}));
  EXPECT_EQ(json["left"], "a.onnx");
  EXPECT_EQ(json["right"], "b.onnx");
  ASSERT_EQ(json["rows"].size(), rows.size());
  EXPECT_EQ(json["rows"][0]["left"], 2048);
  EXPECT_EQ(json["rows"][0]["unit"], "bytes");
  EXPECT_EQ(json["rows"][0]["group"], "memory");
  EXPECT_EQ(json["rows"][0]["differs"], true);
  EXPECT_EQ(json["rows"][1]["differs"], false);
  EXPECT_EQ(json["rows"][1]["right"], "file");
  EXPECT_TRUE(json["rows"][2]["right"].is_null());
  EXPECT_TRUE(json["rows"][6]["left"].is_null());
}

}  // namespace comparison_report_test
}  // namespace stashscope
