// Parameters that change from step to step.

#include <gtest/gtest.h>

#include "tests/core/run/cuda/emulation/kernel_cases.h"
#include "tests/core/run/cuda/emulation/reference_update.h"
#include "tests/core/run/cuda/emulation/small_step.h"
#include "tests/core/run/cuda/emulation/test_device.h"
#include "tests/support/refusal.h"

namespace stashscope::testing_run {
namespace cuda_training_test {

constexpr double learning_rate = 0.05;
constexpr int steps = 4;

/// The small model with copies of its parameters, made before they change, as outputs.
Graph observed_model(ElementType element) {
  test::ModelBuilder m;
  m.input("x", {"N", 6}, element).input("labels", {"N"}, ElementType::int64);
  m.constant("w1", spread(element, {6, 16}, -0.5, 0.5));
  m.constant("b1", spread(element, {16}, -0.1, 0.1));
  m.constant("w2", spread(element, {16, 5}, -0.4, 0.4));
  m.constant("none", spread(element, {1}, 0, 0));
  for (const std::string name : {"w1", "b1", "w2"}) {
    m.node("Sub", {name, "none"}, {"copy_of_" + name});
    m.output("copy_of_" + name);
  }
  m.node("MatMul", {"x", "w1"}, {"h"}).node("Add", {"h", "b1"}, {"a"});
  m.node("Tanh", {"a"}, {"t"}).node("MatMul", {"t", "w2"}, {"scores"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"});
  return m.output("loss").build();
}

struct Training {
  std::string optimizer;
  ElementType element = ElementType::float32;
  bool master_weights = false;
  bool release_gradients = false;
  bool recomputes = false;
  std::string order = "file";
};

class CudaParameters : public testing::TestWithParam<const char*> {
 protected:
  /// The outputs of each step.
  std::vector<NamedTensors> train(const Training& training) {
    NamedTensors inputs = small_inputs();
    inputs["x"] = spread(training.element, {7, 6}, -2, 2);
    TrainingGoal goal;
    goal.loss = "loss";
    const ModelStep step(prepare_training_step(observed_model(training.element), goal), inputs);
    const UpdateChoice update{training.optimizer, training.master_weights,
                              training.release_gradients};
    const Dataflow dataflow =
        training.recomputes ? step.with_all_plans(true) : step.without_plans();
    const RunPlan plan = step.plan(dataflow, find_order(training.order), update);
    const cuda::CudaRunner runner(device_, "cuda:0",
                                  {.updates = true, .learning_rate = learning_rate});
    const std::unique_ptr<LoadedStep> loaded = runner.load(plan, inputs);
    std::vector<NamedTensors> results;
    for (int i = 0; i < steps; ++i) results.push_back(loaded->run({}, {}).outputs);
    return results;
  }

  std::shared_ptr<cuda::Device> device_ = test_device(EmulatedDevice::TextCheck::none);
};

/// Expects one parameter to follow the gradients of the steps.
void expect_followed(const std::vector<NamedTensors>& results, const Training& training,
                     const std::string& name) {
  const Tensor& start = results[0].at("copy_of_" + name);
  UpdateCase update{
      {training.optimizer,
       training.element,
       training.element,
       element_count(start.dims()),
       training.master_weights,
       {.learning_rate = learning_rate, .weight_decay = training.optimizer == "adamw" ? 0.01 : 0}},
      0,
      {start, start, Tensor::int64s({0})}};
  for (const OptimizerState& state : optimizer_states(
           find_optimizer(training.optimizer), {training.element}, training.master_weights)) {
    std::vector<double> items(static_cast<std::size_t>(element_count(start.dims())), 0);
    if (state.name == master_weight) items = numbers(start);
    update.operands.push_back(tensor_of_numbers(state.element, start.dims(), items));
  }
  for (std::size_t i = 0; i + 1 < results.size(); ++i) {
    update.step = static_cast<std::int64_t>(i) + 1;
    update.operands[1] = results[i].at(name + "_grad");
    update.operands = expected_of(update);
    const Difference found = difference(results[i + 1].at("copy_of_" + name), update.operands[0]);
    const double tolerance =
        tolerance_on_device(training.element, order_tolerance(training.element));
    EXPECT_LE(found.largest, tolerance * found.largest_value)
        << training.optimizer << " " << name << " step " << i;
  }
}

double loss_of(const NamedTensors& outputs) { return numbers(outputs.at("loss"))[0]; }

void expect_trained(const std::vector<NamedTensors>& results, const Training& training) {
  EXPECT_LT(loss_of(results.back()), loss_of(results.front()));
  for (const char* name : {"w1", "b1", "w2"}) expect_followed(results, training, name);
}

TEST_P(CudaParameters, MoveByTheirGradients) {
  for (const ElementType element : device_floats) {
    for (const bool master : {false, true}) {
      if (master && element == ElementType::float32) continue;
      SCOPED_TRACE(std::string(name_of(element)) + (master ? " with master weights" : ""));
      const Training training{GetParam(), element, master, false};
      expect_trained(train(training), training);
    }
  }
}

/// A gradient may exist before the last reader of its parameter has run; such an order is refused.
TEST_P(CudaParameters, MoveAlikeWithReleasedGradientsOrNotAtAll) {
  Training training{GetParam()};
  const std::vector<NamedTensors> expected = train(training);
  training.release_gradients = true;
  for (const char* order : {"file", "reference", "bytes-freed", "largest-first"}) {
    for (const bool recomputes : {false, true}) {
      training.recomputes = recomputes;
      training.order = order;
      SCOPED_TRACE(training.order + (recomputes ? " with recomputed nodes" : ""));
      std::vector<NamedTensors> released;
      try {
        released = train(training);
      } catch (const Error& error) {
        EXPECT_NE(training.order, "file");
        EXPECT_NE(std::string(error.what()).find("after its update"), std::string::npos);
        continue;
      }
      for (std::size_t i = 0; i < expected.size(); ++i) {
        for (const auto& [name, tensor] : expected[i]) {
          EXPECT_TRUE(same_bits(released[i].at(name), tensor)) << name << " of step " << i;
        }
      }
    }
  }
}

TEST_P(CudaParameters, StayAsTheyAreWithoutAnOptimizer) {
  const std::int64_t before = device_->used_bytes(cuda::Pool::tensors);
  const std::string said = test::refusal(ErrorKind::usage, [&] { train({.optimizer = "none"}); });
  EXPECT_NE(said.find("needs an optimizer"), std::string::npos) << said;
  EXPECT_EQ(device_->used_bytes(cuda::Pool::tensors), before);
}

INSTANTIATE_TEST_SUITE_P(Optimizers, CudaParameters,
                         testing::Values("sgd", "momentum", "adam", "adamw"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace cuda_training_test
}  // namespace stashscope::testing_run
