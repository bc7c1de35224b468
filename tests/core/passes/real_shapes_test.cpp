// Symbolic shapes of real models, evaluated, against the dims that a reference runtime saw.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/onnx/model_file.h"
#include "core/passes/training_step.h"

namespace stashscope {
namespace {

namespace fs = std::filesystem;

const fs::path models = STASHSCOPE_SHARED "/models/small";

/// Dimension names bound by the real dims of the graph inputs.
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
  std::vector<std::string> wrong;
};

Outcome compare(const Graph& graph, const nlohmann::json& real) {
  const Bindings bindings = bind_from_inputs(graph, real);
  Outcome outcome;
  for (const ValueId id : IdRange<ValueId>(graph.values().size())) {
    const Value& value = graph.value(id);
    if (!real.contains(value.name)) continue;
    std::vector<std::int64_t> dims;
    bool known = value.type.shape.has_value();
    for (const Expr& dim : value.type.shape.value_or(Shape())) {
      const auto number = dim.evaluate(bindings);
      known = known && number;
      dims.push_back(number.value_or(-1));
    }
    ++outcome.compared;
    const bool same_type = real[value.name][0] == std::string(name_of(value.type.element));
    if (!known || !same_type || nlohmann::json(dims) != real[value.name][1]) {
      outcome.wrong.push_back(value.name);
    }
  }
  return outcome;
}

class RealShapes : public testing::TestWithParam<std::string> {};

TEST_P(RealShapes, AreWhatTheRuntimeSaw) {
  const TrainingStep step =
      prepare_training_step(load_model(models / GetParam() / "model.onnx"), {});
  for (const char* set : {"shapes_0.json", "shapes_1.json"}) {
    std::ifstream file(models / GetParam() / set);
    if (!file) continue;
    const Outcome outcome = compare(*step.graph, nlohmann::json::parse(file));
    ASSERT_GT(outcome.compared, 5U);
    EXPECT_LE(outcome.wrong.size() * 200, outcome.compared)
        << set << ": " << outcome.wrong.size() << " of " << outcome.compared << ", first "
        << outcome.wrong.front();
  }
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(models, none)) {
    if (fs::exists(entry.path() / "shapes_0.json")) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Small, RealShapes, testing::ValuesIn(model_names()),
                         [](const auto& info) { return info.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RealShapes);

}  // namespace
}  // namespace stashscope
