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
  /// The id of `name`, new when it was not known.
  SymbolId intern(std::string_view name);
  std::optional<SymbolId> find(std::string_view name) const;
  /// A symbol that no model names: `unknown_0`, `unknown_1`, ...
  SymbolId fresh();
  /// One that no model names, called `wish` or, where a model has that name, `wish_1`, ... The same
  /// wish gives the same symbol again.
  SymbolId fresh(const std::string& wish);
  /// Each gets the name of the other.
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
