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
#include "tests/support/small_models.h"

namespace stashscope {
namespace arena_report_test {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr SearchLimit short_limit{.seconds = 0, .moves = 100'000};

ReportInput input_of(const Study& study) {
  ReportInput input{study, "m.onnx"};
  input.arenas = step_arenas(study, short_limit, Progress());
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

INSTANTIATE_TEST_SUITE_P(Models, SmallModelArenas, testing::ValuesIn(test::small_models()),
                         [](const auto& info) { return info.param; });

TEST(ArenaReport, IsInTheTextAndInJsonIfItIsAskedFor) {
  const auto study = test::study_of(test::named(test::blocks(4)), 1);
  const ReportInput input = input_of(*study);
  const json report = json::parse(json_report(input));
  expect_right(report["memory"]["baseline"]);
  expect_right(report["memory"]["current"]);
  const std::string text = text_report(input);
  for (const FoundArena& found : {input.arenas->baseline, input.arenas->current}) {
    EXPECT_NE(text.find("static arena: " + exact_bytes(found.arena->capacity_bytes)),
              std::string::npos);
    EXPECT_NE(text.find("load bound of the arena: " + exact_bytes(found.arena->load_bound_bytes)),
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
  const StepArena& arena = *input.arenas->current.arena;
  const std::size_t pieces = arena.pieces.size();
  const std::string page = html_report(input);
  EXPECT_NE(page.find("Static arena"), std::string::npos);
  EXPECT_NE(page.find("aria-label=\"Static arena of the step\""), std::string::npos);
  EXPECT_EQ(page.find("smallest rectangles are left out"), std::string::npos);
  PageLimits limits;
  limits.arena_pieces = 5;
  EXPECT_NE(html_report(input, limits)
                .find("the " + std::to_string(pieces - 5) + " smallest rectangles are left out"),
            std::string::npos);
  const ArenaChart all = arena_chart(*study, *study->current, arena, pieces);
  EXPECT_EQ(all.left_out, 0U);
  EXPECT_EQ(occurrences(all.svg, "</title></rect>"), pieces);
  const ArenaChart some = arena_chart(*study, *study->current, arena, 5);
  EXPECT_EQ(some.left_out, pieces - 5);
  EXPECT_EQ(occurrences(some.svg, "</title></rect>"), 5U);
}

TEST(ArenaReport, ThePageSaysWhatItsPictureShows) {
  const auto study = test::study_of(test::named(test::blocks(4)), 1);
  ReportInput input = input_of(*study);
  StepArena& arena = *input.arenas->current.arena;
  const std::string page = html_report(input);
  EXPECT_NE(
      page.find("This is the arena with plans; without plans, the step needs an arena of <b>" +
                format_bytes(input.arenas->baseline.arena->capacity_bytes) + "</b>"),
      std::string::npos);
  EXPECT_NE(page.find("a tensor or the workspace of a node"), std::string::npos);
  // Half of the capacity is in the middle of the 280 units.
  arena.load_bound_bytes = arena.capacity_bytes / 2;
  arena.capacity_bytes = 2 * arena.load_bound_bytes;
  const std::string svg = arena_chart(*study, *study->current, arena, 5).svg;
  EXPECT_NE(svg.find("y1=\"140.00\" y2=\"140.00\""), std::string::npos) << svg;
  const auto without_plans = test::study_of(test::named(test::blocks(4)), 0);
  EXPECT_EQ(html_report(input_of(*without_plans)).find("the arena with plans"), std::string::npos);
}

TEST(ArenaReport, AStepWithoutArenaHasAReasonInstead) {
  const auto study = test::study_of(test::named(test::blocks(4)), 1);
  ReportInput input = input_of(*study);
  const std::string reason = "the arena of the step: has <too> many tensors; choose fewer";
  input.arenas->current = {
      {},
      Error(ErrorKind::input, "the arena of the step", "has <too> many tensors", "choose fewer")};
  const json memory = json::parse(json_report(input))["memory"];
  EXPECT_TRUE(memory["current"]["arena"].is_null());
  EXPECT_EQ(memory["current"]["no_arena"], reason);
  EXPECT_FALSE(memory["baseline"].contains("no_arena"));
  expect_right(memory["baseline"]);
  EXPECT_NE(text_report(input).find("no static arena: " + reason), std::string::npos);
  EXPECT_NE(html_report(input).find("has &lt;too&gt; many tensors; choose fewer."),
            std::string::npos);
}

}  // namespace arena_report_test
}  // namespace stashscope
