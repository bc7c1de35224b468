#pragma once

#include <algorithm>
#include <cstdint>

namespace stashscope {

/// The rows of a piece of scores if nothing else is chosen: a piece has at most as many scores as
/// the hidden states of all rows have numbers, but at least one row. (Liger Kernel, arXiv
/// 2410.10989, divides the rows by the same rule, rounded to powers of two.)
/// @param rows number of rows @param width numbers per hidden state @param classes scores per row
inline std::int64_t default_loss_rows(std::int64_t rows, std::int64_t width, std::int64_t classes) {
  const double all = static_cast<double>(rows) * static_cast<double>(width);
  const auto fitting =
      static_cast<std::int64_t>(all / static_cast<double>(std::max<std::int64_t>(1, classes)));
  return std::clamp<std::int64_t>(fitting, 1, std::max<std::int64_t>(1, rows));
}

/// The rows of a piece in LinearCrossEntropyLoss and its gradient.
/// @param wanted the attribute `rows`; 0: `default_loss_rows`
inline std::int64_t loss_rows(std::int64_t wanted, std::int64_t rows, std::int64_t width,
                              std::int64_t classes) {
  if (wanted <= 0) return default_loss_rows(rows, width, classes);
  return std::min(wanted, std::max<std::int64_t>(1, rows));
}

}  // namespace stashscope
