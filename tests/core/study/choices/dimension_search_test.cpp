#include "core/study/choices/dimension_search.h"

#include <gtest/gtest.h>

namespace stashscope {
namespace dimension_search_test {

class DimensionSearch : public testing::Test {
 protected:
  DimensionSearch() : values(3) {
    for (const SymbolId symbol : symbols) values[symbol] = 1;
  }
  Expr dim(std::size_t index) const { return Expr::symbol(symbols[index]); }
  void repair() { repair_dimensions(constraints, symbols, values); }
  bool is_satisfied() const { return broken_constraint(constraints, values) == nullptr; }

  std::vector<SymbolId> symbols = {SymbolId(0), SymbolId(1), SymbolId(2)};
  Bindings values;
  std::vector<Constraint> constraints;
};

TEST_F(DimensionSearch, OneSizeIsChanged) {
  constraints = {{dim(0) * 3, 96, NodeId(0)}};
  repair();
  EXPECT_EQ(values[symbols[0]], 32);
}

TEST_F(DimensionSearch, NumbersOfTheConstraintsAreTried) {
  constraints = {{dim(0), 1500, NodeId(0)}};
  repair();
  EXPECT_EQ(values[symbols[0]], 1500);
}

TEST_F(DimensionSearch, TwoSizesChangeTogether) {
  constraints = {{floor_divide(dim(0), 24) * dim(1), dim(0), NodeId(0)}};
  repair();
  EXPECT_TRUE(is_satisfied());
  EXPECT_EQ(values[symbols[2]], 1);
}

TEST_F(DimensionSearch, OtherConstraintsKeepHolding) {
  constraints = {{dim(0), dim(1), NodeId(0)}, {dim(0) + dim(1), 8, NodeId(1)}};
  repair();
  EXPECT_TRUE(is_satisfied());
  EXPECT_EQ(values[symbols[0]], 4);
}

TEST_F(DimensionSearch, WhatCannotHoldStaysAsItIs) {
  constraints = {{dim(0) * 2, 7, NodeId(0)}};
  repair();
  EXPECT_EQ(values[symbols[0]], 1);
  EXPECT_EQ(broken_constraint(constraints, values), &constraints[0]);
}

TEST_F(DimensionSearch, UnboundSymbolsBreakNothing) {
  constraints = {{dim(0), 7, NodeId(0)}};
  values[symbols[0]].reset();
  EXPECT_TRUE(is_satisfied());
}

}  // namespace dimension_search_test
}  // namespace stashscope
