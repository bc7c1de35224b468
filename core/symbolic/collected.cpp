#include "core/symbolic/collected.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/text.h"
#include "core/symbolic/print_order.h"

namespace stashscope {

namespace {

struct ExprLess {
  bool operator()(const Expr& a, const Expr& b) const { return Expr::order(a, b) < 0; }
};
/// Powers by factor. A factor is an atom (a name or a function) or a sum without a common factor.
using FactorPowers = std::map<Expr, std::int64_t, ExprLess>;

struct Product {
  Rational coefficient;
  FactorPowers factors;
};

struct DimsLess {
  bool operator()(const std::vector<Expr>& a, const std::vector<Expr>& b) const {
    return std::ranges::lexicographical_compare(a, b, ExprLess());
  }
};

/// Adds up the products of the same dims first, because factoring is the expensive step.
std::vector<SizeProduct> merged(const std::vector<SizeProduct>& products) {
  std::vector<SizeProduct> result;
  std::map<std::vector<Expr>, std::size_t, DimsLess> places;
  for (const SizeProduct& product : products) {
    const auto [place, is_new] = places.try_emplace(product.dims, result.size());
    if (is_new) {
      result.push_back(product);
    } else {
      Rational& sum = result[place->second].coefficient;
      sum = sum + product.coefficient;
    }
  }
  return result;
}

/// Multiplies the sums among `factors` with each other if their product has at most two terms:
/// (c + 1)*(c - 1) becomes c**2 - 1.
void multiply_out_sums(FactorPowers& factors) {
  Expr product = 1;
  std::size_t sums = 0;
  for (const auto& [factor_, power] : factors) {
    if (factor_.terms().size() < 2 || power != 1) continue;
    product = product * factor_;
    ++sums;
  }
  if (sums < 2 || product.terms().size() > 2) return;
  std::erase_if(factors, [](const auto& entry) {
    return entry.first.terms().size() > 1 && entry.second == 1;
  });
  ++factors[product];
}

Product factored(const SizeProduct& product) {
  Product result{product.coefficient, {}};
  for (const Expr& dim : product.dims) {
    const Factored parts = factor(dim);
    result.coefficient = result.coefficient * parts.number;
    for (const Factor& f : parts.common) {
      result.factors[Expr::from_terms({{Rational(1), {Factor{f.atom, 1}}}})] += f.power;
    }
    if (!parts.rest.is(1)) ++result.factors[parts.rest];
  }
  multiply_out_sums(result.factors);
  return result;
}

/// Adds up the products with equal factors and drops products that cancel.
std::vector<Product> collected(const std::vector<SizeProduct>& products) {
  std::vector<Product> groups;
  for (const SizeProduct& product : merged(products)) {
    Product next = factored(product);
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Product& group) {
      return group.factors == next.factors;
    });
    if (same == groups.end()) {
      groups.push_back(std::move(next));
    } else {
      same->coefficient = same->coefficient + next.coefficient;
    }
  }
  std::erase_if(groups, [](const Product& group) { return group.coefficient.is_zero(); });
  return groups;
}

FactorPowers common_factors(const std::vector<Product>& groups) {
  FactorPowers common = groups[0].factors;
  for (const Product& group : groups) {
    for (auto& [factor_, power] : common) {
      const auto found = group.factors.find(factor_);
      power = found == group.factors.end() ? 0 : std::min(power, found->second);
    }
  }
  std::erase_if(common, [](const auto& entry) { return entry.second == 0; });
  return common;
}

/// The product without the factors in `common`, expanded.
Expr expanded_rest(const Product& group, const FactorPowers& common) {
  Expr rest = group.coefficient;
  for (const auto& [factor_, power] : group.factors) {
    const auto taken = common.find(factor_);
    const std::int64_t left = power - (taken == common.end() ? 0 : taken->second);
    for (std::int64_t i = 0; i < left; ++i) rest = rest * factor_;
  }
  return rest;
}

/// `number` with 15 significant digits and at least one decimal. It never has an exponent, which
/// SymPy writes below 0.0001. `strip` removes trailing zeros
/// after the first decimal (`640.0`).
std::string float_text(Rational number, bool strip) {
  const double value = number.to_double();
  // Negative if zeros follow the point.
  const int before_point =
      value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  std::string text = format_fixed(value, std::max(1, 15 - before_point));
  if (strip) {
    while (text.ends_with('0') && !text.ends_with(".0")) text.pop_back();
  }
  return text;
}

std::string collected_product_text(Rational coefficient, const std::vector<std::string>& factors) {
  std::string text;
  if (factors.empty()) return float_text(coefficient, true);
  text = float_text(coefficient, true);
  for (const std::string& f : factors) text += "*" + f;
  return text;
}

std::string sum_text(const Expr& sum, const SymbolTable& symbols, bool with_floats) {
  std::string text;
  for (const PrintedTerm& term : printed_terms(sum, symbols)) {
    const bool negative = term.coefficient.sign() < 0;
    const Rational size = negative ? -term.coefficient : term.coefficient;
    const bool bare = !with_floats && size == Rational(1) && !term.factors.empty();
    const bool whole = !with_floats && size.is_integer();
    std::string product = collected_product_text(size, term.factors);
    if (bare) {
      product = join(term.factors, "*");
    } else if (whole) {
      product = std::to_string(size.numerator());
      for (const std::string& f : term.factors) product += "*" + f;
    }
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    text += product;
  }
  return text;
}

/// The texts of factors: names in alphabetical order, then sums, such as `B`, `S**2`, `(S - 1)`.
std::vector<std::string> texts_of(const FactorPowers& factors, const SymbolTable& symbols) {
  std::vector<std::string> names;
  std::vector<std::string> sums;
  for (const auto& [factor_, power] : factors) {
    const bool is_sum = factor_.terms().size() > 1;
    const std::string text =
        is_sum ? "(" + sum_text(factor_, symbols, false) + ")" : to_string(factor_, symbols);
    (is_sum ? sums : names).push_back(power == 1 ? text : text + "**" + std::to_string(power));
  }
  std::sort(names.begin(), names.end());
  std::sort(sums.begin(), sums.end());
  names.insert(names.end(), sums.begin(), sums.end());
  return names;
}

bool equal_coefficients(const Expr& sum) {
  const std::vector<Term> terms = sum.terms();
  const auto size = [](Rational r) { return r.sign() < 0 ? -r : r; };
  return std::all_of(terms.begin(), terms.end(), [&](const Term& term) {
    return size(term.coefficient) == size(terms[0].coefficient);
  });
}

/// The text of `common` * `sum`. Common factors of the terms of `sum` move in front of the sum. If
/// there is any common factor and the coefficients of all terms have the same absolute value, this
/// value moves in front, too.
std::string common_times_sum(FactorPowers common, const Expr& sum, const SymbolTable& symbols) {
  const Factored parts = factor(sum);
  for (const Factor& f : parts.common) {
    common[Expr::from_terms({{Rational(1), {Factor{f.atom, 1}}}})] += f.power;
  }
  if (parts.rest.is(1)) return collected_product_text(parts.number, texts_of(common, symbols));
  const Expr rest = parts.rest * Expr(parts.number);
  if (common.empty()) return sum_text(rest, symbols, true);
  if (equal_coefficients(parts.rest)) {
    ++common[parts.rest];
    return collected_product_text(parts.number, texts_of(common, symbols));
  }
  return join(texts_of(common, symbols), "*") + "*(" + sum_text(rest, symbols, true) + ")";
}

}  // namespace

std::string collected_text(const std::vector<SizeProduct>& products, const SymbolTable& symbols) {
  const std::vector<Product> groups = collected(products);
  if (groups.empty()) return "0";
  if (groups.size() == 1 && groups[0].factors.empty()) {
    return float_text(groups[0].coefficient, false);
  }
  const FactorPowers common = common_factors(groups);
  const bool lone_sum = groups.size() == 1 && common.size() == 1 && common.begin()->second == 1 &&
                        common.begin()->first.terms().size() > 1;
  if (lone_sum) return sum_text(expanded_rest(groups[0], {}), symbols, true);
  if (groups.size() == 1) {
    return collected_product_text(groups[0].coefficient, texts_of(common, symbols));
  }
  Expr sum = 0;
  for (const Product& group : groups) sum = sum + expanded_rest(group, common);
  return common_times_sum(common, sum, symbols);
}

}  // namespace stashscope
