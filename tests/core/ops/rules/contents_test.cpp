// The inferred elements of small tensors equal those of a run.

#include "core/ops/rules/contents.h"

#include <gtest/gtest.h>

#include "core/passes/infer_shapes.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace contents_test {

using test::ModelBuilder;

std::string item_text(const std::optional<Expr>& item) {
  return item ? to_string(*item, SymbolTable()) : "none";
}

TEST(StoredItem, IsRoundedAsItsTypeRounds) {
  const Expr third(Rational::ratio(1, 3));
  EXPECT_EQ(stored_item(third, ElementType::float32), exact_expr(double{1.0F / 3.0F}));
  EXPECT_EQ(stored_item(third, ElementType::float64), exact_expr(1.0 / 3.0));
  EXPECT_EQ(stored_item(third, ElementType::float16), exact_expr(0.333251953125));
  EXPECT_EQ(stored_item(third, ElementType::bfloat16), exact_expr(0.333984375));
}

TEST(StoredItem, OfAnIntegerTypeFitsOrIsNotKnown) {
  EXPECT_EQ(item_text(stored_item(255, ElementType::uint8)), "255");
  EXPECT_EQ(item_text(stored_item(256, ElementType::uint8)), "none");
  EXPECT_EQ(item_text(stored_item(-1, ElementType::uint8)), "none");
  EXPECT_EQ(item_text(stored_item(-128, ElementType::int8)), "-128");
  EXPECT_EQ(item_text(stored_item(128, ElementType::int8)), "none");
  EXPECT_EQ(item_text(stored_item(INT64_MAX, ElementType::int64)), std::to_string(INT64_MAX));
  EXPECT_EQ(item_text(stored_item(-1, ElementType::uint64)), "none");
  EXPECT_EQ(item_text(stored_item(2, ElementType::boolean)), "none");
  EXPECT_EQ(item_text(stored_item(Rational::ratio(1, 2), ElementType::int32)), "none");
}

TEST(ExactExpr, IsNotKnownBeyond64Bits) {
  EXPECT_EQ(item_text(exact_expr(0x1p20)), "1048576");
  EXPECT_EQ(item_text(exact_expr(0x1.fffffffffffffp62)),
            std::to_string(static_cast<std::int64_t>(0x1.fffffffffffffp62)));
  EXPECT_EQ(item_text(exact_expr(0x1p63)), "none");
  EXPECT_EQ(item_text(exact_expr(0x1.fffffffffffffp70)), "none");
  EXPECT_EQ(item_text(exact_expr(-0x1.fffffffffffffp70)), "none");
}

TEST(SimplestFraction, IsWhatTheAuthorMeant) {
  const auto simplest = [](float number) {
    return item_text(simplest_fraction(*exact_expr(double{number})));
  };
  EXPECT_EQ(simplest_fraction(*exact_expr(double{0.7F})), Expr(Rational::ratio(7, 10)));
  EXPECT_EQ(simplest_fraction(*exact_expr(double{1.0F / 3})), Expr(Rational::ratio(1, 3)));
  EXPECT_EQ(simplest_fraction(*exact_expr(double{-0.1F})), Expr(Rational::ratio(-1, 10)));
  EXPECT_EQ(simplest(2), "2");
  const Expr odd = *exact_expr(double{1.2345678e-6F});
  EXPECT_EQ(simplest_fraction(odd), odd) << "nothing simple rounds to it";
}

Tensor singles(const std::vector<std::int64_t>& dims, const std::vector<float>& items) {
  const auto* const raw = reinterpret_cast<const char*>(items.data());
  return {ElementType::float32, dims, std::string(raw, items.size() * sizeof(float))};
}

std::string contents_of(const ModelBuilder& model, const std::string& name) {
  const Graph graph = infer_shapes(model.build());
  const auto& contents = graph.value(test::id_of(graph, name)).contents;
  if (!contents) return "none";
  std::string text;
  for (const Expr& item : *contents) text += to_string(item, graph.symbols()) + ";";
  return text;
}

/// floor(size * 0.7), as exporters write a scaled size.
ModelBuilder scaled_size(const ModelBuilder::Dim& size) {
  ModelBuilder m;
  m.input("x", {size}).constant("scale", singles({1}, {0.7F}));
  m.node("Shape", {"x"}, {"size"}).node("Cast", {"size"}, {"real"}, {{"to", std::int64_t{1}}});
  m.node("Mul", {"real", "scale"}, {"scaled"}).node("Floor", {"scaled"}, {"whole"});
  return m;
}

TEST(Contents, OfAScaledSizeAreThoseOfFloatArithmetic) {
  EXPECT_EQ(contents_of(scaled_size(10), "whole"), "7;") << "10 * 0.7F is 7.0F";
  EXPECT_EQ(contents_of(scaled_size("W"), "whole"), "floor(7*W/10);");
}

TEST(Contents, OfIntegersThatOverflowAreNotKnown) {
  ModelBuilder m;
  m.int64s("big", {100000}).node("Cast", {"big"}, {"a"}, {{"to", std::int64_t{6}}});
  m.node("Mul", {"a", "a"}, {"square"});
  EXPECT_EQ(contents_of(m, "a"), "100000;");
  EXPECT_EQ(contents_of(m, "square"), "none");
}

TEST(Contents, AreAsManyAsTheShapeSays) {
  ModelBuilder m;
  Tensor flags(ElementType::boolean, {2}, std::string("\1\0", 2));
  m.constant("c", std::move(flags)).constant("yes", singles({2, 1}, {1, 2}));
  m.constant("no", singles({}, {3})).node("Where", {"c", "yes", "no"}, {"y"});
  EXPECT_EQ(contents_of(m, "y"), "none") << "the result has four elements";
}

}  // namespace contents_test
}  // namespace stashscope
