#include "core/base/csv.h"

#include <charconv>

#include "core/base/text.h"

namespace stashscope {

namespace {

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return stop == end && error == std::errc();
}

bool looks_like_a_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos &&
         !is_number(text);
}

std::string csv_field(const std::string& field) {
  const std::string valid = to_valid_utf8(field);
  const std::string text = looks_like_a_formula(valid) ? "'" + valid : valid;
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char each : text) {
    if (each == '"') quoted += '"';
    quoted += each;
  }
  return quoted + '"';
}

}  // namespace

std::string csv_record(const std::vector<std::string>& fields) {
  std::string record;
  for (const std::string& each : fields) {
    if (&each != &fields.front()) record += ',';
    record += csv_field(each);
  }
  return record + "\r\n";
}

}  // namespace stashscope
