#include "core/passes/declared_names.h"

#include <algorithm>

namespace stashscope {

namespace {

bool mentions(const std::vector<Expr>& sizes, const DeclaredNames& names) {
  return std::any_of(sizes.begin(), sizes.end(), [&](const Expr& size) {
    const std::vector<SymbolId> used = size.symbols();
    return std::any_of(used.begin(), used.end(),
                       [&](SymbolId symbol) { return names.contains(symbol); });
  });
}

Expr renamed(const Expr& size, const DeclaredNames& names) {
  return size.substitute([&](SymbolId symbol) -> std::optional<Expr> {
    const auto found = names.find(symbol);
    return found == names.end() ? std::nullopt : std::optional(found->second);
  });
}

void rename_all(std::vector<Expr>& sizes, const DeclaredNames& names) {
  for (Expr& size : sizes) size = renamed(size, names);
}

}  // namespace

void use_declared_names(GraphData& data, const DeclaredNames& names) {
  if (names.empty()) return;
  for (Value& value : data.values) {
    if (value.type.shape && mentions(*value.type.shape, names)) {
      rename_all(*value.type.shape, names);
    }
    if (value.contents && mentions(*value.contents, names)) {
      std::vector<Expr> items = *value.contents;
      rename_all(items, names);
      value.contents = std::make_shared<const std::vector<Expr>>(std::move(items));
    }
  }
  for (Constraint& each : data.constraints) {
    each.a = renamed(each.a, names);
    each.b = renamed(each.b, names);
  }
  std::erase_if(data.constraints, [](const Constraint& each) { return each.a == each.b; });
  for (DataDependentDim& each : data.data_dependent) {
    if (each.at_most) each.at_most = renamed(*each.at_most, names);
  }
}

}  // namespace stashscope
