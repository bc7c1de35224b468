#include "core/run/cpu/primitives/matrix.h"

namespace stashscope::cpu {

namespace {

/// Calls `body` with the matrix in a layout that oneDNN supports, copied if necessary.
template <class Body>
void with_layout(const Matrix<float>& matrix, Body body) {
  if (matrix.column_stride == 1 || matrix.columns == 1) {
    return body(matrix.data,
                onednn::MatrixLayout{false, std::max(matrix.row_stride, matrix.columns)});
  }
  if (matrix.row_stride == 1 || matrix.rows == 1) {
    return body(matrix.data,
                onednn::MatrixLayout{true, std::max(matrix.column_stride, matrix.rows)});
  }
  const std::vector<float> copy = packed(matrix);
  body(copy.data(), onednn::MatrixLayout{false, matrix.columns});
}

/// product = a b or, if `adds`, product += a b.
/// @pre no matrix is empty
void multiply_floats(const Matrix<float>& a, const Matrix<float>& b, bool adds, float* product) {
  with_layout(a, [&](const float* a_data, onednn::MatrixLayout a_layout) {
    with_layout(b, [&](const float* b_data, onednn::MatrixLayout b_layout) {
      onednn::multiply({a.rows, b.columns, a.columns}, a_data, a_layout, b_data, b_layout, adds,
                       product);
    });
  });
}

}  // namespace

template <>
void multiply(const Matrix<float>& a, const Matrix<float>& b, float* product) {
  if (a.rows == 0 || b.columns == 0) return;
  if (a.columns == 0) {
    std::fill_n(product, a.rows * b.columns, 0.0F);
    return;
  }
  multiply_floats(a, b, false, product);
}

template <>
void add_product(const Matrix<float>& a, const Matrix<float>& b, float* sum) {
  if (a.rows > 0 && b.columns > 0 && a.columns > 0) multiply_floats(a, b, true, sum);
}

}  // namespace stashscope::cpu
