#include "ui/models/row_sorter.h"

#include <algorithm>
#include <numeric>

namespace stashscope::ui {

/// Writes before each number how many digits the number has. Compared as texts, a number with more
/// digits is then larger.
std::string RowSorter::text_key(const QString& text) {
  const std::string folded = text.toCaseFolded().toStdString();
  const auto is_digit = [](char each) { return each >= '0' && each <= '9'; };
  std::string key;
  key.reserve(folded.size() + 4);
  for (std::size_t i = 0; i < folded.size(); ++i) {
    if (!is_digit(folded[i])) {
      key += folded[i];
      continue;
    }
    std::size_t end = i + 1;
    while (end < folded.size() && is_digit(folded[end])) ++end;
    while (i + 1 < end && folded[i] == '0') ++i;
    // Adding '0' makes the count a digit, so that a number still sorts as digits among other
    // characters.
    key += static_cast<char>('0' + std::min<std::size_t>(end - i, 9));
    key.append(folded, i, end - i);
    i = end - 1;
  }
  return key;
}

void RowSorter::add(const QVariant& value) {
  if (value.typeId() == QMetaType::QString) {
    const QString text = value.toString();
    keys_.push_back({text.isEmpty() ? Kind::nothing : Kind::text, 0, text_key(text)});
  } else {
    bool is_number = false;
    const double number = value.toDouble(&is_number);
    keys_.push_back({is_number ? Kind::number : Kind::nothing, number, {}});
  }
}

bool RowSorter::is_before(int a, int b) const {
  const Key& first = keys_[static_cast<std::size_t>(a)];
  const Key& second = keys_[static_cast<std::size_t>(b)];
  if (first.kind != second.kind) return first.kind < second.kind;
  const Key& lower = is_ascending_ ? first : second;
  const Key& upper = is_ascending_ ? second : first;
  if (first.kind == Kind::number) return lower.number < upper.number;
  return lower.text < upper.text;
}

void RowSorter::close_run() {
  const std::size_t begin = rows_.size();
  rows_.resize(keys_.size());
  const auto run = rows_.begin() + static_cast<std::ptrdiff_t>(begin);
  std::iota(run, rows_.end(), static_cast<int>(begin));
  std::stable_sort(run, rows_.end(), [this](int a, int b) { return is_before(a, b); });
  ends_.push_back(std::ssize(rows_));
}

void RowSorter::merge_runs() {
  const auto before = [this](int a, int b) { return is_before(a, b); };
  std::vector<std::ptrdiff_t> ends;
  std::ptrdiff_t begin = 0;
  for (std::size_t i = 0; i < ends_.size(); i += 2) {
    const std::ptrdiff_t end = ends_[std::min(i + 1, ends_.size() - 1)];
    std::inplace_merge(rows_.begin() + begin, rows_.begin() + ends_[i], rows_.begin() + end,
                       before);
    ends.push_back(end);
    begin = end;
  }
  ends_ = std::move(ends);
}

std::vector<int> RowSorter::rows() && {
  while (!is_one_run()) merge_runs();
  return std::move(rows_);
}

}  // namespace stashscope::ui
