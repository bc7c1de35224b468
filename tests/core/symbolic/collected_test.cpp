#include "core/symbolic/collected.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace stashscope {
namespace collected_test {

class Collected : public testing::Test {
 protected:
  SizeProduct product(std::int64_t coefficient, const std::vector<std::string>& dims) {
    SizeProduct result{coefficient, {}};
    for (const std::string& dim : dims) result.dims.push_back(*parse_expr(dim, symbols));
    return result;
  }
  std::string text(const std::vector<SizeProduct>& products) {
    return collected_text(products, symbols);
  }
  SymbolTable symbols;
};

TEST_F(Collected, EqualProductsAreAddedAndStayFactored) {
  EXPECT_EQ(text({product(64, {"B", "S", "S - 1"}), product(64, {"B", "S", "S - 1"})}),
            "128.0*B*S*(S - 1)");
}

TEST_F(Collected, DifferentProductsShareTheirCommonFactors) {
  EXPECT_EQ(text({product(320, {"B", "S", "S"}), product(64, {"B", "S - 1", "S"})}),
            "B*S*(384.0*S - 64.0)");
}

TEST_F(Collected, EqualCoefficientsComeOut) {
  EXPECT_EQ(text({product(4, {"b", "a"}), product(4, {"b", "z"})}), "4.0*b*(a + z)");
}

TEST_F(Collected, PureNumberHasFifteenDigits) {
  EXPECT_EQ(text({product(2048, {})}), "2048.00000000000");
  EXPECT_EQ(text({{Rational::ratio(1, 2), {}}}), "0.500000000000000");
  EXPECT_EQ(text({{Rational::ratio(1, 20), {}}}), "0.0500000000000000");
}

/// Splits ONNX Runtime's raw text `((((a)*(b)) * 4 * 0.5)) + ...` into products.
std::vector<SizeProduct> parse_raw(const std::string& raw, SymbolTable& symbols) {
  std::vector<SizeProduct> products;
  const auto strip = [](std::string s) {
    const auto first = s.find_first_not_of(' ');
    return s.substr(first, s.find_last_not_of(' ') - first + 1);
  };
  // Top-level operands, separated by `separator` outside parentheses.
  const auto operands = [&](const std::string& s, const std::string& separator) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      depth += s[i] == '(' ? 1 : s[i] == ')' ? -1 : 0;
      if (depth == 0 && s.compare(i, separator.size(), separator) == 0) {
        parts.emplace_back();
        i += separator.size() - 1;
      } else {
        parts.back() += s[i];
      }
    }
    return parts;
  };
  const auto unwrap = [&](std::string s) {
    s = strip(s);
    while (s.front() == '(' && s.back() == ')' &&
           operands(s.substr(1, s.size() - 2), ")(").size() == 1) {
      int depth = 0;
      bool whole = true;
      for (std::size_t i = 0; i + 1 < s.size(); ++i) {
        depth += s[i] == '(' ? 1 : s[i] == ')' ? -1 : 0;
        if (depth == 0) whole = false;
      }
      if (!whole) break;
      s = strip(s.substr(1, s.size() - 2));
    }
    return s;
  };
  for (const std::string& summand : operands(raw, " + ")) {
    const std::vector<std::string> parts = operands(unwrap(summand), " * ");
    SizeProduct product;
    const double ratio = std::stod(parts[2]);
    product.coefficient = Rational(std::stoll(parts[1])) *
                          Rational::ratio(static_cast<std::int64_t>(ratio * 1000000), 1000000);
    for (const std::string& dim : operands(unwrap(parts[0]), "*")) {
      const auto expr = parse_expr(unwrap(dim), symbols);
      if (!expr) throw std::runtime_error("cannot parse " + dim);
      product.dims.push_back(*expr);
    }
    products.push_back(product);
  }
  return products;
}

TEST(CollectedReference, MatchesThePublishedExamples) {
  std::ifstream file(STASHSCOPE_SHARED "/cases/recompute/symbolic_examples.json");
  if (!file) GTEST_SKIP() << "no shared/cases";
  const auto cases = nlohmann::json::parse(file);
  int compared = 0;
  for (const char* group : {"examples", "random"}) {
    for (const auto& example : cases[group]) {
      if (!example.value("simple_rule_agrees", true)) continue;
      SymbolTable symbols;
      const std::string raw = example["raw"];
      EXPECT_EQ(collected_text(parse_raw(raw, symbols), symbols), example["symbolic"]) << raw;
      ++compared;
    }
  }
  EXPECT_GT(compared, 40);
}

}  // namespace collected_test
}  // namespace stashscope
