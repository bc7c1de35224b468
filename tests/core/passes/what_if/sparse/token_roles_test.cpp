// What becomes of the axes of tokens in a reshape.

#include "core/passes/what_if/sparse/token_roles.h"

#include <gtest/gtest.h>

namespace stashscope {
namespace token_roles_test {

using enum AxisRole;
using Roles = std::vector<AxisRole>;

class ReshapedRoles : public testing::Test {
 protected:
  std::optional<Roles> of(const Shape& from, const Roles& roles, const Shape& to) const {
    return reshaped_roles(from, roles, to, b_);
  }

  SymbolTable symbols_;
  Expr b_ = Expr::symbol(symbols_.intern("B"));
  Expr s_ = Expr::symbol(symbols_.intern("S"));
};

TEST_F(ReshapedRoles, FollowHeads) {
  EXPECT_EQ(of({b_, s_, 64}, {batch, row, plain}, {b_, s_, 4, 16}),
            (Roles{batch, row, plain, plain}));
  EXPECT_EQ(of({b_, s_, 4, 16}, {batch, row, plain, plain}, {b_, s_, 64}),
            (Roles{batch, row, plain}));
  EXPECT_EQ(of({b_, 6, s_, s_}, {batch, plain, row, key}, {b_ * 6, s_, s_}),
            (Roles{batch, row, key}));
  EXPECT_EQ(of({b_ * 6, s_, s_}, {batch, row, key}, {b_, 6, s_, s_}),
            (Roles{batch, plain, row, key}));
}

TEST_F(ReshapedRoles, MergeSequences) {
  EXPECT_EQ(of({b_, s_, 8}, {batch, row, plain}, {b_ * s_, 8}), (Roles{tokens, plain}));
  EXPECT_EQ(of({b_ * s_, 8}, {tokens, plain}, {b_, s_, 8}), (Roles{batch, row, plain}));
  EXPECT_EQ(of({b_, s_ - 1, 8}, {batch, row, plain}, {b_ * (s_ - 1), 8}), (Roles{tokens, plain}));
}

TEST_F(ReshapedRoles, KeepThePlacesOfAxesOfOneElement) {
  EXPECT_EQ(of({b_, s_}, {batch, key}, {b_, 1, 1, s_}), (Roles{batch, plain, plain, key}));
  EXPECT_EQ(of({b_, 1, 1, s_}, {batch, plain, plain, key}, {b_, s_, 1}),
            (Roles{batch, key, plain}));
}

TEST_F(ReshapedRoles, AreUnknownForAxesThatMix) {
  EXPECT_EQ(of({b_, s_, 8}, {batch, row, plain}, {b_, s_ * 8}), std::nullopt);
  EXPECT_EQ(of({s_, b_, 8}, {row, batch, plain}, {s_ * b_, 8}), std::nullopt);
  EXPECT_EQ(of({b_, 6, s_}, {plain, plain, row}, {b_ * 6 * s_}), std::nullopt);
  EXPECT_EQ(of({6, b_, s_}, {plain, batch, row}, {b_ * 6, s_}), std::nullopt)
      << "heads before the batch";
  EXPECT_EQ(of({b_ * s_, 8}, {tokens, plain}, {s_, b_, 8}), std::nullopt);
  EXPECT_EQ(of({b_ * 6, s_, 8}, {batch, row, plain}, {b_ * 6 * s_, 8}), std::nullopt)
      << "positions behind heads";
}

TEST(TokenState, KnowsRows) {
  EXPECT_EQ((TokenState{{batch, row, plain}}.leading()), 2U);
  EXPECT_EQ((TokenState{{tokens, plain}}.leading()), 1U);
  EXPECT_EQ((TokenState{{batch, plain, row}}.leading()), 0U);
  EXPECT_EQ((TokenState{{batch, row, key}}.leading()), 0U);
  EXPECT_EQ((TokenState{{batch, plain, row, key}}.from_end(row)), 2U);
  EXPECT_EQ((TokenState{{batch, row}}.from_end(key)), 0U);
}

}  // namespace token_roles_test
}  // namespace stashscope
