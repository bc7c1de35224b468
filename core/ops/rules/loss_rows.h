#pragma once

#include <algorithm>
#include <cstdint>

namespace stashscope {

/// LinearCrossEntropyLoss computes the scores of its rows piece by piece. By default, a piece has
/// at least this number of rows. Smaller pieces save little memory, but read the weight so often
/// that memory traffic dominates.
constexpr std::int64_t least_default_loss_rows = 64;

/// The default number of rows of a piece: so many that the piece has at most as many scores as the
/// hidden states of all rows have elements. If this number is below `least_default_loss_rows`, the
/// piece has `least_default_loss_rows` rows, or all rows if there are fewer. (Liger Kernel, arXiv
/// 2410.10989, divides the rows by the same rule, rounded to powers of two and without the lower
/// bound.)
/// @param rows number of rows @param width numbers per hidden state @param classes scores per row
inline std::int64_t default_loss_rows(std::int64_t rows, std::int64_t width, std::int64_t classes) {
  const double numbers = static_cast<double>(rows) * static_cast<double>(width);
  const double in_row = static_cast<double>(std::max<std::int64_t>(1, classes));
  const auto fitting = static_cast<std::int64_t>(numbers / in_row);
  const std::int64_t all = std::max<std::int64_t>(1, rows);
  return std::min(std::max(fitting, least_default_loss_rows), all);
}

/// The number of rows of a piece in LinearCrossEntropyLoss and its gradient; at least 1, at most
/// all.
/// @param wanted the attribute `rows`; 0: `default_loss_rows`
inline std::int64_t loss_rows(std::int64_t wanted, std::int64_t rows, std::int64_t width,
                              std::int64_t classes) {
  if (wanted <= 0) return default_loss_rows(rows, width, classes);
  return std::min(wanted, std::max<std::int64_t>(1, rows));
}

}  // namespace stashscope
