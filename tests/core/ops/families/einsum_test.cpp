// The gradient rule of Einsum.

#include <gtest/gtest.h>

#include "core/passes/infer_shapes.h"
#include "core/passes/training_step.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace einsum_test {

using Dims = std::vector<test::ModelBuilder::Dim>;

/// Why there is no gradient of the weight w in the mean of an Einsum of x and w; empty if there is
/// one.
std::string no_gradient(const std::string& equation, const Dims& x,
                        const std::vector<std::int64_t>& w) {
  test::ModelBuilder m;
  m.input("x", x).weight("w", w);
  m.node("Einsum", {"x", "w"}, {"y"}, {{"equation", equation}});
  m.node("ReduceMean", {"y"}, {"loss"}, {{"keepdims", std::int64_t{0}}}).output("loss");
  return prepare_training_step(infer_shapes(m.build()), {}).no_backward;
}

TEST(Einsum, HasNoGradientRuleForBroadcastAxes) {
  for (const std::string& refused :
       {no_gradient("ij,jk->ik", {2, 3}, {1, 4}), no_gradient("ij,jk->ik", {2, "N"}, {1, 4}),
        no_gradient("ij,jk->ik", {2, 1}, {3, 4}),
        no_gradient("bij,bjk->bik", {8, 2, 3}, {1, 3, 4})}) {
    EXPECT_NE(refused.find("axis of size 1 that is broadcast"), std::string::npos) << refused;
  }
}

TEST(Einsum, HasGradientsBesideABroadcastOperandWithoutGradient) {
  EXPECT_EQ(no_gradient("ij,jk->ik", {2, 3}, {3, 4}), "");
  EXPECT_EQ(no_gradient("ij,jk->ik", {2, 1}, {1, 4}), "");
  EXPECT_EQ(no_gradient("bij,bjk->bik", {1, 2, 3}, {8, 3, 4}), "");
}

}  // namespace einsum_test
}  // namespace stashscope
