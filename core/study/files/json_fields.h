#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"

/// Reading the files of the program.
namespace stashscope::json_fields {

/// A kind of file, told by a field that holds the version of its format.
struct Format {
  const char* field;
  int version;       ///< the newest that is known
  const char* name;  ///< `session file`
  const char* hint;  ///< for a file that is none
};

/// The object that such a file holds, with its texts as they were written. Throws an input Error
/// for other texts and for newer versions.
nlohmann::json parse_file(const std::string& text, const Format& format);

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
