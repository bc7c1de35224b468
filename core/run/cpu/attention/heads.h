#pragma once

#include <algorithm>
#include <vector>

#include "core/run/cpu/primitives/shared_names.h"
#include "core/run/shared/numbers.h"

namespace stashscope::cpu {

/// The elements of a tensor, seen as [batch, heads, sequence, size]. In memory, the heads may come
/// before or after the sequence.
struct Heads {
  std::vector<double> items;
  std::int64_t heads = 0;
  std::int64_t length = 0;
  std::int64_t size = 0;
  bool heads_first = true;  ///< else [batch, sequence, heads, size]

  Heads() = default;
  Heads(const TensorView& tensor, std::int64_t head_count)
      : Heads(tensor, head_count, numbers_of<double>(tensor)) {}
  /// Zeros in the layout of a tensor.
  static Heads zeros(const TensorView& tensor, std::int64_t head_count) {
    return {tensor, head_count, std::vector<double>(static_cast<std::size_t>(tensor.elements()))};
  }

  const double* row(std::int64_t batch, std::int64_t head, std::int64_t at) const {
    return items.data() + offset(batch, head, at);
  }
  std::int64_t offset(std::int64_t batch, std::int64_t head, std::int64_t at) const {
    const std::int64_t position =
        heads_first ? (batch * heads + head) * length + at : (batch * length + at) * heads + head;
    return position * size;
  }
  double* row(std::int64_t batch, std::int64_t head, std::int64_t at) {
    return items.data() + offset(batch, head, at);
  }

 private:
  Heads(const TensorView& tensor, std::int64_t head_count, std::vector<double> elements)
      : items(std::move(elements)), heads_first(tensor.rank() == 4) {
    heads = heads_first ? tensor.dim(1) : head_count;
    length = tensor.dim(-2);
    size = heads_first ? tensor.dim(-1) : tensor.dim(-1) / std::max<std::int64_t>(1, heads);
  }
};

}  // namespace stashscope::cpu
