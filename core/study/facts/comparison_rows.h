#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/study/facts/comparison.h"

namespace stashscope {

/// A change with its sign and unit: `+1.2 MiB`, `−4.1 %`.
std::string with_sign(Quantity quantity, double change);

/// Collects the rows of a comparison, in the order in which they are added.
class ComparisonRows {
 public:
  void start(ComparisonGroup group) { group_ = group; }

  void add(const std::string& name, Quantity quantity, double left, double right);
  /// Adds a row in which a side may have no value.
  void add_either(const std::string& name, Quantity quantity, std::optional<std::int64_t> left,
                  std::optional<std::int64_t> right);
  void add_bytes(const std::string& name, std::int64_t left, std::int64_t right) {
    add(name, Quantity::bytes, static_cast<double>(left), static_cast<double>(right));
  }
  void add_count(const std::string& name, std::size_t left, std::size_t right) {
    add(name, Quantity::count, static_cast<double>(left), static_cast<double>(right));
  }
  void add_text(const std::string& name, const std::string& left, const std::string& right) {
    rows_.push_back({group_, name, Quantity::text, {left, {}}, {right, {}}});
  }
  /// Adds one row for each key of either side, in the order of the keys.
  void add_values(Quantity quantity, const std::map<std::string, ComparedValue>& left,
                  const std::map<std::string, ComparedValue>& right);
  void add_texts(const std::map<std::string, std::string>& left,
                 const std::map<std::string, std::string>& right);
  /// Sets `ComparisonRow::words` for the rows from index `first` to the end.
  /// @param words maps the name of a row to its name in words; a row whose name has no entry gets
  /// no words
  void name_in_words(std::size_t first, const std::map<std::string, std::string>& words);
  /// Sorts the rows from index `first` to the end by the larger of their two numbers, descending.
  void sort_from(std::size_t first);

  std::size_t size() const { return rows_.size(); }
  std::vector<ComparisonRow> take() { return std::move(rows_); }

 private:
  ComparisonGroup group_ = ComparisonGroup::memory;
  std::vector<ComparisonRow> rows_;
};

}  // namespace stashscope
