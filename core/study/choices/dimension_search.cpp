#include "core/study/choices/dimension_search.h"

#include <algorithm>
#include <set>

#include "core/base/error.h"

namespace stashscope {

namespace {

constexpr std::size_t most_symbols = 4;
constexpr std::size_t most_constraints = 200;
constexpr std::int64_t largest_size = 4096;

bool is_broken(const Constraint& constraint, const Bindings& values) {
  try {
    const auto a = constraint.a.evaluate(values);
    const auto b = constraint.b.evaluate(values);
    return a && b && *a != *b;
  } catch (const Error&) {
    return true;  // sizes beyond 64 bits break the constraint
  }
}

void collect_numbers(const Expr& expr, std::set<std::int64_t>& numbers) {
  for (const Term& term : expr.terms()) {
    for (const std::int64_t each : {term.coefficient.numerator(), term.coefficient.denominator()}) {
      if (each >= 1 && each <= largest_size) numbers.insert(each);
    }
    for (const Factor& factor : term.factors) {
      if (factor.atom.function == nullptr) continue;
      for (const Expr& each : factor.atom.function->arguments) collect_numbers(each, numbers);
    }
  }
}

std::set<SymbolId> symbols_of(const Constraint& constraint) {
  std::set<SymbolId> all;
  for (const Expr& side : {constraint.a, constraint.b}) {
    for (const SymbolId symbol : side.symbols()) all.insert(symbol);
  }
  return all;
}

/// Searches for values for at most four free symbols of a broken constraint. Counts the broken
/// constraints among all constraints that contain one of these symbols.
class Repair {
 public:
  Repair(const std::vector<Constraint>& constraints, const Constraint& broken,
         const std::vector<SymbolId>& free, Bindings& values)
      : values_(values) {
    const std::set<SymbolId> used = symbols_of(broken);
    std::copy_if(free.begin(), free.end(), std::back_inserter(symbols_),
                 [&](SymbolId symbol) { return used.contains(symbol); });
    if (symbols_.size() > most_symbols) symbols_.resize(most_symbols);
    for (const Constraint& each : constraints) {
      const std::set<SymbolId> others = symbols_of(each);
      const auto shared = [&](SymbolId symbol) { return others.contains(symbol); };
      if (std::any_of(symbols_.begin(), symbols_.end(), shared)) related_.push_back(&each);
    }
    std::set<std::int64_t> numbers = {48, 64, 96, 128, 224, 256, 512, 1024, 2048, 4096, 16000};
    for (std::int64_t each = 1; each <= 32; ++each) numbers.insert(each);
    collect_numbers(broken.a, numbers);
    collect_numbers(broken.b, numbers);
    sizes_.assign(numbers.begin(), numbers.end());
  }

  /// Tries other values for the symbols and keeps the best values. Returns true if fewer
  /// constraints are broken than before.
  bool run() {
    if (related_.size() > most_constraints) return false;
    const std::size_t before = count_broken();
    best_ = before;
    for (const SymbolId symbol : symbols_) try_sizes(symbol, [this] { note_if_better(); });
    if (best_ > 0) try_pairs();
    for (const auto& [symbol, size] : best_values_) values_[symbol] = size;
    return best_ < before;
  }

 private:
  std::size_t count_broken() const {
    return static_cast<std::size_t>(
        std::count_if(related_.begin(), related_.end(),
                      [this](const Constraint* each) { return is_broken(*each, values_); }));
  }

  template <typename Body>
  void try_sizes(SymbolId symbol, const Body& body) {
    const auto kept = values_[symbol];
    for (const std::int64_t size : sizes_) {
      values_[symbol] = size;
      body();
    }
    values_[symbol] = kept;
  }

  void try_pairs() {
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      for (std::size_t j = i + 1; j < symbols_.size(); ++j) {
        try_sizes(symbols_[i], [&] { try_sizes(symbols_[j], [this] { note_if_better(); }); });
      }
    }
  }

  void note_if_better() {
    const std::size_t broken = count_broken();
    if (broken >= best_) return;
    best_ = broken;
    best_values_.clear();
    for (const SymbolId symbol : symbols_) best_values_.emplace_back(symbol, *values_[symbol]);
  }

  Bindings& values_;
  std::vector<SymbolId> symbols_;
  std::vector<const Constraint*> related_;
  std::vector<std::int64_t> sizes_;
  std::size_t best_ = 0;
  std::vector<std::pair<SymbolId, std::int64_t>> best_values_;
};

}  // namespace

const Constraint* broken_constraint(const std::vector<Constraint>& constraints,
                                    const Bindings& values) {
  const auto found = std::find_if(constraints.begin(), constraints.end(),
                                  [&](const Constraint& each) { return is_broken(each, values); });
  return found == constraints.end() ? nullptr : &*found;
}

void repair_dimensions(const std::vector<Constraint>& constraints,
                       const std::vector<SymbolId>& free, Bindings& values) {
  while (const Constraint* const broken = broken_constraint(constraints, values)) {
    if (!Repair(constraints, *broken, free, values).run()) return;
  }
}

}  // namespace stashscope
