#include "core/study/files/json_texts.h"

#include <nlohmann/json.hpp>
#include <string>

namespace stashscope {

namespace {

using nlohmann::json;

/// Text that is not UTF-8 is encoded as a NUL character, followed by one character for each byte.
constexpr char mark_of_bytes = '\0';

bool is_utf8(const std::string& text) {
  try {
    json(text).dump();
    return true;
  } catch (const json::exception&) {
    return false;
  }
}

std::string encoded(const std::string& text) {
  if (is_utf8(text) && !text.starts_with(mark_of_bytes)) return text;
  std::string code(1, mark_of_bytes);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) code += static_cast<char>(0xC0 | (byte >> 6));
    code += static_cast<char>(byte < 0x80 ? byte : 0x80 | (byte & 0x3F));
  }
  return code;
}

std::string decoded(const std::string& code) {
  if (!code.starts_with(mark_of_bytes)) return code;
  std::string text;
  for (std::size_t i = 1; i < code.size(); ++i) {
    const auto byte = static_cast<unsigned char>(code[i]);
    const bool has_next = byte >= 0x80 && i + 1 < code.size();
    text += has_next ? static_cast<char>((byte << 6) | (code[++i] & 0x3F)) : code[i];
  }
  return text;
}

/// The value with `change` applied to all its texts and keys. Very deep parts become null, because
/// a hostile file could otherwise overflow the stack; the program's own files are less deep.
json with_texts(const json& value, std::string (*change)(const std::string&), int depth = 0) {
  constexpr int deepest = 8;
  if (value.is_string()) return change(value.get_ref<const std::string&>());
  if (!value.is_structured()) return value;
  if (depth > deepest) return nullptr;
  json changed = value.is_array() ? json::array() : json::object();
  if (value.is_array()) {
    for (const json& item : value) changed.push_back(with_texts(item, change, depth + 1));
  } else {
    for (const auto& [key, item] : value.items())
      changed[change(key)] = with_texts(item, change, depth + 1);
  }
  return changed;
}

}  // namespace

json with_encoded_texts(const json& value) { return with_texts(value, encoded); }

json with_decoded_texts(const json& value) { return with_texts(value, decoded); }

}  // namespace stashscope
