#include "core/study/choices/zero_dims.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"

namespace stashscope {

namespace {

std::set<SymbolId> input_symbols(const Graph& model) {
  std::set<SymbolId> symbols;
  for (const ValueId input : model.data().inputs) {
    for (const Expr& dim : model.value(input).type.shape.value_or(Shape())) {
      const std::vector<SymbolId> used = dim.symbols();
      symbols.insert(used.begin(), used.end());
    }
  }
  return symbols;
}

/// The symbol that replaces `symbol` if `symbol` is unified with another one; else `symbol` itself.
SymbolId leader_of(const GraphData& data, SymbolId symbol) {
  if (!data.unified.contains(symbol) || !data.unified[symbol]) return symbol;
  const std::vector<SymbolId> used = data.unified[symbol]->symbols();
  return used.empty() ? symbol : used[0];
}

}  // namespace

SizeChoices zero_dims(const SizeChoices& dims) {
  SizeChoices zeros;
  for (const auto& [name, value] : dims) {
    if (value == 0) zeros.emplace(name, value);
  }
  return zeros;
}

Graph with_zero_dims(const Graph& model, const SizeChoices& zeros) {
  if (zeros.empty()) return model;
  GraphData data = model.data();
  const std::set<SymbolId> settable = input_symbols(model);
  std::set<SymbolId> chosen;
  for (const auto& [pattern, value] : zeros) {
    const bool is_name = data.symbols.find(pattern).has_value();
    for (const SymbolId symbol : IdRange<SymbolId>(data.symbols.size())) {
      const std::string& name = data.symbols.name(symbol);
      const bool fits = is_name ? name == pattern : matches_wildcard(name, pattern);
      if (fits && settable.contains(leader_of(data, symbol))) {
        chosen.insert(leader_of(data, symbol));
      }
    }
  }
  if (chosen.empty()) return model;
  data.unified.resize(data.symbols.size());
  for (const SymbolId symbol : IdRange<SymbolId>(data.symbols.size())) {
    if (chosen.contains(leader_of(data, symbol))) data.unified[symbol] = Expr(0);
  }
  const auto replacement = [&](SymbolId symbol) { return data.unified[symbol]; };
  for (Value& value : data.values) {
    if (!value.type.shape) continue;
    for (Expr& dim : *value.type.shape) dim = dim.substitute(replacement);
  }
  return Graph(std::move(data));
}

}  // namespace stashscope
