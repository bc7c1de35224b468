// Kernels whose results are simple to give by hand.

#include "one_node.h"

namespace stashscope {
namespace exact_kernels_test {

using namespace testing_run;  // NOLINT: the test's own helpers

using Numbers = std::vector<double>;

/// With one key dimension the state is a row, which each rule changes in its way.
TEST(LinearAttention, FollowsItsRule) {
  const Tensor q = doubles({1, 2, 1}, {1, 2});
  const Tensor k = doubles({1, 2, 1}, {1, 3});
  const Tensor v = doubles({1, 2, 1}, {5, 7});
  const Tensor decay = doubles({1, 2, 1}, {0, std::log(0.5)});
  const Tensor rate = doubles({1, 2, 1}, {1, 0.5});
  const auto run = [&](const char* rule, const Tensor& decays, const Tensor& rates) {
    return result_of({"LinearAttention",
                      {q, k, v, {}, decays, rates},
                      {{"q_num_heads", std::int64_t{1}},
                       {"kv_num_heads", std::int64_t{1}},
                       {"scale", 1.0F},
                       {"update_rule", std::string(rule)}},
                      27});
  };
  EXPECT_EQ(run("linear", {}, {}), (Numbers{5, 52}));
  EXPECT_EQ(run("gated", decay, {}), (Numbers{5, 47}));
  EXPECT_EQ(run("delta", {}, rate), (Numbers{5, -14}));
  EXPECT_EQ(run("gated_delta", decay, rate), (Numbers{5, 3.5}));
}

}  // namespace exact_kernels_test
}  // namespace stashscope
