#pragma once

#include <vector>

namespace stashscope::layout {

/// The boxes of a column that share one height; y grows downwards.
struct Row {
  double center = 0;
  double height = 0;
};

/// That row `left` of one column belongs beside row `right` of the other.
struct RowLink {
  std::size_t left = 0;
  std::size_t right = 0;

  friend bool operator==(const RowLink&, const RowLink&) = default;
};

/// Where the rows of both columns go so that as many linked rows as possible lie side by side, both
/// columns keep their order and no gap shrinks.
struct AlignedRows {
  std::vector<double> left;  ///< new centres
  std::vector<double> right;
};
AlignedRows align_rows(const std::vector<Row>& left, const std::vector<Row>& right,
                       std::vector<RowLink> links);

/// Follows rows to their new places: heights inside a row move with it, those between two rows are
/// spread over the gap.
class RowMap {
 public:
  /// @pre rows ascending and apart, one new centre for each
  RowMap(const std::vector<Row>& rows, const std::vector<double>& centers);
  double operator()(double y) const;

 private:
  std::vector<double> from_;  // upper and lower edge of each row
  std::vector<double> to_;
};

}  // namespace stashscope::layout
