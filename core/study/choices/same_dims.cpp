#include "core/study/choices/same_dims.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

/// Whether a text can name a new dimension. A number or an expression is most likely a mistake.
bool can_be_name(const std::string& text) {
  const auto is_letter = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalpha(byte) != 0 || c == '_' || byte >= 0x80;
  };
  return is_letter(text.front()) && std::all_of(text.begin(), text.end(), [&](char c) {
           return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
         });
}

/// Classes of equal dimensions. The first member of a class is its leader.
class DimensionClasses {
 public:
  explicit DimensionClasses(SymbolTable& symbols) : symbols_(symbols) {}

  void join(const std::map<std::string, std::string>& same_dims) {
    for (const auto& [pattern, name] : same_dims) targets_.push_back(target(pattern, name));
    leader_.resize(symbols_.size());
    is_renamed_.resize(symbols_.size());
    auto kept = targets_.begin();
    for (const auto& [pattern, name] : same_dims) join_matching(pattern, *kept++);
    for (const SymbolId each : std::set(targets_.begin(), targets_.end())) give_name(each);
  }

  SymbolId leader(SymbolId symbol) const {
    while (leader_[symbol].valid()) symbol = leader_[symbol];
    return symbol;
  }

 private:
  SymbolId target(const std::string& pattern, const std::string& name) {
    if (!symbols_.find(name) && (name.empty() || !can_be_name(name))) {
      fail_usage("dimension '" + printable(pattern) + "'",
                 "'" + printable(name) + "' is neither a whole number nor a name",
                 "give a size, or the name of a dimension of the same size");
    }
    return symbols_.intern(name);
  }

  void join_matching(const std::string& pattern, SymbolId kept) {
    bool any = false;
    for (const SymbolId symbol : IdRange<SymbolId>(symbols_.size())) {
      if (symbol == kept || !matches_wildcard(symbols_.name(symbol), pattern)) continue;
      any = true;
      is_renamed_[symbol] = true;
      const SymbolId a = leader(symbol);
      const SymbolId b = leader(kept);
      if (a != b) leader_[std::max(a, b)] = std::min(a, b);
    }
    const bool has_only_kept = !any && matches_wildcard(symbols_.name(kept), pattern);
    if (!any) {
      fail_usage(
          "dimension '" + printable(pattern) + "'",
          has_only_kept ? "would be unified only with itself" : "does not exist in the model",
          "give a dimension of the model, or a pattern such as inputs_*_dim0");
    }
  }

  /// Gives the class of `target` the name of `target`. Skips a target that is renamed itself,
  /// because the class gets the last name of a chain.
  void give_name(SymbolId target) {
    if (!is_renamed_[target]) symbols_.swap_names(leader(target), target);
  }

  SymbolTable& symbols_;
  std::vector<SymbolId> targets_;
  IdVector<SymbolId, SymbolId> leader_;  // invalid: the symbol is a leader
  IdVector<SymbolId, bool> is_renamed_;
};

}  // namespace

Graph with_same_dims(const Graph& model, const std::map<std::string, std::string>& same_dims) {
  if (same_dims.empty()) return model;
  GraphData data = model.data();
  DimensionClasses classes(data.symbols);
  classes.join(same_dims);
  data.unified.resize(data.symbols.size());
  for (const SymbolId symbol : IdRange<SymbolId>(data.symbols.size())) {
    const SymbolId leader = classes.leader(symbol);
    if (leader != symbol) data.unified[symbol] = Expr::symbol(leader);
  }
  const auto replacement = [&](SymbolId symbol) { return data.unified[symbol]; };
  for (Value& value : data.values) {
    if (!value.type.shape) continue;
    for (Expr& dim : *value.type.shape) dim = dim.substitute(replacement);
  }
  return Graph(std::move(data));
}

}  // namespace stashscope
