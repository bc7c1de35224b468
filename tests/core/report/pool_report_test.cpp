#include "core/report/pool_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/report/page/page.h"
#include "core/report/report.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace pool_report_test {

std::shared_ptr<const Study> example() {
  test::ModelBuilder m;
  m.input("x", {1024, 512}).weight("w", {512, 512});
  m.node("MatMul", {"x", "w"}, {"h"}).node("Gelu", {"h"}, {"g"}, {}, "com.microsoft");
  m.node("MatMul", {"g", "w"}, {"y"}).output("y");
  return compute_study(std::make_shared<const Graph>(m.build()), Choices(), nullptr, Progress());
}

/// A run of the variant whose pools reserved these bytes.
Measurement run_of(const Variant& variant, std::int64_t reserved) {
  Measurement run;
  run.device = "cuda:0";
  run.live_bytes = variant.timeline.live_bytes;
  run.peak_bytes = variant.timeline.peak_bytes;
  run.workspace_bytes.assign(run.live_bytes.size(), 4096);
  run.peak_reserved_bytes = reserved;
  return run;
}

TEST(PoolReport, StatesBothFiguresAndKeepsTheKeys) {
  const auto study = example();
  ReportInput input = report_input(*study, "m.onnx");
  EXPECT_EQ(text_report(input).find("stream-ordered"), std::string::npos);
  input.pool = PoolSettings{0, std::int64_t{2} << 20};
  const PoolMemory memory = pool_memory(*study, *study->current, *input.pool);
  ASSERT_EQ(memory.low_bytes, memory.high_bytes);
  const auto json = nlohmann::json::parse(json_report(input))["memory"];
  EXPECT_EQ(json["current"]["reserved_bytes"], memory.high_bytes);
  EXPECT_EQ(json["current"]["reserved_low_bytes"], memory.low_bytes);
  EXPECT_EQ(json["current"]["fragmentation_bytes"],
            memory.high_bytes - study->current->timeline.peak_bytes);
  EXPECT_GT(json["current"]["device_bytes"]["low"], memory.low_bytes);
  EXPECT_FALSE(json["other_memory"].empty());
  const std::string text = text_report(input);
  for (const std::string& part : {std::string("CUDA with release_threshold=0,granularity=2MiB: "),
                                  exact_bytes(memory.low_bytes) + ", up to "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  input.pool = PoolSettings{};
  const std::string wide = text_report(input);
  EXPECT_NE(wide.find("MiB without gaps ("), std::string::npos) << wide;
  EXPECT_NE(wide.find("32.0 MiB without remapping (33,554,432 B), up to "), std::string::npos);
  input.pool->release_threshold_bytes = 0;
  EXPECT_NE(html_report(input).find("A stream-ordered pool of CUDA with"), std::string::npos);
}

TEST(PoolReport, SaysWhereMeasuredBytesLie) {
  const auto study = example();
  const PoolSettings settings;
  const DeviceMemory pools =
      plugin_pools(*study, pool_memory(*study, *study->current, settings), 4096, settings);
  ASSERT_LT(pools.low_bytes, pools.high_bytes);
  ReportInput input = report_input(*study, "m.onnx");
  for (const auto& [reserved, position, text] :
       {std::tuple(pools.low_bytes - 1024, "below", "measured: 1.00 KiB below"),
        std::tuple(pools.low_bytes, "within", "measured: within"),
        std::tuple(pools.high_bytes, "within", "measured: within"),
        std::tuple(pools.high_bytes + 2048, "above", "measured: 2.00 KiB above")}) {
    input.measured = MeasuredPair{without_baseline(run_of(*study->current, reserved), "no room")};
    input.pool.reset();
    EXPECT_FALSE(nlohmann::json::parse(json_report(input))["measured"]["current"].contains(
        "predicted_pools"));
    input.pool = settings;
    const auto run = nlohmann::json::parse(json_report(input))["measured"]["current"];
    EXPECT_EQ(run["peak_reserved_bytes"], reserved);
    EXPECT_EQ(run["predicted_pools"]["low_bytes"], pools.low_bytes);
    EXPECT_EQ(run["predicted_pools"]["high_bytes"], pools.high_bytes);
    EXPECT_EQ(run["predicted_pools"]["position"], position);
    EXPECT_NE(text_report(input).find(text), std::string::npos) << text_report(input);
  }
  input.measured = MeasuredPair{without_baseline(run_of(*study->current, 0), "no room")};
  EXPECT_EQ(text_report(input).find("predicted for the pools"), std::string::npos);
}

}  // namespace pool_report_test
}  // namespace stashscope
