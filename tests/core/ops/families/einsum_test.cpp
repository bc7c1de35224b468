// The gradient rule of Einsum.

#include <gtest/gtest.h>

#include "core/passes/infer_shapes.h"
#include "core/passes/training_step.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace einsum_test {

/// Why there is no gradient of the weight w in mean(x w), for x[2, N]; empty if there is one.
std::string no_gradient(const test::ModelBuilder::Dim& n, std::int64_t rows) {
  test::ModelBuilder m;
  m.input("x", {2, n}).weight("w", {rows, 4});
  m.node("Einsum", {"x", "w"}, {"y"}, {{"equation", std::string("ij,jk->ik")}});
  m.node("ReduceMean", {"y"}, {"loss"}, {{"keepdims", std::int64_t{0}}}).output("loss");
  return prepare_training_step(infer_shapes(m.build()), {}).no_backward;
}

TEST(Einsum, HasNoGradientRuleForBroadcastAxes) {
  for (const std::string& refused : {no_gradient(3, 1), no_gradient("N", 1), no_gradient(1, 3)}) {
    EXPECT_NE(refused.find("axis of size 1 that is broadcast"), std::string::npos) << refused;
  }
  EXPECT_EQ(no_gradient(3, 3), "");
  EXPECT_EQ(no_gradient(1, 1), "");
}

}  // namespace einsum_test
}  // namespace stashscope
