#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "core/run/cpu/attention/exponential.h"
#include "core/run/cpu/primitives/matrix.h"
#include "core/run/cpu/primitives/strided_copy.h"
#include "core/run/shared/dispatch.h"

namespace stashscope::cpu {

/// Whether no element of a matrix is infinite or NaN. Also false, without a look at the elements,
/// if neither the rows nor the columns of the matrix are contiguous.
template <class C>
bool all_finite(const Matrix<C>& matrix) {
  if (matrix.column_stride != 1) return matrix.row_stride == 1 && all_finite(matrix.transposed());
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    if (!all_finite(matrix.data + row * matrix.row_stride, matrix.columns)) return false;
  }
  return true;
}

/// A range of rows of one matrix.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// A tensor seen as one matrix [rows, columns] for each entry of a result. An entry is a position
/// in the result's leading axes; entries are numbered in row-major order. The tensor may repeat
/// matrices, and its axes may have any order. Strides and offsets count elements.
struct MatrixStack {
  TensorView tensor;
  std::vector<std::int64_t> offsets;  ///< by entry
  std::int64_t rows = 0;
  std::int64_t columns = 1;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 1;

  std::int64_t offset(std::size_t entry, std::int64_t row) const {
    return offsets[entry] + row * row_stride;
  }
};

/// Rows of a matrix stack as numbers of type C: the tensor's own memory where its layout and its
/// type allow it, else a converted copy of these rows.
template <class C>
class RowBlock {
 public:
  const Matrix<C>& load(const MatrixStack& stack, std::size_t entry, const RowRange& range) {
    const std::int64_t offset = stack.offset(entry, range.first);
    const bool has_runs = stack.column_stride == 1 || stack.row_stride == 1;
    if (stack.tensor.element == element_of<C> && has_runs) {
      matrix_ = {stack.tensor.as<C>().data() + offset, range.count, stack.columns, stack.row_stride,
                 stack.column_stride};
      return matrix_;
    }
    copy_.resize(static_cast<std::size_t>(range.count * stack.columns));
    with_floating(stack.tensor.element, [&](auto tag) {
      using T = typename decltype(tag)::type;
      convert(stack.tensor.as<T>().data() + offset, stack, range.count);
    });
    matrix_ = dense_matrix<C>(copy_.data(), range.count, stack.columns);
    return matrix_;
  }

 private:
  template <class T>
  void convert(const T* from, const MatrixStack& stack, std::int64_t rows) {
    C* to = copy_.data();
    for (std::int64_t row = 0; row < rows; ++row) {
      const T* const items = from + row * stack.row_stride;
      for (std::int64_t i = 0; i < stack.columns; ++i) {
        *to++ = static_cast<C>(static_cast<Compute<T>>(items[i * stack.column_stride]));
      }
    }
  }

  std::vector<C> copy_;
  Matrix<C> matrix_;
};

/// Stores dense rows in a matrix stack, converted to its type.
template <class C>
void store_rows(const C* from, const MatrixStack& stack, std::size_t entry, const RowRange& range) {
  with_floating(stack.tensor.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* const to = stack.tensor.as<T>().data() + stack.offset(entry, range.first);
    for (std::int64_t row = 0; row < range.count; ++row) {
      T* const items = to + row * stack.row_stride;
      for (std::int64_t i = 0; i < stack.columns; ++i) {
        items[i * stack.column_stride] = static_cast<T>(static_cast<Compute<T>>(*from++));
      }
    }
  });
}

/// Gradients of a matrix stack, added up as numbers of type C. Keeps the sums of one matrix and
/// stores them when an entry adds to another matrix. If later entries add to an earlier matrix
/// again, keeps the sums of all matrices until the end.
template <class C>
class GradientSums {
 public:
  /// @param target the gradient; without a tensor, nothing is added up
  explicit GradientSums(const MatrixStack& target);

  bool wanted() const { return target_->tensor.present(); }
  /// The sums [rows, columns] that the entry adds to. Entries must come in ascending order.
  C* at(std::size_t entry);
  /// Stores the sums that are not stored yet.
  void finish();

 private:
  void store(std::size_t slot);
  std::int64_t size() const { return target_->rows * target_->columns; }

  const MatrixStack* target_;
  std::vector<std::size_t> slots_;  ///< by entry, the number of its matrix
  std::vector<std::size_t> first_;  ///< by slot, the first entry with this matrix
  std::vector<C> sums_;
  std::optional<std::size_t> current_;
  bool keeps_all_ = false;
};

template <class C>
GradientSums<C>::GradientSums(const MatrixStack& target) : target_(&target) {
  if (!wanted()) return;
  std::map<std::int64_t, std::size_t> known;
  for (std::size_t entry = 0; entry < target.offsets.size(); ++entry) {
    const auto [place, is_new] = known.emplace(target.offsets[entry], known.size());
    if (is_new) first_.push_back(entry);
    keeps_all_ = keeps_all_ || (!is_new && place->second != slots_.back());
    slots_.push_back(place->second);
  }
  const std::size_t kept = keeps_all_ ? known.size() : std::min<std::size_t>(1, known.size());
  sums_.assign(kept * static_cast<std::size_t>(size()), C(0));
  fill_zero(target.tensor);
}

template <class C>
C* GradientSums<C>::at(std::size_t entry) {
  const std::size_t slot = slots_[entry];
  if (keeps_all_) return sums_.data() + static_cast<std::int64_t>(slot) * size();
  if (current_ && *current_ != slot) {
    store(*current_);
    std::fill(sums_.begin(), sums_.end(), C(0));
  }
  current_ = slot;
  return sums_.data();
}

template <class C>
void GradientSums<C>::store(std::size_t slot) {
  const std::int64_t begin = keeps_all_ ? static_cast<std::int64_t>(slot) * size() : 0;
  store_rows(sums_.data() + begin, *target_, first_[slot], {0, target_->rows});
}

template <class C>
void GradientSums<C>::finish() {
  if (current_) store(*current_);
  for (std::size_t slot = 0; keeps_all_ && slot < first_.size(); ++slot) store(slot);
}

}  // namespace stashscope::cpu
