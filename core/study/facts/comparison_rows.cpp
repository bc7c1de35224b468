#include "core/study/facts/comparison_rows.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/units.h"

namespace stashscope {

namespace {

std::string number_text(Quantity quantity, double number) {
  switch (quantity) {
    case Quantity::bytes:
      return format_bytes(std::llround(number));
    case Quantity::count:
      return with_thousands(std::llround(number));
    case Quantity::seconds:
      return format_seconds(number);
    case Quantity::percent:
      return format_fixed(number, 1) + " %";
    case Quantity::text:
      break;
  }
  return "";
}

ComparedValue value_of(Quantity quantity, double number) {
  return {number_text(quantity, number), number};
}

template <class T>
std::vector<std::string> all_keys(const std::map<std::string, T>& left,
                                  const std::map<std::string, T>& right) {
  std::map<std::string, bool> keys;
  for (const auto* side : {&left, &right}) {
    for (const auto& [key, value] : *side) keys[key] = true;
  }
  std::vector<std::string> list;
  for (const auto& [key, known] : keys) list.push_back(key);
  return list;
}

}  // namespace

std::string with_sign(Quantity quantity, double change) {
  if (quantity == Quantity::percent && std::abs(change) < 0.05) return "±0 %";
  return (change < 0 ? "−" : "+") + number_text(quantity, std::abs(change));
}

void ComparisonRows::add(const std::string& name, Quantity quantity, double left, double right) {
  rows_.push_back({group_, name, quantity, value_of(quantity, left), value_of(quantity, right)});
}

void ComparisonRows::add_values(Quantity quantity, const std::map<std::string, ComparedValue>& left,
                                const std::map<std::string, ComparedValue>& right) {
  const auto side = [](const std::map<std::string, ComparedValue>& values, const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? ComparedValue() : found->second;
  };
  for (const std::string& key : all_keys(left, right)) {
    rows_.push_back({group_, key, quantity, side(left, key), side(right, key)});
  }
}

void ComparisonRows::add_either(const std::string& name, Quantity quantity,
                                std::optional<std::int64_t> left,
                                std::optional<std::int64_t> right) {
  const auto side = [quantity](const std::optional<std::int64_t>& number) {
    return number ? value_of(quantity, static_cast<double>(*number)) : ComparedValue();
  };
  rows_.push_back({group_, name, quantity, side(left), side(right)});
}

void ComparisonRows::add_texts(const std::map<std::string, std::string>& left,
                               const std::map<std::string, std::string>& right) {
  const auto side = [](const std::map<std::string, std::string>& values, const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? std::string() : found->second;
  };
  for (const std::string& key : all_keys(left, right))
    add_text(key, side(left, key), side(right, key));
}

void ComparisonRows::name_in_words(std::size_t first,
                                   const std::map<std::string, std::string>& words) {
  for (std::size_t i = first; i < rows_.size(); ++i) {
    const auto found = words.find(rows_[i].name);
    if (found != words.end()) rows_[i].words = found->second;
  }
}

void ComparisonRows::sort_from(std::size_t first) {
  const auto size = [](const ComparisonRow& row) {
    return std::max(row.left.number.value_or(0), row.right.number.value_or(0));
  };
  std::stable_sort(
      rows_.begin() + static_cast<std::ptrdiff_t>(first), rows_.end(),
      [&](const ComparisonRow& a, const ComparisonRow& b) { return size(a) > size(b); });
}

}  // namespace stashscope
