#include "core/study/files/json_fields.h"

#include "core/study/files/json_texts.h"

namespace stashscope::json_fields {

nlohmann::json parse_file(const std::string& text, const Format& format) {
  nlohmann::json object = with_decoded_texts(nlohmann::json::parse(text, nullptr, false));
  if (!object.is_object() || !object.contains(format.field)) {
    fail_input("", std::string("is not a ") + format.name, format.hint);
  }
  int version = 0;
  read(object, format.field, version);
  if (version < 1 || version > format.version) {
    fail_input("", "was written by another version (format " + std::to_string(version) + ")",
               "update stashscope");
  }
  return object;
}

}  // namespace stashscope::json_fields
