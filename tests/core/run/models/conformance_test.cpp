// ONNX's conformance models: one node each, with inputs and expected outputs.

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "core/base/error.h"
#include "core/run/step/given_inputs.h"
#include "core/run/step/random_values.h"
#include "model_run.h"
#include "tests/support/folder.h"

namespace stashscope {
namespace conformance_test {

using testing_run::load_tensors;
using testing_run::ModelStep;
namespace fs = std::filesystem;

const fs::path archive = STASHSCOPE_SHARED "/models/onnx_node.tar.xz";
constexpr std::size_t slices = 4;
/// Of all models together.
constexpr std::size_t fewest_passes = 1690;

/// Messages of refusals: they name the operator, the element type or the kind of value.
constexpr std::string_view refusals[] = {
    "the CPU runner has no kernel for: ",
    "has no CPU kernel for elements of type ",
    "is not a tensor; the runners support only tensors",
    "has elements of type string, which no runner supports",
    "has a version before 9, which is not supported",
    "has more than two operands, which is not supported",
};

bool is_refusal(const std::string& message) {
  return std::any_of(std::begin(refusals), std::end(refusals), [&](std::string_view each) {
    return message.find(each) != std::string::npos;
  });
}

bool same_values(const Tensor& actual, const Tensor& expected) {
  const bool counted = is_integer(expected.element()) && bits_per_element(expected.element()) >= 8;
  const bool exact = counted || numbers(expected).empty();
  if (exact) return testing_run::same_bits(actual, expected);
  const Difference found = testing_run::difference(actual, expected);
  return found.largest <= 1e-3 * found.largest_value + 1e-7;
}

/// Runs a model as the worker does. Returns the fault; empty when there is none. Throws when the
/// model is refused.
std::string fault_of(const fs::path& folder) {
  const fs::path data = folder / "test_data_set_0";
  const Graph model = load_model(folder / "model.onnx");
  check_all_tensors(model);
  const NamedTensors inputs = load_tensors(data, "input_");
  const ModelStep step(prepare_training_step(model, {}), inputs);
  const RunPlan plan = step.default_plan();
  const RunResult result = testing_run::run_on_cpu(plan, inputs);
  const IdVector<ValueId, bool> random = random_values(*plan.graph, inputs);
  for (const auto& [name, expected] : load_tensors(data, "output_")) {
    const auto ours = result.outputs.find(name);
    if (ours == result.outputs.end()) return name + " is missing";
    if (ours->second.element() != expected.element()) return name + " is of another type";
    if (ours->second.dims() != expected.dims()) return name + " has other dims";
    if (random[*plan.graph->find_value(name)]) continue;
    if (!same_values(ours->second, expected)) return name + " differs";
  }
  return {};
}

struct Counts {
  std::size_t passed = 0;
  std::size_t refused = 0;
};

void check_model(const fs::path& folder, Counts& counts) {
  SCOPED_TRACE(folder.filename().string());
  try {
    const std::string fault = fault_of(folder);
    EXPECT_EQ(fault, "");
    if (fault.empty()) ++counts.passed;
  } catch (const Error& error) {
    EXPECT_TRUE(is_refusal(error.what())) << error.what();
    ++counts.refused;
  }
}

std::vector<fs::path> unpacked_models(const test::Folder& folder) {
  const std::string command =
      "tar -xJf '" + archive.string() + "' -C '" + folder.path().string() + "'";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot unpack: " + command);
  std::vector<fs::path> models;
  for (const auto& entry : fs::directory_iterator(folder / "onnx_node")) {
    if (entry.is_directory()) models.push_back(entry.path());
  }
  std::sort(models.begin(), models.end());
  return models;
}

class Conformance : public testing::TestWithParam<std::size_t> {};

TEST_P(Conformance, NoModelGivesAWrongResult) {
  if (!fs::exists(archive)) GTEST_SKIP() << archive << " is not there";
  const test::Folder folder;
  const std::vector<fs::path> models = unpacked_models(folder);
  Counts counts;
  for (std::size_t i = GetParam(); i < models.size(); i += slices) check_model(models[i], counts);
  std::cout << "conformance models, part " << GetParam() + 1 << " of " << slices << ": "
            << counts.passed << " pass, " << counts.refused << " are refused by name\n";
  EXPECT_GE(counts.passed, fewest_passes / slices);
}

INSTANTIATE_TEST_SUITE_P(Parts, Conformance, testing::Range<std::size_t>(0, slices));

}  // namespace conformance_test
}  // namespace stashscope
