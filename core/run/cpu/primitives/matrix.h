#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/run/cpu/primitives/onednn.h"

namespace stashscope::cpu {

/// A matrix in memory; strides count elements.
template <class T>
struct Matrix {
  const T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 1;

  Matrix transposed() const { return {data, columns, rows, column_stride, row_stride}; }
};

template <class T>
Matrix<T> dense_matrix(const T* data, std::int64_t rows, std::int64_t columns) {
  return {data, rows, columns, columns, 1};
}

/// The elements of `matrix` row by row.
template <class T>
std::vector<T> packed(const Matrix<T>& matrix) {
  std::vector<T> items;
  items.reserve(static_cast<std::size_t>(matrix.rows * matrix.columns));
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const T* const from = matrix.data + row * matrix.row_stride;
    for (std::int64_t i = 0; i < matrix.columns; ++i)
      items.push_back(from[i * matrix.column_stride]);
  }
  return items;
}

/// Calls `body` with `matrix` if its rows are contiguous, else with a copy whose rows are
/// contiguous.
template <class T, class Body>
void with_contiguous_rows(const Matrix<T>& matrix, Body body) {
  if (matrix.column_stride == 1 || matrix.columns <= 1) return body(matrix);
  const std::vector<T> copy = packed(matrix);
  body(dense_matrix(copy.data(), matrix.rows, matrix.columns));
}

/// sum += a b for any number type. Adds up multiples of the rows of b, in blocks that stay in the
/// cache. The terms of an element are added in the order of the inner axis.
template <class T>
void add_product_plainly(const Matrix<T>& a, const Matrix<T>& b, T* sum) {
  constexpr std::int64_t block = 64;
  with_contiguous_rows(b, [&](const Matrix<T>& right) {
    for (std::int64_t begin = 0; begin < a.columns; begin += block) {
      const std::int64_t end = std::min(begin + block, a.columns);
      for (std::int64_t row = 0; row < a.rows; ++row) {
        T* const sums = sum + row * b.columns;
        for (std::int64_t k = begin; k < end; ++k) {
          const T factor = a.data[row * a.row_stride + k * a.column_stride];
          const T* const items = right.data + k * right.row_stride;
          for (std::int64_t i = 0; i < b.columns; ++i) sums[i] += factor * items[i];
        }
      }
    }
  });
}

/// product = a b, dense. Float matrices use oneDNN.
template <class T>
void multiply(const Matrix<T>& a, const Matrix<T>& b, T* product) {
  std::fill_n(product, a.rows * b.columns, T(0));
  add_product_plainly(a, b, product);
}
template <>
void multiply(const Matrix<float>& a, const Matrix<float>& b, float* product);

/// sum += a b, dense. Float matrices use oneDNN.
template <class T>
void add_product(const Matrix<T>& a, const Matrix<T>& b, T* sum) {
  add_product_plainly(a, b, sum);
}
template <>
void add_product(const Matrix<float>& a, const Matrix<float>& b, float* sum);

}  // namespace stashscope::cpu
