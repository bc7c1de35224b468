#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"

/// Helpers that read the program's own JSON files.
namespace stashscope::json_fields {

/// A kind of file, identified by a field that holds the version of its format.
struct Format {
  const char* field;
  int version;       ///< the newest version that this program reads
  const char* name;  ///< name in messages, such as `session file`
  const char* hint;  ///< hint in the error for a file of another kind
};

/// Parses the text of a file of this format and decodes its texts (json_texts.h). Throws an input
/// Error if the text has another format, or a version that this program cannot read.
nlohmann::json parse_file(const std::string& text, const Format& format);

[[noreturn]] inline void fail_field(const char* key, const std::string& what) {
  fail_input("", std::string("the field '") + key + "' " + what);
}

/// Reads a field if it is present. Throws an input Error that names the field if its value has a
/// wrong type or is out of range.
template <class T>
void read(const nlohmann::json& object, const char* key, T& into) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  try {
    into = found->get<T>();
    // The library truncates fractions and high bits silently.
    if (nlohmann::json(into) != *found) fail_field(key, "has a value out of range");
  } catch (const nlohmann::json::exception&) {
    fail_field(key, "has a wrong type");
  }
}

}  // namespace stashscope::json_fields
