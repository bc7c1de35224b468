#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"

/// Reading the files of the program.
namespace stashscope::json_fields {

[[noreturn]] inline void fail_field(const char* key, const std::string& what) {
  fail_input("", std::string("the field '") + key + "' " + what);
}

/// Reads a field when it is there; a wrong type is an input Error that names the field.
template <class T>
void read(const nlohmann::json& object, const char* key, T& into) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  try {
    into = found->get<T>();
    // The library cuts fractions and high bits off without a word.
    if (nlohmann::json(into) != *found) fail_field(key, "has a value out of range");
  } catch (const nlohmann::json::exception&) {
    fail_field(key, "has a wrong type");
  }
}

}  // namespace stashscope::json_fields
