#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/id.h"
#include "core/snapshot/memory_budget.h"

namespace stashscope {

using PickleId = Id<struct PickleValueTag>;

enum class PickleKind : std::uint8_t {
  none,
  boolean,
  integer,
  real,
  text,
  bytes,
  list,
  tuple,
  dict
};

/// The data of a pickle. A value may be an item of several lists, as in Python. Equal texts are one
/// value.
class PickleDocument {
 public:
  /// @param budget every added value takes from it; must outlive the last addition
  explicit PickleDocument(MemoryBudget& budget);

  PickleId none() const { return PickleId(0); }
  PickleId boolean(bool value) const { return PickleId(value ? 2 : 1); }
  PickleId add_integer(std::int64_t value);
  PickleId add_real(double value);
  PickleId add_text(std::string_view text) { return add_string(PickleKind::text, text); }
  PickleId add_bytes(std::string_view bytes) { return add_string(PickleKind::bytes, bytes); }
  /// An empty list, tuple or dict.
  PickleId add_container(PickleKind kind);
  /// Adds an item to a list or tuple; to a dict, first a key, then its value.
  void append(PickleId container, PickleId item);

  std::size_t size() const { return values_.size(); }
  PickleKind kind(PickleId id) const { return values_[id.index()].kind; }
  bool is_container(PickleId id) const { return kind(id) >= PickleKind::list; }
  /// The number of an integer or a boolean.
  std::int64_t integer(PickleId id) const { return values_[id.index()].integer; }
  double real(PickleId id) const;
  /// The bytes of a text, or of bytes.
  const std::string& text(PickleId id) const;
  /// The items of a list or tuple; of a dict, keys and values in turn.
  const std::vector<PickleId>& items(PickleId id) const;
  /// The id of the value that is this text; invalid if the document does not contain the text.
  PickleId find_text(std::string_view text) const;

  PickleId root;

 private:
  struct Value {
    PickleKind kind = PickleKind::none;
    std::int64_t integer = 0;  ///< the number, the bits of a real, or an index
  };

  PickleId add(Value value);
  PickleId add_string(PickleKind kind, std::string_view text);

  MemoryBudget* budget_;
  std::deque<Value> values_;
  std::deque<std::string> texts_;
  std::deque<std::vector<PickleId>> containers_;
  std::unordered_map<std::string_view, PickleId> known_texts_;
};

/// Throws an input Error if a value contains itself or if values are nested too deeply.
void check_nesting(const PickleDocument& document);

}  // namespace stashscope
