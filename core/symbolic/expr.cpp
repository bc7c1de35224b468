#include "core/symbolic/expr.h"

#include <algorithm>
#include <limits>

namespace stashscope {

namespace {

constexpr std::size_t max_terms = 256;
constexpr std::int64_t max_degree = 32;

template <class T, class Order>
int order_lists(const std::vector<T>& a, const std::vector<T>& b, Order order) {
  const std::size_t shared = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if (const int result = order(a[i], b[i]); result != 0) return result;
  }
  return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

template <class T>
int order_numbers(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int order_factors(const Factor& a, const Factor& b) {
  const int atoms = Atom::order(a.atom, b.atom);
  return atoms != 0 ? atoms : order_numbers(a.power, b.power);
}

int order_monomials(const Term& a, const Term& b) {
  return order_lists(a.factors, b.factors, order_factors);
}

int order_terms(const Term& a, const Term& b) {
  const int monomials = order_monomials(a, b);
  return monomials != 0 ? monomials : order_numbers(a.coefficient, b.coefficient);
}

std::vector<Factor> multiply_factors(const std::vector<Factor>& a, const std::vector<Factor>& b) {
  std::vector<Factor> product;
  product.reserve(a.size() + b.size());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const int which = i == a.size() ? 1 : j == b.size() ? -1 : Atom::order(a[i].atom, b[j].atom);
    if (which == 0) {
      product.push_back({a[i].atom, a[i].power + b[j].power});
      ++i;
      ++j;
    } else {
      product.push_back(which < 0 ? a[i++] : b[j++]);
    }
  }
  return product;
}

void check_degree(const std::vector<Factor>& factors) {
  std::int64_t degree = 0;
  for (const Factor& f : factors) degree += f.power;
  if (degree > max_degree) throw ExpressionTooLarge();
}

std::vector<Term> merged(std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end(),
            [](const Term& a, const Term& b) { return order_monomials(a, b) < 0; });
  std::vector<Term> result;
  for (Term& term : terms) {
    if (!result.empty() && order_monomials(result.back(), term) == 0) {
      result.back().coefficient = result.back().coefficient + term.coefficient;
    } else {
      result.push_back(std::move(term));
    }
  }
  std::erase_if(result, [](const Term& term) { return term.coefficient.is_zero(); });
  return result;
}

/// @pre exponent > 0
Rational power_of(Rational base, std::int64_t exponent) {
  Rational result = base;
  for (std::int64_t i = 1; i < exponent; ++i) result = result * base;
  return result;
}

std::optional<Rational> evaluate_function(const Function& function, const Bindings& bindings) {
  std::optional<Rational> result;
  for (const Expr& argument : function.arguments) {
    const std::optional<Rational> value = argument.evaluate_exactly(bindings);
    if (!value) return std::nullopt;
    if (!result) {
      result = value;
    } else if (function.kind == FunctionKind::minimum) {
      result = std::min(*result, *value);
    } else if (function.kind == FunctionKind::maximum) {
      result = std::max(*result, *value);
    } else {
      if (value->is_zero()) {
        fail_input("", "a size is divided by 0", "give the dimensions other sizes");
      }
      result = (*result / *value).floor();
    }
  }
  return result;
}

std::optional<Rational> evaluate_atom(const Atom& atom, const Bindings& bindings) {
  if (atom.function) return evaluate_function(*atom.function, bindings);
  return bindings.contains(atom.symbol) ? bindings[atom.symbol] : std::nullopt;
}

std::optional<Rational> evaluate_terms(const std::vector<Term>& terms, const Bindings& bindings) {
  Rational sum;
  for (const Term& term : terms) {
    Rational product = term.coefficient;
    for (const Factor& f : term.factors) {
      const std::optional<Rational> base = evaluate_atom(f.atom, bindings);
      if (!base) return std::nullopt;
      product = product * power_of(*base, f.power);
    }
    sum = sum + product;
  }
  return sum;
}

void collect_symbols(const Expr& expr, std::vector<SymbolId>& symbols) {
  for (const Term& term : expr.terms()) {
    for (const Factor& f : term.factors) {
      if (f.atom.symbol.valid()) symbols.push_back(f.atom.symbol);
      if (!f.atom.function) continue;
      for (const Expr& argument : f.atom.function->arguments) collect_symbols(argument, symbols);
    }
  }
}

Expr rebuild(const Function& function, const Expr::Replacement& replacement) {
  std::vector<Expr> arguments;
  for (const Expr& argument : function.arguments) {
    arguments.push_back(argument.substitute(replacement));
  }
  Expr result = arguments[0];
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    switch (function.kind) {
      case FunctionKind::floor_quotient:
        result = floor_divide(result, arguments[i]);
        break;
      case FunctionKind::minimum:
        result = minimum(result, arguments[i]);
        break;
      case FunctionKind::maximum:
        result = maximum(result, arguments[i]);
        break;
    }
  }
  return result;
}

Expr substitute_atom(const Atom& atom, const Expr::Replacement& replacement) {
  if (atom.function) return rebuild(*atom.function, replacement);
  return replacement(atom.symbol).value_or(Expr::symbol(atom.symbol));
}

}  // namespace

int Atom::order(const Atom& a, const Atom& b) {
  if (a.symbol.valid() != b.symbol.valid()) return a.symbol.valid() ? -1 : 1;
  if (a.symbol.valid()) return order_numbers(a.symbol, b.symbol);
  if (a.function == b.function) return 0;
  if (a.function->kind != b.function->kind) {
    return order_numbers(a.function->kind, b.function->kind);
  }
  return order_lists(a.function->arguments, b.function->arguments, Expr::order);
}

Expr Expr::symbol(SymbolId symbol) {
  return from_terms({{Rational(1), {Factor{Atom{symbol, nullptr}, 1}}}});
}

std::optional<Rational> Expr::constant() const {
  if (!is_constant()) return std::nullopt;
  return constant_;
}

std::optional<std::int64_t> Expr::integer() const {
  if (!is_constant() || !constant_.is_integer()) return std::nullopt;
  return constant_.numerator();
}

std::vector<Term> Expr::terms() const {
  if (polynomial_) return polynomial_->terms;
  if (constant_.is_zero()) return {};
  return {{constant_, {}}};
}

Expr Expr::from_terms(std::vector<Term> terms) {
  terms = merged(std::move(terms));
  if (terms.empty()) return 0;
  if (terms.size() == 1 && terms[0].factors.empty()) return terms[0].coefficient;
  if (terms.size() > max_terms) throw ExpressionTooLarge();
  for (const Term& term : terms) check_degree(term.factors);
  Expr result;
  result.polynomial_ = std::make_shared<const Polynomial>(Polynomial{std::move(terms)});
  return result;
}

Expr operator+(const Expr& a, const Expr& b) {
  if (a.is_constant() && b.is_constant()) return a.constant_ + b.constant_;
  std::vector<Term> terms = a.terms();
  const std::vector<Term> more = b.terms();
  terms.insert(terms.end(), more.begin(), more.end());
  return Expr::from_terms(std::move(terms));
}

Expr operator-(const Expr& a, const Expr& b) { return a + -b; }

Expr operator*(const Expr& a, const Expr& b) {
  if (a.is_constant() && b.is_constant()) return a.constant_ * b.constant_;
  const std::vector<Term> left = a.terms();
  const std::vector<Term> right = b.terms();
  if (left.size() * right.size() > max_terms * 8) throw ExpressionTooLarge();
  std::vector<Term> product;
  product.reserve(left.size() * right.size());
  for (const Term& x : left) {
    for (const Term& y : right) {
      product.push_back({x.coefficient * y.coefficient, multiply_factors(x.factors, y.factors)});
    }
  }
  return Expr::from_terms(std::move(product));
}

int Expr::order(const Expr& a, const Expr& b) {
  if (a.is_constant() && b.is_constant()) return order_numbers(a.constant_, b.constant_);
  if (a.is_constant() != b.is_constant()) return a.is_constant() ? -1 : 1;
  if (a.polynomial_ == b.polynomial_) return 0;
  return order_lists(a.polynomial_->terms, b.polynomial_->terms, order_terms);
}

std::optional<Rational> Expr::evaluate_exactly(const Bindings& bindings) const {
  return is_constant() ? constant_ : evaluate_terms(polynomial_->terms, bindings);
}

std::optional<std::int64_t> Expr::evaluate(const Bindings& bindings) const {
  if (is_constant()) return constant_.floor();
  try {
    const std::optional<Rational> value = evaluate_exactly(bindings);
    if (!value) return std::nullopt;
    return value->floor();
  } catch (const ExpressionTooLarge&) {
    fail_input("", "a size does not fit into 64 bits", "choose smaller dimensions");
  }
}

std::vector<SymbolId> Expr::symbols() const {
  std::vector<SymbolId> symbols;
  collect_symbols(*this, symbols);
  std::sort(symbols.begin(), symbols.end());
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  return symbols;
}

Expr Expr::substitute(const Expr::Replacement& replacement) const {
  if (is_constant()) return *this;
  Expr sum;
  for (const Term& term : polynomial_->terms) {
    Expr product = term.coefficient;
    for (const Factor& f : term.factors) {
      const Expr base = substitute_atom(f.atom, replacement);
      for (std::int64_t i = 0; i < f.power; ++i) product = product * base;
    }
    sum = sum + product;
  }
  return sum;
}

}  // namespace stashscope
