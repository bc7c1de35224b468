#include <gtest/gtest.h>

#include "tests/core/run/cuda/emulation/kernel_cases.h"

namespace stashscope::testing_run {
namespace legacy_gradient_test {

TEST(CudaLegacyGradient, IsAsOnCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element :
       {ElementType::float32, ElementType::float16, ElementType::float64}) {
    const auto add = [&](const char* type, std::vector<Tensor> inputs, std::size_t outputs = 1) {
      cases.push_back({.node = {type, std::move(inputs), {}, 9, {}, outputs}});
    };
    const Tensor dy = spread(element, {4, 3, 8});
    add("TanhGrad", {spread(element, {4, 3, 8}, -1, 1), dy});
    add("ReshapeGrad", {spread(element, {12, 8}), dy});
    add("DivGrad", {dy, spread(element, {4, 3, 8}), spread(element, {4, 3, 8}, 1, 4)}, 2);
    // Shares are summed in float here, and in double on the CPU.
    const double tolerance = element == ElementType::float64 ? 1e-13 : 1e-3;
    for (const Dims& divisor : {Dims{}, Dims{8}, Dims{4, 1, 8}, Dims{1, 3, 1}}) {
      add("DivGrad", {dy, spread(element, {3, 8}), spread(element, divisor, 1, 4)}, 2);
      cases.back().tolerance = element == ElementType::float32 ? 2e-6 : tolerance;
    }
  }
  expect_as_on_cpu(cases);
}

}  // namespace legacy_gradient_test
}  // namespace stashscope::testing_run
