#pragma once

#include <vector>

#include "core/ops/attention/attention_shapes.h"
#include "core/run/cpu/attention/matrix_stack.h"
#include "core/run/cpu/primitives/random.h"

namespace stashscope::cpu {

inline Shape shape_of(const TensorView& tensor) { return {tensor.dims.begin(), tensor.dims.end()}; }

/// A block of scores: some rows and some keys of one entry. The entry is a position in the leading
/// axes of the product of Q and K.
struct ScoreBlock {
  std::size_t scores;  ///< the number of the entry, in row-major order
  RowRange rows;
  RowRange keys;

  std::int64_t elements() const { return rows.count * keys.count; }
};

/// Blocks of this many rows and keys fit into the cache of one core.
constexpr std::int64_t block_rows = 128;
constexpr std::int64_t block_keys = 256;

/// Calls `body(range)` for consecutive ranges of at most `most` rows.
template <class Body>
void for_each_range(std::int64_t rows, std::int64_t most, Body body) {
  for (std::int64_t first = 0; first < rows; first += most) {
    body(RowRange{first, std::min(most, rows - first)});
  }
}

/// The tensors of FusedAttention or FusedAttentionGrad as stacks of matrices, with one matrix for
/// each entry of the result's leading axes.
class FusedOperands {
 public:
  /// @param query the input that is Q; K and V follow
  FusedOperands(const KernelContext& context, std::size_t query);

  std::size_t entries() const { return scores_.size(); }
  std::int64_t rows() const { return queries_.rows; }
  std::int64_t key_count() const { return keys_.rows; }
  const MatrixStack& queries() const { return queries_; }
  const MatrixStack& keys() const { return keys_; }
  const MatrixStack& values() const { return values_; }
  /// The entry of the scores that an entry of the result reads.
  std::size_t scores_of(std::size_t entry) const { return scores_[entry]; }
  /// [leading..., rows, keys], before the steps.
  const std::vector<std::int64_t>& score_dims() const { return score_dims_; }

  // A tensor with the layout of Q (of K, of V) as a stack of matrices. Empty if the tensor is left
  // out.
  MatrixStack query_stack(const TensorView& tensor) const;
  MatrixStack key_stack(const TensorView& tensor) const;
  MatrixStack value_stack(const TensorView& tensor) const;
  /// Y or its gradient.
  MatrixStack result_stack(const TensorView& tensor) const;
  /// log_sum_exp, as matrices of one column.
  MatrixStack sum_stack(const TensorView& tensor) const;

 private:
  MatrixStack stack(const TensorView& tensor, const Integers& axes) const;

  std::vector<std::int64_t> leading_;  ///< of the result
  std::vector<std::int64_t> score_dims_;
  std::vector<std::size_t> scores_;  ///< by entry of the result
  Integers query_axes_;
  Integers key_axes_;
  Integers value_axes_;
  Integers result_axes_;
  MatrixStack queries_;
  MatrixStack keys_;
  MatrixStack values_;
};

/// Drops probabilities as Dropout does: by seed and by position in the tensor of all scores.
class ProbabilityDropout {
 public:
  ProbabilityDropout(const Attributes& attributes, const FusedOperands& operands)
      : random_(static_cast<std::uint64_t>(attributes.integer("dropout_seed", 0))),
        share_(double{attributes.real("dropout", 0)}),
        rows_(operands.rows()),
        keys_(operands.key_count()) {}

  bool drops() const { return share_ > 0; }
  /// The factors of the probabilities of a block, [rows, keys]; 0 drops a probability.
  template <class C>
  void factors(const ScoreBlock& block, C* factors) const {
    const auto kept = static_cast<C>(1 / (1 - share_));
    for (std::int64_t row = 0; row < block.rows.count; ++row) {
      const auto start = static_cast<std::uint64_t>(
          (static_cast<std::int64_t>(block.scores) * rows_ + block.rows.first + row) * keys_ +
          block.keys.first);
      for (std::int64_t key = 0; key < block.keys.count; ++key) {
        const double number = random_.uniform(start + static_cast<std::uint64_t>(key));
        *factors++ = number >= share_ ? kept : C(0);
      }
    }
  }

 private:
  PositionalRandom random_;
  double share_;
  std::int64_t rows_;
  std::int64_t keys_;
};

}  // namespace stashscope::cpu
