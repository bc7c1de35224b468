// Measures how the time of each part of a report, of each pass and of each search grows with the
// graph. Prints CPU seconds by training nodes, and the exponent of growth: the slope of the line
// through the logarithms, by least squares.
//   build/release/bin/bench_growth [most nodes] [part of a row's name]

#include <cmath>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>

#include "bench/layered_model.h"
#include "core/base/files.h"
#include "core/onnx/model_file.h"
#include "core/passes/graph_pass.h"
#include "core/passes/infer_shapes.h"
#include "core/recompute/opportunities.h"
#include "core/report/report.h"
#include "core/run/cpu/execute/evaluate.h"
#include "core/schedule/orders/orders.h"
#include "core/study/step/fusion_table.h"
#include "core/study/step/step_export.h"
#include "core/study/step/study.h"
#include "core/study/step/variants.h"

namespace stashscope::bench {
namespace {

double cpu_seconds(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// The shortest time of three runs. A long run is not repeated.
double least_seconds(const std::function<void()>& work) {
  double least = cpu_seconds(work);
  for (int i = 0; i < 2 && least < 5; ++i) least = std::min(least, cpu_seconds(work));
  return least;
}

struct Point {
  double nodes = 0;
  double seconds = 0;
};

/// The slope of log(seconds) over log(nodes).
double growth_exponent(const std::vector<Point>& points) {
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (const Point& point : points) {
    const double log_nodes = std::log(point.nodes);
    const double log_seconds = std::log(std::max(point.seconds, 1e-6));
    x += log_nodes;
    y += log_seconds;
    xx += log_nodes * log_nodes;
    xy += log_nodes * log_seconds;
  }
  const auto n = static_cast<double>(points.size());
  return (n * xy - x * y) / (n * xx - x * x);
}

/// The points of each row, in the order of the rows' first appearance.
class GrowthTable {
 public:
  explicit GrowthTable(std::string wanted) : wanted_(std::move(wanted)) {}

  void measure(const std::string& row, double nodes, const std::function<void()>& work) {
    if (row.find(wanted_) == std::string::npos) return;
    if (!points_.contains(row)) rows_.push_back(row);
    points_[row].push_back({nodes, least_seconds(work)});
    std::cerr << row << ": " << points_[row].back().seconds << " s for " << nodes << " nodes\n";
  }

  void print() const {
    for (const std::string& row : rows_) {
      const std::vector<Point>& points = points_.at(row);
      std::printf("%-44s", row.c_str());
      for (const Point& point : points) std::printf(" %8.4f", point.seconds);
      std::printf("  exponent %.2f\n", growth_exponent(points));
    }
  }

 private:
  std::string wanted_;
  std::vector<std::string> rows_;
  std::map<std::string, std::vector<Point>> points_;
};

Choices choices_of_bench() {
  Choices choices;
  choices.dims = {{"batch", 8}, {"sequence", 128}};
  return choices;
}

std::shared_ptr<const Study> study_of(const std::shared_ptr<const Graph>& model,
                                      const Choices& choices) {
  return compute_study(model, choices, nullptr, Progress());
}

std::string whole_report(const std::filesystem::path& file) {
  const auto study = study_of(std::make_shared<const Graph>(load_model(file)), choices_of_bench());
  return text_report({*study,
                      file.string(),
                      std::nullopt,
                      {},
                      fusion_table(*study, SearchedOrders::leave_out),
                      {}});
}

void measure_orders(GrowthTable& table, const Study& study, const std::string& of, double nodes) {
  const UpdateMemory update;
  const OrderInput input =
      order_input(*study.prepared, *study.sizes, update, study.current->dataflow);
  for (const OrderStrategy& order : order_strategies()) {
    if (order.kind == OrderKind::search) continue;
    table.measure(of + "order " + std::string(order.name), nodes, [&] { order.order(input); });
  }
  const FusionEdits edits;
  for (const FusionStrategy& fusion : fusion_strategies()) {
    table.measure(of + "fusion " + std::string(fusion.name), nodes, [&] {
      const FusedGroups groups = fusion.groups({input, order_strategies()[0], edits});
      timeline_in(input, order_strategies()[0], groups);
    });
  }
}

void measure_passes(GrowthTable& table, const Graph& model, const std::string& of, double nodes) {
  Graph inferred = infer_shapes(model);
  table.measure(of + "infer shapes", nodes, [&] { infer_shapes(model); });
  for (const GraphPass& pass : graph_passes()) {
    PassSelection selection{{std::string(pass.name)}, ElementType::undefined, cpu_evaluator()};
    table.measure(of + "pass " + std::string(pass.name), nodes,
                  [&] { apply_passes(inferred, {}, selection); });
    if (pass.among_all) inferred = apply_passes(inferred, {}, selection).graph;
  }
  const PassSelection precision{{}, ElementType::bfloat16, {}};
  table.measure(of + "pass mixed precision", nodes, [&] { apply_passes(inferred, {}, precision); });
}

void measure_plans(GrowthTable& table, const Study& study, const std::string& of, double nodes) {
  const PreparedStep& prepared = *study.prepared;
  for (const int level : {0, 1}) {
    RecomputeSearchOptions search = study.choices.plans.search;
    search.level = level;
    table.measure(of + "plans, probe level " + std::to_string(level), nodes, [&] {
      find_opportunities(study.graph(), prepared.ops, prepared.step.boundary, search);
    });
  }
  for (const int level : {1, 2}) {
    Choices choices = study.choices;
    choices.plans.level = level;
    table.measure(of + "tick level " + std::to_string(level), nodes,
                  [&] { compute_study(study.model, choices, &study, Progress()); });
  }
}

void measure_searches(GrowthTable& table, const Study& study, const std::string& of, double nodes) {
  for (const PlanGranularity grain :
       {PlanGranularity::cluster, PlanGranularity::node, PlanGranularity::sequence}) {
    BudgetRequest request;
    request.budget_bytes = study.baseline->timeline.peak_bytes * 7 / 10;
    request.grain = grain;
    request.limit = {0, 20, 1};
    table.measure(of + "budget by " + std::string(name_of(grain)) + ", 20 moves", nodes, [&] {
      ParetoFront archive;
      plan_for_budget(study, request, archive, Progress());
    });
  }
}

void measure_reports(GrowthTable& table, const Study& study, const std::string& of, double nodes) {
  const ReportInput input{
      study, "model.onnx", std::nullopt, {}, fusion_table(study, SearchedOrders::leave_out), {}};
  table.measure(of + "text of report", nodes, [&] { text_report(input); });
  table.measure(of + "JSON of report", nodes, [&] { json_report(input); });
  table.measure(of + "HTML of report", nodes, [&] { html_report(input); });
  table.measure(of + "cluster table", nodes, [&] { cluster_rows(study); });
}

void measure_all(GrowthTable& table, const Graph& graph, const std::string& of) {
  const auto file = std::filesystem::temp_directory_path() / "stashscope_growth.onnx";
  save_model(graph, file);
  const auto model = std::make_shared<const Graph>(load_model(file));
  const auto study = study_of(model, choices_of_bench());
  const auto nodes = static_cast<double>(study->graph().nodes().size());
  table.measure(of + "whole report", nodes, [&] { whole_report(file); });
  table.measure(of + "load", nodes, [&] { load_model(file); });
  table.measure(of + "study", nodes, [&] { study_of(model, choices_of_bench()); });
  measure_passes(table, *model, of, nodes);
  measure_plans(table, *study, of, nodes);
  measure_orders(table, *study, of, nodes);
  measure_reports(table, *study, of, nodes);
  measure_searches(table, *study, of, nodes);
  std::filesystem::remove(file);
}

/// The number of repetitions that makes a step of about `nodes` nodes.
int repetitions(Graph (*model)(int), double nodes) {
  const auto nodes_of = [&](int count) {
    const auto graph = std::make_shared<const Graph>(model(count));
    return static_cast<double>(study_of(graph, choices_of_bench())->graph().nodes().size());
  };
  const double two = nodes_of(2);
  return std::max(1, static_cast<int>((nodes - two) / (nodes_of(3) - two)) + 2);
}

}  // namespace
}  // namespace stashscope::bench

int main(int argc, char** argv) {
  using namespace stashscope::bench;
  const double most = argc > 1 ? std::stod(argv[1]) : 100000;
  GrowthTable table(argc > 2 ? argv[2] : "");
  for (const double nodes : {1000.0, 3162.0, 10000.0, 31623.0, 100000.0}) {
    if (nodes > most) continue;
    measure_all(table, layered_model(repetitions(layered_model, nodes)), "layers: ");
    measure_all(table, towers_model(repetitions(towers_model, nodes)), "towers: ");
  }
  table.print();
  return 0;
}
