#include "core/report/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/report/chart.h"
#include "core/report/page/page.h"
#include "core/schedule/orders/orders.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace report_test {

std::shared_ptr<const Study> example(const std::string& dim = "N") {
  test::ModelBuilder m;
  m.input("x", {dim.c_str(), 4}).weight("w", {4, 4});
  m.node("MatMul", {"x", "w"}, {"h"}).node("Gelu", {"h"}, {"g"}, {}, "com.microsoft");
  m.node("MatMul", {"g", "w"}, {"y"}).output("y");
  Choices choices;
  choices.plans.level = 1;
  return compute_study(std::make_shared<const Graph>(m.build()), choices, nullptr, Progress());
}

Measurement run_on_processor(std::int64_t peak) {
  Measurement run;
  run.device = "cpu";
  run.peak_bytes = peak;
  return run;
}

TEST(JsonReport, HasTheKeysOfTheContract) {
  const auto study = example();
  const MeasuredPair measured{{run_on_processor(10), run_on_processor(8)}, 2};
  const auto report = nlohmann::json::parse(json_report({*study, "m.onnx", measured}));
  for (const char* key : {"path", "nodes", "forward_nodes", "backward_nodes", "parameter_bytes"}) {
    EXPECT_TRUE(report["model"].contains(key)) << key;
  }
  for (const char* key :
       {"config", "freq", "saving_bytes", "saving_symbolic", "extra_seconds", "on", "applied"}) {
    EXPECT_TRUE(report["plans"].at(0).contains(key)) << key;
  }
  for (const char* key : {"output", "shape", "bytes_per_element", "saved_percent"}) {
    EXPECT_TRUE(report["clusters"].at(0)["options"].at(0)["stashed"].at(0).contains(key)) << key;
  }
  for (const char* variant : {"baseline", "current"}) {
    for (const char* key : {"peak_bytes", "peak_node", "peak_symbolic", "peak_bands", "phases"}) {
      EXPECT_TRUE(report["memory"][variant].contains(key)) << key;
    }
  }
  EXPECT_TRUE(report["memory"]["stashed_bytes"].is_number());
  EXPECT_EQ(report["orders"].size(), order_strategies().size());
  for (const char* key : {"flops", "extra_flops", "extra_percent", "profile", "baseline_seconds",
                          "current_seconds", "extra_seconds", "measured_nodes"}) {
    EXPECT_TRUE(report["cost"].contains(key)) << key;
  }
  EXPECT_EQ(report["measured"]["max_abs_error_bytes"], 2);
  EXPECT_EQ(report["dims"], (nlohmann::json{{"N", 1}}));
}

/// A run of three slots, with workspaces and memory reserved by the allocator.
Measurement run_on_device(std::int64_t peak) {
  Measurement run;
  run.device = "cuda:0";
  run.live_bytes = {peak / 2, peak, 0};
  run.peak_bytes = peak;
  run.node_seconds = {0.25, 0.25, 0};
  run.step_seconds = 0.75;
  run.workspace_bytes = {1024, 512, 0};
  run.peak_reserved_bytes = 4 * peak;
  run.remarks = {"10 records were dropped"};
  return run;
}

TEST(Reports, ShowWorkspacesReserveAndTimeWhereARunHasThem) {
  const auto study = example();
  const ReportInput input{*study, "m.onnx",
                          MeasuredPair{{run_on_device(4096), run_on_device(2048)}, 0}};
  const std::string text = text_report(input);
  for (const char* line :
       {"1.00 KiB before, 1.00 KiB after; together with tensors: 4.50 KiB before, 2.50 KiB after\n",
        "16.0 KiB before, 8.00 KiB after\n", "750 ms before, 750 ms after",
        "500 ms before, 500 ms after\n", "\nBoth runs: 10 records were dropped\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  const auto run = nlohmann::json::parse(json_report(input))["measured"]["current"];
  EXPECT_EQ(run["peak_bytes"], 2048);
  EXPECT_EQ(run["peak_workspace_bytes"], 1024);
  EXPECT_EQ(run["peak_with_workspace_bytes"], 2560);
  EXPECT_EQ(run["peak_reserved_bytes"], 8192);
  EXPECT_EQ(run["step_seconds"], 0.75);
  EXPECT_EQ(run["node_seconds_sum"], 0.5);
  EXPECT_NE(html_report(input).find("with workspaces (thin)"), std::string::npos);
}

TEST(Reports, SayThatTheStepWithoutPlansFoundNoRoom) {
  const auto study = example();
  const MeasuredPair measured{without_baseline(run_on_device(2048), "no room"), 7};
  const ReportInput input{*study, "m.onnx", measured};
  const std::string text = text_report(input);
  for (const char* line :
       {"\nMeasured on cuda:0: before not measured, 2.00 KiB after; largest difference",
        "\nReserved by the device's allocator: before not measured, 8.00 KiB after\n",
        "\nTime of the whole step, measured: before not measured, 750 ms after; ",
        "\nNote: the step without plans was not measured: no room\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_NE(html_report(input).find("before not measured"), std::string::npos);
  const auto object = nlohmann::json::parse(json_report(input))["measured"];
  EXPECT_FALSE(object.contains("baseline"));
  EXPECT_FALSE(object.contains("baseline_peak_bytes"));
  EXPECT_FALSE(object["phases"].contains("baseline"));
  EXPECT_EQ(object["current"]["peak_bytes"], 2048);
  EXPECT_EQ(object["max_abs_error_bytes"], 7);
}

TEST(Reports, SayNothingOfWorkspacesWhereThereAreNone) {
  const auto study = example();
  const Measurement plain = run_on_processor(3);
  const ReportInput input{*study, "m.onnx", MeasuredPair{{plain, plain}, 0}};
  const std::string text = text_report(input) + html_report(input);
  for (const char* word : {"orkspaces", "Reserved", "whole step"}) {
    EXPECT_EQ(text.find(word), std::string::npos) << word;
  }
  const auto run = nlohmann::json::parse(json_report(input))["measured"]["current"];
  EXPECT_FALSE(run.contains("peak_workspace_bytes"));
  EXPECT_FALSE(run.contains("peak_reserved_bytes"));
  EXPECT_FALSE(run.contains("step_seconds"));
}

TEST(Reports, ShowWhatFitsAndWhatFailsNext) {
  const auto study = example();
  // x, h, g and y have 16 bytes a row each; three of them are live at once, besides w.
  const LargestFit fit = largest_fit(*study, {"batch", {"N"}, 64 + 48 * 10}, Progress());
  ReportInput input{*study, "m.onnx", std::nullopt};
  EXPECT_EQ(text_report(input).find("Largest"), std::string::npos);
  input.planned.fit = fit;
  const std::int64_t largest = fit.baseline.largest->value;
  const auto object = nlohmann::json::parse(json_report(input))["fit"];
  EXPECT_EQ(object["label"], "batch");
  EXPECT_EQ(object["dims"], nlohmann::json{"N"});
  EXPECT_EQ(object["memory_bytes"], 544);
  for (const char* variant : {"baseline", "current"}) {
    const auto& of_variant = object[variant];
    EXPECT_EQ(of_variant["largest"]["value"], largest);
    EXPECT_LE(of_variant["largest"]["peak_bytes"], 544);
    EXPECT_EQ(of_variant["next"]["value"], largest + 1);
    EXPECT_GT(of_variant["next"]["peak_bytes"], 544);
    EXPECT_EQ(of_variant["next"]["largest_at_peak"].size(), 3U);
    EXPECT_EQ(of_variant["next"]["resident_bytes"], 64 + 16 * (largest + 1));
    EXPECT_TRUE(of_variant["refused"].is_null());
    EXPECT_FALSE(of_variant["unlimited"]);
  }
  const std::string text = text_report(input);
  EXPECT_NE(text.find("Largest batch (N) in 544 B, predicted:\n  Before: " +
                      std::to_string(largest) + ", peak "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("    " + std::to_string(largest + 1) + " fails: peak "), std::string::npos);
  EXPECT_NE(text.find("other plans may allow more"), std::string::npos) << text;
  input.planned.fit = largest_fit(*study, {"", {"N"}, 10}, Progress());
  EXPECT_NE(text_report(input).find("Before: nothing fits; 80 B are persistent"),
            std::string::npos);
}

/// A branch that negates a table and returns its tanh.
Subgraph branch(const std::string& name) {
  test::ModelBuilder m;
  m.weight(name + "_table", {4}).node("Neg", {name + "_table"}, {name + "_t"});
  m.node("Tanh", {name + "_t"}, {name});
  return std::make_shared<const Graph>(m.output(name).build());
}

TEST(Reports, ShowTheInnerPeakOfNodesWithSubgraphs) {
  test::ModelBuilder m;
  m.input("flag", {1}, ElementType::boolean);
  m.node("If", {"flag"}, {"y"}, {{"then_branch", branch("a")}, {"else_branch", branch("b")}});
  const auto model = std::make_shared<const Graph>(m.output("y").build());
  const auto study = compute_study(model, {}, nullptr, Progress());
  const ReportInput input{*study, "m.onnx", std::nullopt};
  const auto report = nlohmann::json::parse(json_report(input));
  const std::int64_t inner = 2 * 16;  // the table and its negation; tanh is the node's output
  ASSERT_EQ(report["memory"]["inner_peaks"].size(), 1U);
  EXPECT_EQ(report["memory"]["inner_peaks"][0]["node"], "make_y");
  EXPECT_EQ(report["memory"]["inner_peaks"][0]["inner_peak_bytes"], inner);
  EXPECT_EQ(report["memory"]["current"]["peak_bytes"], 1 + 16 + inner);
  EXPECT_NE(text_report(input).find("Inner peak of node 'make_y' (If): 32 B"), std::string::npos);
  EXPECT_FALSE(
      nlohmann::json::parse(json_report({*example(), "m.onnx", std::nullopt}))["memory"].contains(
          "inner_peaks"));
}

TEST(Reports, StayValidWithAnyDimensionName) {
  for (const std::string name :
       {"a<b>&\"c\"", "\xff\xfe", "日本", "line\nbreak", "\u202Ereversed"}) {
    const auto study = example(name);
    const ReportInput input{*study, "<path>", std::nullopt};
    EXPECT_FALSE(nlohmann::json::parse(json_report(input)).is_discarded());
    const std::string page = html_report(input);
    EXPECT_EQ(page.find("<b>"), std::string::npos);
    EXPECT_EQ(page.find("<path>"), std::string::npos);
    EXPECT_EQ(text_report(input).find('\xff'), std::string::npos);
  }
}

TEST(Reports, SayWhereTimesComeFrom) {
  const auto predicted = example();
  const auto text_of = [](const Study& study) { return text_report({study, "m.onnx", {}}); };
  EXPECT_NE(text_of(*predicted).find("Time of a step, predicted for " + default_profile().name),
            std::string::npos);
  EXPECT_NE(text_of(*predicted).find("\n  Plan 1: "), std::string::npos);
  Measurement runs[2];
  for (const bool current : {false, true}) {
    const Variant& variant = current ? *predicted->current : *predicted->baseline;
    runs[current].device = "cpu";
    runs[current].node_seconds.assign(variant.timeline.order.size(), 0.001);
  }
  const auto measured = with_measured_times(*predicted, runs[0], runs[1]);
  const auto nodes = measured->baseline->timeline.order.size();
  EXPECT_NE(text_of(*measured).find("measured on cpu (" + std::to_string(nodes) + " of "),
            std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(json_report({*measured, "m.onnx", {}}))["cost"]["measured_nodes"],
            nodes);
}

TEST(JsonReport, BandsAddUpToThePeak) {
  const auto study = example();
  const auto report = nlohmann::json::parse(json_report({*study, "m.onnx", std::nullopt}));
  const auto& current = report["memory"]["current"];
  std::int64_t sum = 0;
  for (const auto& [name, bytes] : current["peak_bands"].items()) {
    sum += bytes.get<std::int64_t>();
  }
  EXPECT_EQ(sum, current["peak_bytes"]);
  EXPECT_EQ(current["phases"].at(0)["phase"], "pre_forward");
  EXPECT_EQ(current["phases"].at(3)["maximum_bytes"], current["peak_bytes"]);
}

TEST(TextReport, HasBandsAndPhasesAndTheStatesByName) {
  test::ModelBuilder m;
  m.input("x", {"N", 64}).weight("w", {64, 64}).node("MatMul", {"x", "w"}, {"y"}).output("y");
  Choices choices;
  choices.update.optimizer = "adam";
  const auto study =
      compute_study(std::make_shared<const Graph>(m.build()), choices, nullptr, Progress());
  const std::string text = text_report({*study, "m.onnx", std::nullopt});
  for (const char* words : {"16,384 B  optimizer state  w.exp_avg_sq [64, 64] float32",
                            "optimizer states: 32.0 KiB (32,768 B), ", "pre_forward: current ",
                            "post_backward: current "}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << " in\n" << text;
  }
}

TEST(TextReport, ListsWhatIsAliveAtThePeak) {
  const auto study = example();
  const std::string text = text_report({*study, "m.onnx", std::nullopt});
  EXPECT_NE(text.find("Peak before"), std::string::npos);
  EXPECT_NE(text.find("parameter  w [4, 4] float32"), std::string::npos) << text;
}

TEST(Chart, ThinningKeepsThePeak) {
  std::vector<std::int64_t> live(100000, 10);
  live[54321] = 1000;
  const std::string points = curve_points(live, 200, 100, 1000);
  EXPECT_NE(points.find(",0.0 "), std::string::npos);
  EXPECT_LT(points.size(), 10000U);
  EXPECT_EQ(curve_points({}, 200, 100, 10), "");
}

}  // namespace report_test
}  // namespace stashscope
