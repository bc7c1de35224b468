#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/graph/tensor.h"

namespace stashscope {

class Graph;

/// An attribute of a kind that the analysis never reads (sparse tensors, types, lists of tensors or
/// of graphs). It stays serialized, so that a saved model still has it.
struct OpaqueAttribute {
  std::string serialized;
};

using Integers = std::vector<std::int64_t>;
using Floats = std::vector<float>;
using Strings = std::vector<std::string>;
using Subgraph = std::shared_ptr<const Graph>;
using AttributeValue = std::variant<std::int64_t, float, std::string, Integers, Floats, Strings,
                                    Tensor, Subgraph, OpaqueAttribute>;

/// The attributes of a node in file order. Getters throw an input Error for a value of the wrong
/// kind; `require_*` also when the attribute is missing.
class Attributes {
 public:
  using Items = std::vector<std::pair<std::string, AttributeValue>>;

  Attributes() = default;
  Attributes(std::initializer_list<Items::value_type> items) : items_(items) {}

  void set(std::string name, AttributeValue value);
  bool has(std::string_view name) const { return find(name) != nullptr; }
  const AttributeValue* find(std::string_view name) const;

  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  std::int64_t require_integer(std::string_view name) const;
  float real(std::string_view name, float otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  /// The list is empty when the attribute is missing.
  Integers integers(std::string_view name) const;
  Integers require_integers(std::string_view name) const;
  Strings texts(std::string_view name) const;
  /// Null when the attribute is missing.
  const Tensor* tensor(std::string_view name) const;
  Subgraph subgraph(std::string_view name) const;

  const Items& items() const { return items_; }

 private:
  template <class T>
  const T* typed(std::string_view name, std::string_view kind) const;

  Items items_;
};

}  // namespace stashscope
