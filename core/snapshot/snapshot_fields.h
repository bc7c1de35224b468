#pragma once

#include <string>

#include "core/snapshot/pickle_document.h"

namespace stashscope {

/// The fields of dicts in a pickle. Errors name the field.
class SnapshotFields {
 public:
  explicit SnapshotFields(const PickleDocument& document) : document_(document) {}

  /// The key as a value of the document; invalid if the document does not contain this text.
  PickleId key(std::string_view name) const { return document_.find_text(name); }
  /// The value of a key; invalid if the dict does not have the key. If the key occurs several
  /// times, its last value counts, as in Python.
  PickleId find(PickleId dict, PickleId key) const;

  /// A whole number from 0 to 2^61; `otherwise` if the field is absent or None.
  std::int64_t size(PickleId dict, PickleId key, const char* name, std::int64_t otherwise) const;
  /// The same for a field that must be there.
  std::int64_t size(PickleId dict, PickleId key, const char* name) const;
  /// Any whole number.
  std::int64_t number(PickleId dict, PickleId key, const char* name, std::int64_t otherwise) const;

  /// Throws an input Error unless the value is of the kind.
  /// @param what the value, such as `a block`
  void require(PickleId value, PickleKind kind, const char* what) const;
  /// The items of a list or tuple.
  const std::vector<PickleId>& list(PickleId value, const char* what) const;

 private:
  const PickleDocument& document_;
};

/// Throws an input Error about a field.
[[noreturn]] void fail_field(const char* name, const char* why);

}  // namespace stashscope
