#include "core/report/comparison_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

using nlohmann::json;

constexpr std::size_t longest_cell = 56;
constexpr const char* nothing = "–";

using Line = std::array<std::string, 4>;

/// Length of valid UTF-8 in characters.
std::size_t length_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string cell(const std::string& text) {
  return text.empty() ? nothing : printable(text, longest_cell);
}

/// Sizes of dimensions are always listed, because bytes mean nothing without them.
bool is_listed(const ComparisonRow& row) {
  const bool is_size = row.group == ComparisonGroup::choices && row.quantity == Quantity::count;
  return row.group < ComparisonGroup::choices || is_size || row.differs();
}

std::string padded(const std::string& text, std::size_t width, bool to_the_right) {
  const std::string room(width - length_of(text), ' ');
  return to_the_right ? room + text : text + room;
}

std::string table_text(const std::vector<Line>& lines) {
  std::array<std::size_t, 4> widths{};
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], length_of(line[i]));
  }
  std::string text;
  for (const Line& line : lines) {
    std::string row = "  " + padded(line[0], widths[0], false);
    for (std::size_t i = 1; i < line.size(); ++i) row += "  " + padded(line[i], widths[i], true);
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string remark(const ComparisonRow& row) {
  if (row.only_left()) return "left only";
  if (row.only_right()) return "right only";
  return row.difference();
}

std::string group_text(ComparisonGroup group, const std::vector<ComparisonRow>& rows) {
  std::vector<Line> lines = {{"", "Left", "Right", "Difference"}};
  std::size_t shared = 0;
  for (const ComparisonRow& row : rows) {
    if (row.group != group) continue;
    if (is_listed(row)) {
      lines.push_back({cell(row.name), cell(row.left.text), cell(row.right.text), remark(row)});
    } else {
      ++shared;
    }
  }
  std::string text = std::string(title_of(group)) + "\n";
  if (lines.size() > 1) text += table_text(lines);
  const std::string of_what = group == ComparisonGroup::tensors ? " among the largest tensors" : "";
  if (shared > 0)
    text += "  (equal on both sides" + of_what + ": " + std::to_string(shared) + ")\n";
  return lines.size() > 1 || shared > 0 ? text : "";
}

json side_json(const ComparisonRow& row, const ComparedValue& value) {
  if (value.text.empty()) return nullptr;
  if (!value.number) return to_valid_utf8(value.text);
  const bool whole = row.quantity == Quantity::bytes || row.quantity == Quantity::count;
  return whole ? json(std::llround(*value.number)) : json(*value.number);
}

std::string_view name_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::bytes:
      return "bytes";
    case Quantity::count:
      return "count";
    case Quantity::seconds:
      return "seconds";
    case Quantity::percent:
      return "percent";
    case Quantity::text:
      break;
  }
  return "text";
}

}  // namespace

std::string comparison_text(const ComparisonInput& input) {
  std::string text =
      "Left:  " + printable(input.left) + "\nRight: " + printable(input.right) + "\n";
  for (const ComparisonGroup group :
       {ComparisonGroup::memory, ComparisonGroup::time, ComparisonGroup::model,
        ComparisonGroup::choices, ComparisonGroup::plans, ComparisonGroup::tensors}) {
    const std::string part = group_text(group, input.rows);
    if (!part.empty()) text += "\n" + part;
  }
  return text;
}

std::string comparison_json(const ComparisonInput& input) {
  json rows = json::array();
  for (const ComparisonRow& row : input.rows) {
    rows.push_back({{"group", name_of(row.group)},
                    {"name", to_valid_utf8(row.name)},
                    {"unit", name_of(row.quantity)},
                    {"left", side_json(row, row.left)},
                    {"right", side_json(row, row.right)},
                    {"differs", row.differs()}});
  }
  const json report = {
      {"left", to_valid_utf8(input.left)}, {"right", to_valid_utf8(input.right)}, {"rows", rows}};
  return report.dump(1) + "\n";
}

}  // namespace stashscope
