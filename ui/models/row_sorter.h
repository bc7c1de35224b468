#pragma once

#include <QVariant>
#include <string>
#include <vector>

namespace stashscope::ui {

/// Sorts rows by one value per row. The work is spread over the calls of `close_run` and
/// `merge_runs`. Numbers are sorted by value, texts from A to Z with the numbers inside them by
/// value (`h.2` before `h.10`). Whether the order is ascending or descending, rows with a text come
/// after rows with a number, and rows without a value come last. Equal rows keep their order.
class RowSorter {
 public:
  explicit RowSorter(Qt::SortOrder order) : is_ascending_(order == Qt::AscendingOrder) {}

  /// Adds the value of the next row.
  void add(const QVariant& value);
  /// Sorts the rows that were added since the last call. These rows are then one run.
  void close_run();
  /// Number of rows that were added.
  int size() const { return static_cast<int>(keys_.size()); }
  /// Merges neighbouring runs in pairs.
  void merge_runs();
  bool is_one_run() const { return ends_.size() <= 1; }
  /// The rows in their new order. Call `close_run` before. Merges the runs that are left.
  std::vector<int> rows() &&;

 private:
  enum class Kind : unsigned char { number, text, nothing };
  struct Key {
    Kind kind = Kind::nothing;
    double number = 0;
    std::string text;  ///< compares byte by byte
  };

  static std::string text_key(const QString& text);
  bool is_before(int a, int b) const;

  bool is_ascending_;
  std::vector<Key> keys_;
  std::vector<int> rows_;             ///< sorted within each run
  std::vector<std::ptrdiff_t> ends_;  ///< end of each run in `rows_`
};

}  // namespace stashscope::ui
