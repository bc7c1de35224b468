// Evaluated symbolic shapes of real models equal the dims in a run of ONNX Runtime.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "core/onnx/model_file.h"
#include "core/passes/training_step.h"

namespace stashscope {
namespace real_shapes_test {

namespace fs = std::filesystem;

const fs::path models = STASHSCOPE_SHARED "/models/small";

/// The dimension names, bound to the real dims of the graph inputs.
Bindings bind_from_inputs(const Graph& graph, const nlohmann::json& real) {
  Bindings bindings(graph.symbols().size());
  for (const ValueId id : graph.data().inputs) {
    const Value& value = graph.value(id);
    if (!real.contains(value.name) || !value.type.shape) continue;
    const auto& dims = real[value.name][1];
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const auto symbols = (*value.type.shape)[i].symbols();
      if (symbols.size() == 1) bindings[symbols[0]] = dims[i].get<std::int64_t>();
    }
  }
  return bindings;
}

struct Outcome {
  std::size_t compared = 0;
  std::vector<std::string> wrong;    ///< with both shapes
  std::vector<std::string> missing;  ///< values that the training graph does not have
};

/// Dims and element type in the format of the file of real shapes; null for a dim without a value.
nlohmann::json evaluated(const TensorType& type, const Bindings& bindings) {
  nlohmann::json dims;
  if (type.shape) dims = nlohmann::json::array();
  for (const Expr& dim : type.shape.value_or(Shape())) {
    const auto number = dim.evaluate(bindings);
    dims.push_back(number ? nlohmann::json(*number) : nlohmann::json());
  }
  return {std::string(name_of(type.element)), dims};
}

Outcome compare(const Graph& graph, const nlohmann::json& real) {
  const Bindings bindings = bind_from_inputs(graph, real);
  Outcome outcome;
  for (const auto& [name, shape] : real.items()) {
    const auto id = graph.find_value(name);
    if (!id) {
      outcome.missing.push_back(name);
      continue;
    }
    ++outcome.compared;
    const nlohmann::json ours = evaluated(graph.value(*id).type, bindings);
    if (ours != shape) {
      outcome.wrong.push_back(name + ": " + ours.dump() + ", really " + shape.dump());
    }
  }
  return outcome;
}

std::string lines(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& each : items) text += "  " + each + "\n";
  return text;
}

/// One data set of one model: `lenet/shapes_0.json`.
class RealShapes : public testing::TestWithParam<std::string> {};

TEST_P(RealShapes, AreWhatTheRuntimeSaw) {
  const fs::path file = models / GetParam();
  const TrainingStep step =
      prepare_training_step(load_model(file.parent_path() / "model.onnx"), {});
  std::ifstream stream(file);
  const Outcome outcome = compare(*step.graph, nlohmann::json::parse(stream));
  ASSERT_GT(outcome.compared, 5U);
  EXPECT_LE(outcome.wrong.size() * 200, outcome.compared);
  std::cout << "shapes: " << GetParam() << ": " << outcome.compared << " values, "
            << outcome.wrong.size() << " wrong, " << outcome.missing.size()
            << " not in our graph\n";
  if (!outcome.wrong.empty()) std::cout << "wrong:\n" << lines(outcome.wrong);
  if (!outcome.missing.empty()) std::cout << "not in our graph:\n" << lines(outcome.missing);
}

std::vector<std::string> data_sets() {
  std::vector<std::string> files;
  std::error_code none;
  for (const auto& model : fs::directory_iterator(models, none)) {
    for (const char* set : {"shapes_0.json", "shapes_1.json"}) {
      if (fs::exists(model.path() / set)) files.push_back(model.path().filename() / set);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

INSTANTIATE_TEST_SUITE_P(Small, RealShapes, testing::ValuesIn(data_sets()), [](const auto& info) {
  const fs::path file = info.param;
  return file.parent_path().string() + "_" + file.stem().string();
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RealShapes);

}  // namespace real_shapes_test
}  // namespace stashscope
