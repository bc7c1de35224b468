#include "core/run/cuda/update.h"

#include <gtest/gtest.h>

#include <cmath>

#include "random_tensors.h"

namespace stashscope::testing_run {
namespace {

using cuda::UpdateRates;
using cuda::UpdateShape;
using Items = std::vector<double>;

/// A weight, its gradient and its states before a step, and what torch.optim makes of them.
struct Weight {
  double weight = 0;
  double gradient = 0;
  double first = 0;
  double second = 0;

  void descend(const UpdateRates& rates) {
    weight -= rates.learning_rate * (gradient + rates.weight_decay * weight);
  }
  void descend_with_momentum(const UpdateRates& rates) {
    first = rates.momentum * first + gradient + rates.weight_decay * weight;
    weight -= rates.learning_rate * first;
  }
  void adapt(const UpdateRates& rates, double step, bool decoupled) {
    if (decoupled) weight -= rates.learning_rate * rates.weight_decay * weight;
    if (!decoupled) gradient += rates.weight_decay * weight;
    first = rates.beta1 * first + (1 - rates.beta1) * gradient;
    second = rates.beta2 * second + (1 - rates.beta2) * gradient * gradient;
    const double mean = first / (1 - std::pow(rates.beta1, step));
    const double deviation = std::sqrt(second / (1 - std::pow(rates.beta2, step)));
    weight -= rates.learning_rate * mean / (deviation + rates.epsilon);
  }
  void move(const UpdateShape& shape, double step) {
    if (shape.optimizer == "sgd") return descend(shape.rates);
    if (shape.optimizer == "momentum") return descend_with_momentum(shape.rates);
    adapt(shape.rates, step, shape.optimizer == "adamw");
  }
};

/// A parameter, its gradient, the step, and the states as the device has them.
struct UpdateCase {
  UpdateShape shape;
  std::int64_t step = 1;
  std::vector<Tensor> operands;
};

UpdateCase case_of(const UpdateShape& shape, std::int64_t step) {
  const std::vector<std::int64_t> dims = {shape.elements};
  UpdateCase result{shape, step, {}};
  result.operands = {random_tensor(shape.parameter, dims, 0.1),
                     random_tensor(shape.gradient, dims, 0.2), integers({}, {step})};
  for (const OptimizerState& state :
       optimizer_states(find_optimizer(shape.optimizer), shape.parameter, shape.master_weights)) {
    Items items(static_cast<std::size_t>(shape.elements), 0);
    if (state.name == master_weight || step > 1) {
      items = numbers(random_tensor(ElementType::float64, dims, 0.1));
    }
    for (double& item : items) item = state.name == "exp_avg_sq" ? item * item : item;
    result.operands.push_back(converted(doubles(dims, items), state.element));
  }
  return result;
}

/// The operands after the step.
std::vector<Tensor> expected_of(const UpdateCase& each) {
  std::vector<Items> items;
  for (const Tensor& tensor : each.operands) items.push_back(numbers(tensor));
  const bool has_master = each.shape.master_weights && each.shape.parameter != ElementType::float32;
  const std::size_t weights = has_master ? 3 : 0;
  const std::size_t states = has_master ? 4 : 3;
  for (std::size_t i = 0; i < items[0].size(); ++i) {
    Weight weight{items[weights][i], items[1][i]};
    if (states < items.size()) weight.first = items[states][i];
    if (states + 1 < items.size()) weight.second = items[states + 1][i];
    weight.move(each.shape, static_cast<double>(each.step));
    items[0][i] = items[weights][i] = weight.weight;
    if (states < items.size()) items[states][i] = weight.first;
    if (states + 1 < items.size()) items[states + 1][i] = weight.second;
  }
  std::vector<Tensor> results;
  for (std::size_t k = 0; k < items.size(); ++k) {
    const Tensor& before = each.operands[k];
    results.push_back(k == 2 ? before
                             : converted(doubles(before.dims(), items[k]), before.element()));
  }
  return results;
}

void expect_updates(const std::vector<UpdateCase>& cases) {
  const auto opened = test_device();
  cuda::Device& device = *opened;
  KernelProgram program;
  for (const UpdateCase& each : cases) program.add(cuda::lower_update(each.shape));
  program.compile(device);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].shape.optimizer + " " + std::to_string(i));
    std::vector<std::unique_ptr<DeviceTensor>> tensors;
    MemberOperands operands;
    for (const Tensor& tensor : cases[i].operands) {
      tensors.push_back(std::make_unique<DeviceTensor>(device, tensor));
      operands.inputs.push_back(tensors.back()->data());
    }
    program.run(i, {operands}, device);
    const std::vector<Tensor> expected = expected_of(cases[i]);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      expect_near(tensors[k]->read(), expected[k], order_tolerance(expected[k].element()));
    }
  }
}

TEST(CudaUpdates, AreThoseOfPyTorch) {
  const UpdateRates rates = {.learning_rate = 0.1, .weight_decay = 0.05};
  std::vector<UpdateCase> cases;
  for (const char* optimizer : {"sgd", "momentum", "adam", "adamw"}) {
    for (const ElementType parameter : device_floats) {
      for (const bool master : {false, true}) {
        for (const std::int64_t elements : {5, 4096, 8201}) {
          const UpdateShape shape{optimizer, parameter, parameter, elements, master, rates};
          cases.push_back(case_of(shape, elements == 5 ? 1 : 7));
        }
      }
    }
    cases.push_back(case_of({optimizer, ElementType::float32, ElementType::bfloat16, 99}, 2));
    cases.push_back(case_of({optimizer, ElementType::float64, ElementType::float64, 99}, 2));
  }
  expect_updates(cases);
}

TEST(CudaUpdates, AreNotMadeWithoutAnOptimizer) {
  EXPECT_TRUE(
      cuda::lower_update({"none", ElementType::float32, ElementType::float32, 16}).calls.empty());
  EXPECT_THROW(cuda::lower_update({"other", ElementType::float32, ElementType::float32, 16}),
               Error);
}

}  // namespace
}  // namespace stashscope::testing_run
