#include "core/layout/place/rows.h"

#include <algorithm>

namespace stashscope::layout {

namespace {

/// The longest subset of links in which both sides ascend. Takes quadratic time, which is short for
/// a few hundred rows.
std::vector<RowLink> longest_ascent(std::vector<RowLink> links) {
  std::sort(links.begin(), links.end(), [](const RowLink& a, const RowLink& b) {
    return a.left < b.left || (a.left == b.left && a.right < b.right);
  });
  constexpr auto none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> length(links.size(), 1);
  std::vector<std::size_t> before(links.size(), none);
  std::size_t last = none;
  for (std::size_t i = 0; i < links.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool ascends = links[j].left < links[i].left && links[j].right < links[i].right;
      if (!ascends || length[j] + 1 <= length[i]) continue;
      length[i] = length[j] + 1;
      before[i] = j;
    }
    if (last == none || length[i] > length[last]) last = i;
  }
  std::vector<RowLink> chain;
  for (; last != none; last = before[last]) chain.push_back(links[last]);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

/// Moves the rows after `first` up to and including `last`, so that `last` lies `distance` below
/// `first`. The extra distance is spread evenly over the gaps.
void spread(const std::vector<Row>& rows, std::vector<double>& centers, std::size_t first,
            std::size_t last, double distance) {
  const double more = distance - (rows[last].center - rows[first].center);
  for (std::size_t row = first + 1; row <= last; ++row) {
    const double share = static_cast<double>(row - first) / static_cast<double>(last - first);
    centers[row] = centers[first] + rows[row].center - rows[first].center + more * share;
  }
}

/// Moves row `anchor` to `center`, and all other rows by the same distance.
void shift_around(const std::vector<Row>& rows, std::vector<double>& centers, std::size_t anchor,
                  double center) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    centers[row] = center + rows[row].center - rows[anchor].center;
  }
}

double top(const Row& row) { return row.center - row.height / 2; }

}  // namespace

AlignedRows align_rows(const std::vector<Row>& left, const std::vector<Row>& right,
                       std::vector<RowLink> links) {
  AlignedRows aligned{std::vector<double>(left.size()), std::vector<double>(right.size())};
  const std::vector<RowLink> chain = longest_ascent(std::move(links));
  if (chain.empty()) {
    if (!left.empty()) shift_around(left, aligned.left, 0, left[0].center - top(left[0]));
    if (!right.empty()) shift_around(right, aligned.right, 0, right[0].center - top(right[0]));
    return aligned;
  }
  const RowLink& first = chain.front();
  const double center = std::max(left[first.left].center - top(left.front()),
                                 right[first.right].center - top(right.front()));
  shift_around(left, aligned.left, first.left, center);
  shift_around(right, aligned.right, first.right, center);
  for (std::size_t i = 1; i < chain.size(); ++i) {
    const RowLink& from = chain[i - 1];
    const RowLink& to = chain[i];
    const double distance = std::max(left[to.left].center - left[from.left].center,
                                     right[to.right].center - right[from.right].center);
    spread(left, aligned.left, from.left, to.left, distance);
    spread(right, aligned.right, from.right, to.right, distance);
  }
  const auto move_rest = [](const std::vector<Row>& rows, std::vector<double>& centers,
                            std::size_t last) {
    for (std::size_t row = last + 1; row < rows.size(); ++row) {
      centers[row] = centers[last] + rows[row].center - rows[last].center;
    }
  };
  move_rest(left, aligned.left, chain.back().left);
  move_rest(right, aligned.right, chain.back().right);
  return aligned;
}

RowMap::RowMap(const std::vector<Row>& rows, const std::vector<double>& centers) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double half = rows[i].height / 2;
    from_.push_back(rows[i].center - half);
    from_.push_back(rows[i].center + half);
    to_.push_back(centers[i] - half);
    to_.push_back(centers[i] + half);
  }
}

double RowMap::operator()(double y) const {
  if (from_.empty()) return y;
  if (y <= from_.front()) return y - from_.front() + to_.front();
  if (y >= from_.back()) return y - from_.back() + to_.back();
  const auto above = std::upper_bound(from_.begin(), from_.end(), y);
  const auto next = static_cast<std::size_t>(above - from_.begin());
  const double span = from_[next] - from_[next - 1];
  const double share = span > 0 ? (y - from_[next - 1]) / span : 0;
  return to_[next - 1] + share * (to_[next] - to_[next - 1]);
}

}  // namespace stashscope::layout
