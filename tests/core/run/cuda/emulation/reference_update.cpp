#include "reference_update.h"

#include <cmath>

#include "tests/core/run/cpu/kernels/element_types.h"

namespace stashscope::testing_run {

using cuda::UpdateRates;
using cuda::UpdateShape;
using Items = std::vector<double>;

namespace {

/// A weight, its gradient and its states before a step, and torch.optim's results.
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

}  // namespace

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

}  // namespace stashscope::testing_run
