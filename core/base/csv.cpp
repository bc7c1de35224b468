#include "core/base/csv.h"

#include "core/base/text.h"

namespace stashscope {

namespace {

std::string csv_field(const std::string& field) {
  const std::string text = to_valid_utf8(field);
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
