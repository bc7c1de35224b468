#include "core/report/check/limit_check.h"

#include <gtest/gtest.h>

#include "core/report/check/check_texts.h"
#include "tests/support/named_model.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace limit_check_test {

std::shared_ptr<const Study> blocks_of(std::int64_t batch) {
  Choices choices;
  choices.dims["N"] = batch;
  return compute_study(test::named(test::blocks(3)), choices, nullptr, Progress());
}

MemoryRecord record_with(std::int64_t batch) {
  return record_of(*blocks_of(batch), AllocatorSettings());
}

std::string limit_text(const char* key, std::int64_t bytes) {
  return std::string("{\"") + key + "\": " + std::to_string(bytes) + "}";
}

TEST(MemoryRecord, IsReadAsItWasWritten) {
  const MemoryRecord record = record_with(64);
  EXPECT_EQ(record.step.peak_bytes, blocks_of(64)->current->timeline.peak_bytes);
  EXPECT_GE(record.step.reserved_bytes, record.step.peak_bytes);
  EXPECT_FALSE(record.modules.empty());
  std::int64_t tensors = 0;
  for (const auto& [name, bytes] : record.tensors) tensors += bytes;
  EXPECT_EQ(tensors, record.step.peak_bytes);
  EXPECT_EQ(parse_record(record_text(record)), record);
  for (const char* const wrong : {"", "{}", R"({"stashscope_memory": 9})",
                                  R"({"stashscope_memory": 1, "step": {"peak_bytes": -1}})"}) {
    EXPECT_NE(test::refusal(ErrorKind::input, [&] { parse_record(wrong); }), "accepted") << wrong;
  }
}

TEST(MemoryRecord, OtherVersionsAreRefused) {
  const std::string text = record_text(record_with(64));
  const std::string key = "\"stashscope_memory\": ";
  const std::size_t at = text.find(key + "1");
  ASSERT_NE(at, std::string::npos) << text;
  for (const char* const version : {"0", "-1", "2", "4294967297"}) {
    const std::string other = std::string(text).replace(at, key.size() + 1, key + version);
    EXPECT_NE(test::refusal(ErrorKind::input, [&] { parse_record(other); }), "accepted") << version;
  }
}

TEST(LimitCheck, BreaksOneByteAboveALimit) {
  const MemoryRecord record = record_with(64);
  for (const auto& [key, bytes] : {std::pair("peak_bytes", record.step.peak_bytes),
                                   std::pair("reserved_bytes", *record.step.reserved_bytes),
                                   std::pair("stashed_bytes", record.step.stashed_bytes)}) {
    EXPECT_FALSE(check_limits(record, parse_limits(limit_text(key, bytes)), nullptr).is_broken());
    EXPECT_TRUE(check_limits(record, parse_limits(limit_text(key, bytes - 1)), nullptr).is_broken())
        << key;
  }
}

TEST(LimitCheck, SumsTheModulesOfAPattern) {
  const MemoryRecord record = record_with(64);
  const MemoryLimits limits = parse_limits(R"({"modules": {"*": {"stashed_bytes": "1KiB"}}})");
  const CheckResult result = check_limits(record, limits, nullptr);
  std::int64_t sum = 0;
  for (const auto& [name, bytes] : record.modules) sum += bytes.stashed_bytes;
  ASSERT_EQ(result.limits.size(), 1U);
  EXPECT_EQ(result.limits[0].bytes, sum);
  EXPECT_EQ(result.limits[0].most_bytes, 1024);
  const MemoryLimits unknown = parse_limits(R"({"modules": {"nobody": {"peak_bytes": 1}}})");
  const std::string said =
      test::refusal(ErrorKind::input, [&] { check_limits(record, unknown, nullptr); });
  EXPECT_NE(said.find("'nobody'"), std::string::npos) << said;
}

TEST(LimitCheck, AGrowthOfReservedMemoryIsUnderTheSameSettings) {
  const MemoryRecord record = record_with(64);
  MemoryRecord baseline = record;
  const MemoryLimits limits = parse_limits(R"({"growth": {"reserved_bytes": "1%"}})");
  EXPECT_FALSE(check_limits(record, limits, &baseline).is_broken());
  baseline.allocator = "expandable_segments:True";
  const std::string said =
      test::refusal(ErrorKind::input, [&] { check_limits(record, limits, &baseline); });
  EXPECT_NE(said.find("expandable_segments:True"), std::string::npos) << said;
  baseline.allocator.reset();
  EXPECT_FALSE(check_limits(record, limits, &baseline).is_broken()) << "an older baseline";
}

TEST(MemoryRecord, ModulesWhoseSumOverflowsAreRefused) {
  MemoryRecord record = record_with(64);
  for (int i = 0; i < 3; ++i) {
    record.modules["m" + std::to_string(i)].peak_bytes = (std::int64_t{1} << 50) - 1;
  }
  EXPECT_NE(test::refusal(ErrorKind::input, [&] { parse_record(record_text(record)); }).find("sum"),
            std::string::npos);
}

TEST(LimitCheck, NamesTheTensorsThatGrew) {
  const MemoryRecord before = record_with(64);
  const MemoryRecord after = record_with(80);
  const MemoryLimits limits =
      parse_limits(R"({"growth": {"peak_bytes": "1%"}, "baseline": "memory.json"})");
  EXPECT_EQ(limits.baseline, "memory.json");
  EXPECT_FALSE(check_limits(before, limits, &before).is_broken());
  EXPECT_TRUE(check_limits(before, limits, &before).changes.empty());
  const CheckResult result = check_limits(after, limits, &before);
  EXPECT_TRUE(result.is_broken());
  EXPECT_EQ(result.limits[0].baseline_bytes, before.step.peak_bytes);
  ASSERT_FALSE(result.changes.empty());
  std::int64_t changed = 0;
  for (const TensorChange& each : result.changes) changed += each.after_bytes - each.before_bytes;
  EXPECT_EQ(changed, after.step.peak_bytes - before.step.peak_bytes) << "all is attributed";
  EXPECT_NE(check_markdown(result, "m.onnx").find("| " + result.changes[0].name),
            std::string::npos);
  EXPECT_NE(test::refusal(ErrorKind::input, [&] { check_limits(after, limits, nullptr); })
                .find("'growth.peak_bytes'"),
            std::string::npos);
}

TEST(LimitCheck, AGrowthBeyond64BitsAllowsAnyStep) {
  MemoryRecord large = record_with(64);
  large.step.peak_bytes = (std::int64_t{1} << 50) - 1;
  const MemoryLimits limits = parse_limits(R"({"growth": {"peak_bytes": "1000000%"}})");
  EXPECT_FALSE(check_limits(large, limits, &large).is_broken());
}

TEST(LimitCheck, WritesWhatContinuousIntegrationReads) {
  const MemoryRecord record = record_with(64);
  const CheckResult result =
      check_limits(record, parse_limits(R"({"peak_bytes": 1, "stashed_bytes": "1TiB"})"), nullptr);
  const std::string markdown = check_markdown(result, "a|b.onnx");
  EXPECT_TRUE(markdown.starts_with("## Memory of a\\|b.onnx: 1 limit is broken\n")) << markdown;
  EXPECT_NE(markdown.find("**broken** by "), std::string::npos) << markdown;
  const std::string junit = check_junit(result, "a<b>.onnx");
  EXPECT_NE(junit.find("tests=\"2\" failures=\"1\""), std::string::npos) << junit;
  EXPECT_NE(junit.find("a&lt;b&gt;.onnx"), std::string::npos) << junit;
  EXPECT_NE(check_json(result).find("\"broken\": true"), std::string::npos);
}

TEST(MemoryLimits, BadOnesNameTheirKey) {
  for (const auto& [text, key] :
       {std::pair("[]", "JSON object"), std::pair("{}", "no limit"),
        std::pair(R"({"peak": 1})", "'peak'"), std::pair(R"({"peak_bytes": "x"})", "'peak_bytes'"),
        std::pair(R"({"peak_bytes": -1})", "'peak_bytes'"),
        std::pair(R"({"peak_bytes": 2e18})", "'peak_bytes'"),
        std::pair(R"({"peak_bytes": 1152921504606846977})", "'peak_bytes': is out of range"),
        std::pair(R"({"modules": {"": {"peak_bytes": 1}}})", "an entry without a name"),
        std::pair(R"({"modules": {"h": {"reserved_bytes": 1}}})", "'h.reserved_bytes'"),
        std::pair(R"({"growth": {"peak_bytes": "9223372036854775807"}})", "'growth.peak_bytes'"),
        std::pair(R"({"growth": {"peak_bytes": "1e300%"}})", "'growth.peak_bytes'"),
        std::pair(R"({"modules": {"h": {"size": 1}}})", "'h.size'"),
        std::pair(R"({"modules": []})", "'modules'"), std::pair(R"({"modules": {"h": 1}})", "'h'"),
        std::pair(R"({"growth": {"peak_bytes": "-1%"}})", "'growth.peak_bytes'"),
        std::pair(R"({"peak_bytes": 1, "baseline": 2})", "'baseline'")}) {
    const std::string said = test::refusal(ErrorKind::input, [&, &t = text] { parse_limits(t); });
    EXPECT_NE(said.find(key), std::string::npos) << said;
  }
}

}  // namespace limit_check_test
}  // namespace stashscope
