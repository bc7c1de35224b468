#include <algorithm>

#include "core/symbolic/expr.h"
#include "core/symbolic/print_order.h"

namespace stashscope {

namespace {

std::string parenthesized(const std::string& text, bool needed) {
  return needed ? "(" + text + ")" : text;
}

std::string function_text(const Function& function, const SymbolTable& symbols) {
  std::vector<std::string> arguments;
  for (const Expr& argument : function.arguments) {
    arguments.push_back(to_string(argument, symbols));
  }
  if (function.kind == FunctionKind::floor_quotient) {
    const bool sum = function.arguments[0].terms().size() > 1;
    const bool simple = function.arguments[1].is_constant() ||
                        arguments[1].find_first_of(" */(") == std::string::npos;
    return "floor(" + parenthesized(arguments[0], sum) + "/" +
           parenthesized(arguments[1], !simple) + ")";
  }
  std::string text = function.kind == FunctionKind::minimum ? "min(" : "max(";
  for (std::size_t i = 0; i < arguments.size(); ++i) text += (i > 0 ? ", " : "") + arguments[i];
  return text + ")";
}

/// The product of a number and of factors, given as texts. The denominator of the number comes
/// last: `2*B*S/3`.
std::string product_text(Rational number, const std::vector<std::string>& pieces) {
  const std::int64_t whole = number.numerator();
  std::string text;
  if (pieces.empty() || (whole != 1 && whole != -1)) {
    text = std::to_string(whole);
  } else if (whole == -1) {
    text = "-";
  }
  for (const std::string& piece : pieces) {
    if (!text.empty() && text != "-") text += "*";
    text += piece;
  }
  if (!number.is_integer()) text += "/" + std::to_string(number.denominator());
  return text;
}

std::string sum_text(const Expr& a, const SymbolTable& symbols) {
  std::vector<PrintedTerm> terms = printed_terms(a, symbols);
  std::string text;
  for (const PrintedTerm& term : terms) {
    const bool negative = term.coefficient.sign() < 0;
    const std::string product =
        product_text(negative ? -term.coefficient : term.coefficient, term.factors);
    if (text.empty()) {
      text = (negative ? "-" : "") + product;
    } else {
      text += (negative ? " - " : " + ") + product;
    }
  }
  return text;
}

}  // namespace

std::string atom_text(const Atom& atom, const SymbolTable& symbols) {
  return atom.function ? function_text(*atom.function, symbols) : symbols.name(atom.symbol);
}

std::vector<std::string> factor_texts(const std::vector<Factor>& factors,
                                      const SymbolTable& symbols) {
  std::vector<std::pair<std::string, std::int64_t>> named;
  for (const Factor& f : factors) named.emplace_back(atom_text(f.atom, symbols), f.power);
  std::sort(named.begin(), named.end());
  std::vector<std::string> texts;
  for (const auto& [name, power] : named) {
    texts.push_back(power == 1 ? name : name + "**" + std::to_string(power));
  }
  return texts;
}

std::vector<PrintedTerm> printed_terms(const Expr& a, const SymbolTable& symbols) {
  std::vector<PrintedTerm> printed;
  for (const Term& term : a.terms()) {
    PrintedTerm next{term.coefficient, factor_texts(term.factors, symbols), {}};
    for (const Factor& f : term.factors) {
      next.order.emplace_back(atom_text(f.atom, symbols), -f.power);
    }
    std::sort(next.order.begin(), next.order.end());
    printed.push_back(std::move(next));
  }
  // Sorts lexicographically by exponents, with names in alphabetical order; the constant is last.
  std::sort(printed.begin(), printed.end(), [](const PrintedTerm& x, const PrintedTerm& y) {
    if (x.order.empty() || y.order.empty()) return !x.order.empty();
    const std::size_t shared = std::min(x.order.size(), y.order.size());
    const auto [at_x, at_y] = std::mismatch(
        x.order.begin(), x.order.begin() + static_cast<std::ptrdiff_t>(shared), y.order.begin());
    if (at_x == x.order.begin() + static_cast<std::ptrdiff_t>(shared)) {
      return x.order.size() > y.order.size();
    }
    return *at_x < *at_y;
  });
  return printed;
}

std::string to_string(const Expr& a, const SymbolTable& symbols) {
  if (const auto number = a.constant()) return product_text(*number, {});
  const Factored parts = factor(a);
  if (parts.common.empty()) return sum_text(a, symbols);
  std::vector<std::string> pieces = factor_texts(parts.common, symbols);
  if (!parts.rest.is(1)) pieces.push_back("(" + sum_text(parts.rest, symbols) + ")");
  return product_text(parts.number, pieces);
}

}  // namespace stashscope
