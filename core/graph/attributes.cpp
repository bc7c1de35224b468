#include "core/graph/attributes.h"

#include <algorithm>

#include "core/base/error.h"

namespace stashscope {

namespace {

std::string quoted(std::string_view name) {
  return "attribute '" + printable(std::string(name)) + "'";
}

[[noreturn]] void fail_missing(std::string_view name) {
  fail_input("", "the required " + quoted(name) + " is missing");
}

}  // namespace

void Attributes::set(std::string name, AttributeValue value) {
  const auto found = std::find_if(items_.begin(), items_.end(),
                                  [&](const auto& item) { return item.first == name; });
  if (found != items_.end()) {
    found->second = std::move(value);
  } else {
    items_.emplace_back(std::move(name), std::move(value));
  }
}

const AttributeValue* Attributes::find(std::string_view name) const {
  for (const auto& [key, value] : items_) {
    if (key == name) return &value;
  }
  return nullptr;
}

template <class T>
const T* Attributes::typed(std::string_view name, std::string_view kind) const {
  const AttributeValue* const value = find(name);
  if (value == nullptr) return nullptr;
  const T* const held = std::get_if<T>(value);
  if (held == nullptr) fail_input("", quoted(name) + " is not " + std::string(kind));
  return held;
}

std::int64_t Attributes::integer(std::string_view name, std::int64_t otherwise) const {
  const auto* const value = typed<std::int64_t>(name, "an integer");
  return value != nullptr ? *value : otherwise;
}

std::int64_t Attributes::require_integer(std::string_view name) const {
  if (!has(name)) fail_missing(name);
  return integer(name, 0);
}

float Attributes::real(std::string_view name, float otherwise) const {
  const auto* const value = typed<float>(name, "a number");
  return value != nullptr ? *value : otherwise;
}

std::string Attributes::text(std::string_view name, std::string_view otherwise) const {
  const auto* const value = typed<std::string>(name, "a string");
  return value != nullptr ? *value : std::string(otherwise);
}

Integers Attributes::integers(std::string_view name) const {
  const auto* const value = typed<Integers>(name, "a list of integers");
  return value != nullptr ? *value : Integers();
}

Integers Attributes::require_integers(std::string_view name) const {
  if (!has(name)) fail_missing(name);
  return integers(name);
}

Strings Attributes::texts(std::string_view name) const {
  const auto* const value = typed<Strings>(name, "a list of strings");
  return value != nullptr ? *value : Strings();
}

const Tensor* Attributes::tensor(std::string_view name) const {
  return typed<Tensor>(name, "a tensor");
}

Subgraph Attributes::subgraph(std::string_view name) const {
  const auto* const value = typed<Subgraph>(name, "a graph");
  return value != nullptr ? *value : nullptr;
}

}  // namespace stashscope
