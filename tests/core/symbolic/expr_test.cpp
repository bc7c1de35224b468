#include "core/symbolic/expr.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace stashscope {
namespace expr_test {

class ExprTest : public testing::Test {
 protected:
  Expr symbol(const std::string& name) { return Expr::symbol(symbols.intern(name)); }
  Expr parsed(const std::string& text) { return parse_expr(text, symbols).value(); }
  std::string text(const Expr& e) { return to_string(e, symbols); }
  std::optional<std::int64_t> value(const Expr& e, std::map<std::string, std::int64_t> dims) {
    Bindings bindings(symbols.size());
    for (const auto& [name, number] : dims) bindings[symbols.intern(name)] = number;
    return e.evaluate(bindings);
  }
  SymbolTable symbols;
  Expr B = symbol("B");
  Expr S = symbol("S");
};

TEST_F(ExprTest, EqualPolynomialsAreEqual) {
  EXPECT_EQ((B + S) * (B - S), B * B - S * S);
  EXPECT_EQ(B - B, Expr(0));
  EXPECT_NE(B * S, B + S);
}

TEST_F(ExprTest, PrintsFactored) {
  EXPECT_EQ(text(B * S - B), "B*(S - 1)");
  EXPECT_EQ(text(Expr(16) * B), "16*B");
  EXPECT_EQ(text(S - Expr(1)), "S - 1");
  EXPECT_EQ(text(Expr(2) * S + Expr(4)), "2*S + 4");
  EXPECT_EQ(text(-B * S * S), "-B*S**2");
  EXPECT_EQ(text(*divide(B, 2)), "B/2");
  EXPECT_EQ(text(Expr(1) - S), "-S + 1");
}

TEST_F(ExprTest, DividesExactly) {
  EXPECT_EQ(*divide(B * S * Expr(12) - B * Expr(12), S - Expr(1)), B * Expr(12));
  EXPECT_EQ(*divide(B * B - S * S, B + S), B - S);
  EXPECT_FALSE(divide(B * S + Expr(1), B));
}

TEST_F(ExprTest, ASumOfManyTermsIsDividedByItsCommonFactor) {
  Expr sum = 1;
  for (const char* const name : {"a", "b", "c", "d", "e", "f", "g"}) {
    sum = sum * (symbol(name) + Expr(1));
  }
  EXPECT_EQ(divide(B * sum, B), sum);
  EXPECT_EQ(text(B * sum), "B*(" + text(sum) + ")");
  EXPECT_FALSE(divide(B * sum + Expr(1), B));
}

TEST_F(ExprTest, EqualRoundingsAreEqual) {
  EXPECT_EQ(floor_divide(S - Expr(1), 2) + Expr(1), floor_divide(S + Expr(1), 2));
  EXPECT_EQ(ceil_divide(S, 2), floor_divide(S + Expr(1), 2));
  EXPECT_EQ(floor_divide(Expr(4) * S, 4), S);
  EXPECT_EQ(floor_divide(Expr(4) * S + Expr(3), 4), S);
  EXPECT_EQ(floor_divide(floor_divide(S, 2), 2), floor_divide(S, 4));
  EXPECT_EQ(text(floor_divide(S + Expr(1), 2)), "floor((S + 1)/2)");
}

TEST_F(ExprTest, ExtremesDropWhatCannotWin) {
  EXPECT_EQ(minimum(S, S + Expr(1)), S);
  EXPECT_EQ(maximum(S * B, S), S * B);
  EXPECT_EQ(maximum(S - Expr(1), 0), S - Expr(1));
  EXPECT_EQ(text(minimum(S, 64)), "min(64, S)");
  EXPECT_EQ(minimum(minimum(S, 64), 64), minimum(64, S));
}

TEST_F(ExprTest, ProvesSigns) {
  EXPECT_TRUE(is_nonnegative(B * (S - Expr(1))));
  EXPECT_FALSE(is_positive(B * (S - Expr(1))));
  EXPECT_TRUE(is_positive(B * S + Expr(1)));
  EXPECT_FALSE(is_nonnegative(B - S));
}

TEST_F(ExprTest, AMinimumOfFractionsMayBeBelowOne) {
  const Expr scale = minimum(*divide(B, 224), *divide(S, 224));
  ASSERT_EQ(value(Expr(448) * scale, {{"B", 1}, {"S", 1}}), 2);
  EXPECT_TRUE(is_positive(scale));
  EXPECT_FALSE(is_nonnegative(scale - *divide(Expr(1), 2)));
  EXPECT_FALSE(is_positive(B * scale - *divide(Expr(1), 2)));
  EXPECT_EQ(maximum(scale, *divide(Expr(1), 2)), maximum(*divide(Expr(1), 2), scale));
  EXPECT_FALSE(maximum(scale, *divide(Expr(1), 2)) == scale);
  EXPECT_TRUE(is_nonnegative(minimum(B, S) - Expr(1)));
  EXPECT_TRUE(is_positive(maximum(scale, B) - *divide(Expr(1), 2)));
}

TEST_F(ExprTest, EvaluatesAndSaysWhatIsMissing) {
  EXPECT_EQ(value(B * (S - Expr(1)), {{"B", 3}, {"S", 17}}), 48);
  EXPECT_EQ(value(B * S, {{"B", 3}}), std::nullopt);
  EXPECT_EQ(value(minimum(S, 64) + floor_divide(S, B), {{"B", 3}, {"S", 100}}), 64 + 33);
}

TEST_F(ExprTest, OverflowIsAnErrorNotANumber) {
  const Expr huge = B * B * B * B;
  EXPECT_THROW(value(huge, {{"B", 1LL << 40}}), Error);
  Expr grows = B + S + Expr(1);
  EXPECT_THROW(
      {
        for (int i = 0; i < 20; ++i) grows = grows * grows;
      },
      ExpressionTooLarge);
  EXPECT_THROW(-Rational(std::numeric_limits<std::int64_t>::min()), ExpressionTooLarge);
}

TEST_F(ExprTest, Substitutes) {
  const auto replacement = [&](SymbolId symbol) {
    return symbols.name(symbol) == "S" ? std::optional(B + Expr(1)) : std::nullopt;
  };
  EXPECT_EQ((B * S).substitute(replacement), B * B + B);
  EXPECT_EQ(minimum(S, 64).substitute(replacement), minimum(B + Expr(1), 64));
}

TEST_F(ExprTest, ParsesWhatItPrints) {
  const std::vector<Expr> examples = {
      B * (S - Expr(1)),   floor_divide(S + Expr(3), 4),     minimum(S, 1024),  floor_divide(B, S),
      B * B * S + Expr(7), floor_divide(B + Expr(1), S * B), -B + *divide(S, 3)};
  for (const Expr& example : examples) EXPECT_EQ(parsed(text(example)), example) << text(example);
}

TEST_F(ExprTest, ParsesOtherToolsSpellings) {
  EXPECT_EQ(parsed("(B)*(S - 1)"), B * (S - Expr(1)));
  EXPECT_EQ(parsed("floor(S/2 + 1/2)"), floor_divide(S + Expr(1), 2));
  EXPECT_EQ(parsed("S // 2"), floor_divide(S, 2));
  EXPECT_EQ(parsed("Max(0, S - 1)"), S - Expr(1));
}

TEST_F(ExprTest, OtherTextIsNoExpression) {
  for (const char* name : {"", "batch size", "seq-len", "f(x)", "__import__('os')", "a + ", "(a",
                           "1_dim", "MatMuloutput-1_dim_0", "a/0", "日本", "a.b", "S**-1"}) {
    EXPECT_FALSE(parse_expr(name, symbols)) << name;
  }
  EXPECT_FALSE(parse_expr(std::string(2000, '('), symbols));
}

/// A random expression, and the value of the same tree computed directly on numbers.
struct Sample {
  Expr expr;
  std::int64_t value;
};

Sample random_sample(std::mt19937& random, const std::vector<Sample>& leaves, int depth) {
  if (depth == 0 || random() % 4 == 0) {
    if (random() % 3 == 0) {
      const auto number = static_cast<std::int64_t>(random() % 9) - 3;
      return {number, number};
    }
    return leaves[random() % leaves.size()];
  }
  const Sample a = random_sample(random, leaves, depth - 1);
  const Sample b = random_sample(random, leaves, depth - 1);
  switch (random() % 6) {
    case 0:
      return {a.expr + b.expr, a.value + b.value};
    case 1:
      return {a.expr - b.expr, a.value - b.value};
    case 2:
      return {a.expr * b.expr, a.value * b.value};
    case 3:
      return {minimum(a.expr, b.expr), std::min(a.value, b.value)};
    case 4:
      return {maximum(a.expr, b.expr), std::max(a.value, b.value)};
    default: {
      const auto divisor = static_cast<std::int64_t>(random() % 5) + 1;
      const std::int64_t rounded = Rational::ratio(a.value, divisor).floor();
      return {floor_divide(a.expr, divisor), rounded};
    }
  }
}

TEST_F(ExprTest, RandomExpressionsKeepTheirValue) {
  std::mt19937 random(7);
  for (int round = 0; round < 4000; ++round) {
    const auto b = static_cast<std::int64_t>(random() % 7) + 1;
    const auto s = static_cast<std::int64_t>(random() % 50) + 1;
    const Sample sample = random_sample(random, {{B, b}, {S, s}}, 4);
    ASSERT_EQ(value(sample.expr, {{"B", b}, {"S", s}}), sample.value) << text(sample.expr);
    if (is_nonnegative(sample.expr)) {
      ASSERT_GE(sample.value, 0) << text(sample.expr);
    }
    const Factored parts = factor(sample.expr);
    ASSERT_EQ(Expr::from_terms({{parts.number, parts.common}}) * parts.rest, sample.expr);
    ASSERT_EQ(parsed(text(sample.expr)), sample.expr) << text(sample.expr);
  }
}

}  // namespace expr_test
}  // namespace stashscope
