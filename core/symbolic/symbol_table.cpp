#include "core/symbolic/symbol_table.h"

#include <utility>

namespace stashscope {

SymbolId SymbolTable::intern(std::string_view name) {
  const auto [entry, is_new] = ids_.try_emplace(std::string(name), SymbolId(names_.size()));
  if (is_new) {
    names_.push_back(entry->first);
    is_fresh_.push_back(false);
  }
  return entry->second;
}

std::optional<SymbolId> SymbolTable::find(std::string_view name) const {
  const auto found = ids_.find(std::string(name));
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

SymbolId SymbolTable::fresh() {
  std::string name;
  do {
    name = "unknown_" + std::to_string(next_unknown_++);
  } while (ids_.contains(name));
  const SymbolId symbol = intern(name);
  is_fresh_[symbol] = true;
  return symbol;
}

SymbolId SymbolTable::fresh(const std::string& wish) {
  std::string name = wish;
  for (int i = 1;; ++i) {
    const auto taken = ids_.find(name);
    if (taken == ids_.end()) break;
    if (is_fresh_[taken->second]) return taken->second;
    name = wish + "_" + std::to_string(i);
  }
  const SymbolId symbol = intern(name);
  is_fresh_[symbol] = true;
  return symbol;
}

void SymbolTable::swap_names(SymbolId a, SymbolId b) {
  std::swap(names_[a], names_[b]);
  ids_[names_[a]] = a;
  ids_[names_[b]] = b;
}

}  // namespace stashscope
