// Attention in blocks. A call keeps one block of scores at a time; the softmax of a row is updated
// with each block of keys. (Milakov and Gimelshein, arXiv 1805.02867; Dao et al., FlashAttention,
// arXiv 2205.14135 and 2307.08691)

#include <cmath>
#include <limits>

#include "core/ops/attention/fused_places.h"
#include "core/run/cpu/attention/attention.h"
#include "core/run/cpu/attention/exponential.h"
#include "core/run/cpu/attention/score_steps.h"
#include "core/run/cpu/primitives/onednn.h"
#include "core/run/shared/numbers.h"

namespace stashscope::cpu {

namespace {

template <class C>
class FusedForward {
 public:
  explicit FusedForward(const KernelContext& context)
      : operands_(context, fused_places::forward.query),
        steps_(context, fused_places::forward.step_operands, operands_),
        dropout_(context.attributes(), operands_),
        result_(operands_.result_stack(context.out())),
        log_sums_(operands_.sum_stack(context.has_output(1) ? context.out(1) : TensorView())) {
    if (log_sums_.tensor.present()) fill_zero(log_sums_.tensor);  // the padding of the rows
  }

  void run() {
    for (std::size_t entry = 0; entry < operands_.entries(); ++entry) {
      for_each_range(operands_.rows(), block_rows, [&](const RowRange& rows) {
        start(rows.count);
        for_each_range(operands_.key_count(), block_keys, [&](const RowRange& keys) {
          add_keys(entry, {operands_.scores_of(entry), rows, keys});
        });
        store(entry, rows);
      });
    }
  }

 private:
  void start(std::int64_t rows) {
    greatest_.assign(static_cast<std::size_t>(rows), -std::numeric_limits<C>::infinity());
    sums_.assign(static_cast<std::size_t>(rows), C(0));
    weighted_.assign(static_cast<std::size_t>(rows * operands_.values().columns), C(0));
  }

  /// Adds the keys of a block to the sums of the block's rows.
  void add_keys(std::size_t entry, const ScoreBlock& block) {
    compute_scores(entry, block);
    bool any = false;
    for (std::int64_t row = 0; row < block.rows.count; ++row) {
      any = take_row(row, scores_.data() + row * block.keys.count, block.keys.count) || any;
    }
    const Matrix<C>& values = value_rows_.load(operands_.values(), entry, block.keys);
    // Values that are infinite or NaN are not skipped: their products with a weight of 0 are NaN,
    // as in attention without blocks.
    if (!any && all_finite(values)) return;
    if (dropout_.drops()) drop(block);
    add_product(dense_matrix<C>(scores_.data(), block.rows.count, block.keys.count), values,
                weighted_.data());
  }

  void compute_scores(std::size_t entry, const ScoreBlock& block) {
    scores_.resize(static_cast<std::size_t>(block.elements()));
    const auto replacing = steps_.replacing_step(block);
    if (!replacing) {
      multiply(query_rows_.load(operands_.queries(), entry, block.rows),
               key_rows_.load(operands_.keys(), entry, block.keys).transposed(), scores_.data());
    }
    steps_.apply(block, replacing.value_or(0), scores_.data());
  }

  /// Turns the scores of a row into weights relative to the greatest score so far, and rescales the
  /// earlier sums to the same score. Returns false if all new weights are 0.
  bool take_row(std::int64_t row, C* scores, std::int64_t keys) {
    C& greatest = greatest_[static_cast<std::size_t>(row)];
    C& sum = sums_[static_cast<std::size_t>(row)];
    const C own = greatest_in(scores, keys);
    const C before = greatest;
    greatest = own > before ? own : before;
    // Where all scores are minus infinity so far, all weights are 0, not NaN.
    const bool is_hidden = greatest == -std::numeric_limits<C>::infinity();
    const C shift = is_hidden ? C(0) : greatest;
    if (before != greatest) {
      const C factor = exponential(before - shift);
      sum *= factor;
      C* const weighted = weighted_.data() + row * operands_.values().columns;
      for (std::int64_t i = 0; i < operands_.values().columns; ++i) weighted[i] *= factor;
    }
    if (!make_weights(scores, keys, own, shift)) return false;
    const C added = sum_in(scores, keys);
    sum += added;
    return added != 0;
  }

  void drop(const ScoreBlock& block) {
    factors_.resize(scores_.size());
    dropout_.factors(block, factors_.data());
    for (std::size_t i = 0; i < scores_.size(); ++i) scores_[i] *= factors_[i];
  }

  /// Divides the weighted values by the sums of the weights, and stores them. A row whose scores
  /// are all minus infinity becomes NaN, as in Softmax; without keys, all rows are 0.
  void store(std::size_t entry, const RowRange& rows) {
    const std::int64_t columns = operands_.values().columns;
    for (std::int64_t row = 0; row < rows.count; ++row) {
      C& sum = sums_[static_cast<std::size_t>(row)];
      const C factor = operands_.key_count() == 0 ? C(0) : 1 / sum;
      for (std::int64_t i = 0; i < columns; ++i) {
        weighted_[static_cast<std::size_t>(row * columns + i)] *= factor;
      }
      sum = greatest_[static_cast<std::size_t>(row)] + std::log(sum);
    }
    store_rows(weighted_.data(), result_, entry, rows);
    if (log_sums_.tensor.present()) store_rows(sums_.data(), log_sums_, entry, rows);
  }

  FusedOperands operands_;
  ScoreSteps<C> steps_;
  ProbabilityDropout dropout_;
  MatrixStack result_;
  MatrixStack log_sums_;
  RowBlock<C> query_rows_;
  RowBlock<C> key_rows_;
  RowBlock<C> value_rows_;
  std::vector<C> scores_;
  std::vector<C> factors_;
  std::vector<C> weighted_;  ///< sums of weighted values [rows, value size]
  std::vector<C> greatest_;  ///< by row
  std::vector<C> sums_;      ///< by row: the sum of the weights; at last log_sum_exp
};

}  // namespace

/// (Q, K, V, operands of the steps...) -> Y, [log_sum_exp]
void fused_attention(const KernelContext& context) {
  const onednn::OneThread only;
  with_real(context.in(0).element,
            [&](auto tag) { FusedForward<typename decltype(tag)::type>(context).run(); });
}

}  // namespace stashscope::cpu
