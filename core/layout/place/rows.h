#pragma once

#include <vector>

namespace stashscope::layout {

/// All boxes of a column that lie at one height; y grows downwards.
struct Row {
  double center = 0;
  double height = 0;
};

/// Row `left` of one column belongs beside row `right` of the other.
struct RowLink {
  std::size_t left = 0;
  std::size_t right = 0;

  friend bool operator==(const RowLink&, const RowLink&) = default;
};

/// New positions of the rows of both columns. As many linked rows as possible lie side by side, the
/// rows of a column keep their order, and no gap shrinks.
struct AlignedRows {
  std::vector<double> left;  ///< new centres
  std::vector<double> right;
};
AlignedRows align_rows(const std::vector<Row>& left, const std::vector<Row>& right,
                       std::vector<RowLink> links);

/// Maps an old y to a new y. A y inside a row moves with the row, a y between two rows is
/// interpolated, and a y outside all rows moves with the nearest row.
class RowMap {
 public:
  /// @pre rows are ascending and disjoint, with one new centre each
  RowMap(const std::vector<Row>& rows, const std::vector<double>& centers);
  double operator()(double y) const;

 private:
  std::vector<double> from_;  // upper and lower edge of each row
  std::vector<double> to_;
};

}  // namespace stashscope::layout
