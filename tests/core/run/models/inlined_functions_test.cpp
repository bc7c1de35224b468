// A model whose layers are functions defined in it (two blocks that call a normalization,
// attributes passed on), with the results of onnxruntime 1.19.2.

#include <gtest/gtest.h>

#include "core/layout/scene/grouping.h"
#include "core/ops/families/standard_ops.h"
#include "model_run.h"

namespace stashscope {
namespace inlined_functions_test {

using testing_run::load_tensors;
using testing_run::ModelStep;

const std::filesystem::path folder = STASHSCOPE_FIXTURES "/functions";

TEST(InlinedFunctions, GiveWhatTheCallsGive) {
  const NamedTensors inputs = load_tensors(folder, "input_");
  const ModelStep step(prepare_training_step(load_model(folder / "model.onnx"), {}), inputs);
  const RunResult result = testing_run::run_on_cpu(step.default_plan(), inputs);
  for (const auto& [name, expected] : load_tensors(folder, "output_")) {
    ASSERT_TRUE(result.outputs.contains(name)) << name;
    const Difference found = testing_run::difference(result.outputs.at(name), expected);
    EXPECT_LE(found.largest, 1e-6 * found.largest_value) << name;
  }
}

TEST(InlinedFunctions, StayGroupsOfTheirNames) {
  const TrainingStep step = prepare_training_step(load_model(folder / "model.onnx"), {});
  const Graph& graph = *step.graph;
  const auto found = find_opportunities(graph, resolve_ops(graph), step.boundary, {1, false});
  const layout::Grouping grouping = layout::make_grouping(graph, layout::sides_of(graph, found));
  const auto centre = graph.find_node("block.1/Block/norm/Norm/centre");
  ASSERT_TRUE(centre);
  const std::string& path = grouping.groups[grouping.group_of[*centre]].path;
  EXPECT_NE(path.find("block.1/Block/norm"), std::string::npos) << path;
}

}  // namespace inlined_functions_test
}  // namespace stashscope
