// The two tables that ONNX Runtime printed, published in 2023.11, reproduced from the same graphs.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/onnx/model_file.h"
#include "core/ops/families/standard_ops.h"
#include "core/passes/training_step.h"
#include "core/report/tables.h"

namespace stashscope {
namespace golden_tables_test {

const std::filesystem::path folder = STASHSCOPE_SHARED "/cases/golden";

/// Lines without spaces. Frames and rules between rows are dropped.
std::vector<std::string> content_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::string kept;
    for (const char c : line) {
      if (c != ' ' && c != '\t' && c != '\r') kept += c;
    }
    if (kept.find_first_not_of("|_=") != std::string::npos) lines.push_back(kept);
  }
  return lines;
}

std::string expected_text(const char* file) {
  std::ifstream stream(folder / file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

struct Analysis {
  explicit Analysis(const char* file)
      : step(prepare_training_step(load_model(folder / file), {})),
        ops(resolve_ops(*step.graph)),
        found(find_opportunities(*step.graph, ops, step.boundary,
                                 {1, false, Reference::november_2023})) {}
  TrainingStep step;
  IdVector<NodeId, const Op*> ops;
  Opportunities found;
};

TEST(GoldenTables, PlansOfTheSixLayerTransformer) {
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared/cases/golden";
  const Analysis a("bloom6_ort_training.onnx");
  const Graph& graph = *a.step.graph;
  Bindings bindings(graph.symbols().size());
  bindings[*graph.symbols().find("inputs_input_ids_dim0")] = 1;
  bindings[*graph.symbols().find("inputs_input_ids_dim1")] = 1024;
  const std::string ours = plan_table_text(plan_table(graph, a.found, bindings));
  EXPECT_EQ(content_lines(ours), content_lines(expected_text("bloom6_plan_table.expected.txt")));
}

TEST(GoldenTables, ClustersOfTheThreeLayerTransformer) {
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared/cases/golden";
  const Analysis a("bloom3_ort_training.onnx");
  const RecomputeConfig config = parse_config("BiasGelu+:1:-1,Cast+:2:-1");
  const auto rows = cluster_table(*a.step.graph, a.found, config, select_plans(a.found, config));
  const std::string ours =
      cluster_table_text(*a.step.graph, rows, config, rules_of(Reference::november_2023));
  EXPECT_EQ(content_lines(ours),
            content_lines(expected_text("bloom3_memory_insight.expected.txt")));
}

}  // namespace golden_tables_test
}  // namespace stashscope
