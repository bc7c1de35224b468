#include "core/run/cuda/ops/update.h"

#include <gtest/gtest.h>

#include "tests/core/run/cuda/emulation/kernel_cases.h"
#include "tests/core/run/cuda/emulation/reference_update.h"
#include "tests/support/refusal.h"

namespace stashscope::testing_run {
namespace update_test {

using cuda::UpdateRates;
using cuda::UpdateShape;
using Items = std::vector<double>;

UpdateCase case_of(const UpdateShape& shape, std::int64_t step) {
  const std::vector<std::int64_t> dims = {shape.elements};
  UpdateCase result{shape, step, {}};
  result.operands = {random_tensor(shape.parameter, dims, 0.1),
                     random_tensor(shape.gradient, dims, 0.2), integers({}, {step})};
  for (const OptimizerState& state :
       optimizer_states(find_optimizer(shape.optimizer), {shape.parameter}, shape.master_weights)) {
    Items items(static_cast<std::size_t>(shape.elements), 0);
    if (state.name == master_weight || step > 1) {
      items = numbers(random_tensor(ElementType::float64, dims, 0.1));
    }
    for (double& item : items) item = state.name == "exp_avg_sq" ? item * item : item;
    result.operands.push_back(tensor_of_numbers(state.element, dims, items));
  }
  return result;
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

TEST(CudaUpdates, AreRefusedForOptimizersWithoutAKernel) {
  const std::string said = test::refusal(ErrorKind::usage, [] {
    cuda::lower_update({"adamw_8bit", ElementType::float32, ElementType::float32, 16});
  });
  EXPECT_NE(said.find("'adamw_8bit'"), std::string::npos) << said;
  EXPECT_NE(said.find("adamw"), std::string::npos) << said;
}

}  // namespace update_test
}  // namespace stashscope::testing_run
