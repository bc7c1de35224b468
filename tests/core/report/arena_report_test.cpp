// The static arena in all reports.

#include "core/report/arena_report.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/onnx/model_file.h"
#include "core/report/arena_chart.h"
#include "core/report/page/page.h"
#include "core/report/report.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace arena_report_test {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr SearchLimit short_limit{.seconds = 0, .moves = 100'000};

ReportInput input_of(const Study& study) {
  ReportInput input{study, "m.onnx"};
  input.arenas = {step_arena(*study.baseline, short_limit, Progress()),
                  step_arena(*study.current, short_limit, Progress())};
  return input;
}

/// Judges the figures of a report by the buffers that it lists.
void expect_right(const json& memory) {
  const json& arena = memory["arena"];
  std::vector<ArenaBuffer> buffers;
  ArenaPlacement placement{{}, arena["capacity_bytes"]};
  for (const json& each : arena["buffers"]) {
    const auto upper = each["last_slot"].get<std::int64_t>() + 1;
    buffers.push_back({each["first_slot"], upper, each["bytes"]});
    placement.offsets.push_back(each["offset"]);
    EXPECT_FALSE(each["name"].get<std::string>().empty());
  }
  EXPECT_FALSE(find_fault(buffers, placement));
  EXPECT_EQ(arena["load_bound_bytes"], load_bound(buffers));
  EXPECT_EQ(
      arena["load_bound_bytes"].get<std::int64_t>() + arena["persistent_bytes"].get<std::int64_t>(),
      memory["peak_bytes"].get<std::int64_t>());
}

std::vector<std::string> small_models() {
  std::vector<std::string> names;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(STASHSCOPE_SHARED "/models/small", absent)) {
    names.push_back(entry.path().filename().string());
  }
  if (names.empty()) names.push_back("none");
  return names;
}

class SmallModelArenas : public testing::TestWithParam<std::string> {};

TEST_P(SmallModelArenas, AreRightWithoutAndWithPlans) {
  const fs::path file = fs::path(STASHSCOPE_SHARED "/models/small") / GetParam() / "model.onnx";
  if (!fs::exists(file)) GTEST_SKIP() << file << " is not there";
  Choices choices;
  choices.plans.level = 1;
  const auto study =
      compute_study(std::make_shared<const Graph>(load_model(file)), choices, nullptr, Progress());
  const json report = json::parse(json_report(input_of(*study)));
  expect_right(report["memory"]["baseline"]);
  expect_right(report["memory"]["current"]);
}

INSTANTIATE_TEST_SUITE_P(Models, SmallModelArenas, testing::ValuesIn(small_models()),
                         [](const auto& info) { return info.param; });

TEST(ArenaReport, IsInTheTextAndInJsonIfItIsAskedFor) {
  const auto study = test::study_of(test::named(test::blocks(4)), 1);
  const ReportInput input = input_of(*study);
  const json report = json::parse(json_report(input));
  expect_right(report["memory"]["baseline"]);
  expect_right(report["memory"]["current"]);
  const std::string text = text_report(input);
  for (const StepArena& arena : {input.arenas->baseline, input.arenas->current}) {
    EXPECT_NE(text.find("static arena: " + exact_bytes(arena.capacity_bytes)), std::string::npos);
    EXPECT_NE(text.find("load bound of the arena: " + exact_bytes(arena.load_bound_bytes)),
              std::string::npos);
  }
  const ReportInput without{*study, "m.onnx"};
  EXPECT_EQ(text_report(without).find("arena"), std::string::npos);
  EXPECT_FALSE(json::parse(json_report(without))["memory"]["current"].contains("arena"));
  EXPECT_EQ(html_report(without).find("Static arena"), std::string::npos);
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ArenaReport, ThePageHasAPictureOfTheLargestTensors) {
  const auto study = test::study_of(test::named(test::blocks(4)), 1);
  const ReportInput input = input_of(*study);
  const std::size_t pieces = input.arenas->current.pieces.size();
  const std::string page = html_report(input);
  EXPECT_NE(page.find("Static arena"), std::string::npos);
  EXPECT_NE(page.find("aria-label=\"Static arena of the step\""), std::string::npos);
  EXPECT_EQ(page.find("smallest rectangles are left out"), std::string::npos);
  PageLimits limits;
  limits.arena_pieces = 5;
  EXPECT_NE(html_report(input, limits)
                .find("the " + std::to_string(pieces - 5) + " smallest rectangles are left out"),
            std::string::npos);
  const ArenaChart all = arena_chart(*study, *study->current, input.arenas->current, pieces);
  EXPECT_EQ(all.left_out, 0U);
  EXPECT_EQ(occurrences(all.svg, "<title>"), pieces);
  const ArenaChart some = arena_chart(*study, *study->current, input.arenas->current, 5);
  EXPECT_EQ(some.left_out, pieces - 5);
  EXPECT_EQ(occurrences(some.svg, "<title>"), 5U);
}

}  // namespace arena_report_test
}  // namespace stashscope
