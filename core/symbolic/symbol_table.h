#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/id.h"

namespace stashscope {

using SymbolId = Id<struct SymbolTag>;

/// The dimension names of one model. Names are opaque bytes: any text can be a dimension.
class SymbolTable {
 public:
  /// The id of `name`. Adds a new name to the table.
  SymbolId intern(std::string_view name);
  std::optional<SymbolId> find(std::string_view name) const;
  /// A new symbol under a name that the model does not use: `unknown_0`, `unknown_1`, ...
  SymbolId fresh();
  /// A symbol called `wish`, or `wish_1`, ... when the model uses that name. The same wish returns
  /// the same symbol again.
  SymbolId fresh(const std::string& wish);
  void swap_names(SymbolId a, SymbolId b);
  bool is_fresh(SymbolId symbol) const { return is_fresh_[symbol]; }

  const std::string& name(SymbolId symbol) const { return names_[symbol]; }
  std::size_t size() const { return names_.size(); }

 private:
  IdVector<SymbolId, std::string> names_;
  IdVector<SymbolId, bool> is_fresh_;
  std::unordered_map<std::string, SymbolId> ids_;
  std::size_t next_unknown_ = 0;
};

}  // namespace stashscope
