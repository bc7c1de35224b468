// The gradient of attention in blocks. A call computes each block of scores again from Q, K and the
// logarithms of the softmax's sums. (Dao et al., FlashAttention, arXiv 2205.14135, Algorithm 4)

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/ops/attention/fused_places.h"
#include "core/run/cpu/attention/attention.h"
#include "core/run/cpu/attention/exponential.h"
#include "core/run/cpu/attention/score_steps.h"
#include "core/run/cpu/primitives/onednn.h"
#include "core/run/shared/numbers.h"

namespace stashscope::cpu {

namespace {

TensorView wanted_output(const KernelContext& context, std::size_t output) {
  return context.has_output(output) ? context.out(output) : TensorView();
}

constexpr fused_places::Inputs gradient_inputs = fused_places::backward;

/// Y and log_sum_exp, computed again from Q, K, V and the operands of the steps.
class RecomputedForward {
 public:
  explicit RecomputedForward(const KernelContext& context) : context_(context) {
    std::vector<TensorView>& inputs = context_.inputs;
    inputs.resize(std::max(inputs.size(), gradient_inputs.step_operands));
    const bool is_wide = context.in(gradient_inputs.query).element == ElementType::float64;
    inputs[fused_places::result] =
        allocate(context.in(gradient_inputs.query + 2).element, context.in(0).dims, result_);
    inputs[fused_places::log_sum_exp] =
        allocate(is_wide ? ElementType::float64 : ElementType::float32, sum_dims(context), sums_);
    KernelContext forward{context.node, context.version, {}, {}, context.seed};
    forward.inputs.assign(inputs.begin() + gradient_inputs.query,
                          inputs.begin() + fused_places::result);
    forward.inputs.insert(forward.inputs.end(), inputs.begin() + gradient_inputs.step_operands,
                          inputs.end());
    forward.outputs = {inputs[fused_places::result], inputs[fused_places::log_sum_exp]};
    fused_attention(forward);
  }

  /// The context of the gradient, with Y and log_sum_exp among its inputs.
  const KernelContext& context() const { return context_; }

 private:
  static std::vector<std::int64_t> sum_dims(const KernelContext& context) {
    const AttentionShapes shapes =
        attention_shapes(context.attributes(), shape_of(context.in(gradient_inputs.query)),
                         shape_of(context.in(gradient_inputs.query + 1)),
                         shape_of(context.in(gradient_inputs.query + 2)));
    std::vector<std::int64_t> dims;
    for (const Expr& dim : shapes.log_sum_exp(context.attributes())) {
      dims.push_back(dim.integer().value_or(0));
    }
    return dims;
  }

  static TensorView allocate(ElementType element, std::vector<std::int64_t> dims,
                             std::vector<std::byte>& memory) {
    const auto bits = static_cast<std::size_t>(bits_per_element(element));
    memory.resize(static_cast<std::size_t>(element_count(dims)) * bits / 8);
    return {element, std::move(dims), memory.data()};
  }

  KernelContext context_;
  std::vector<std::byte> result_;
  std::vector<std::byte> sums_;
};

/// Inputs: dY, Q, K, V, Y, log_sum_exp, then the operands of the steps.
template <class C>
class FusedBackward {
 public:
  explicit FusedBackward(const KernelContext& context)
      : operands_(context, gradient_inputs.query),
        steps_(context, gradient_inputs.step_operands, operands_),
        dropout_(context.attributes(), operands_),
        upstream_(operands_.result_stack(context.in(0))),
        result_(operands_.result_stack(context.in(fused_places::result))),
        log_sums_(operands_.sum_stack(context.in(fused_places::log_sum_exp))),
        query_target_(operands_.query_stack(wanted_output(context, 0))),
        key_target_(operands_.key_stack(wanted_output(context, 1))),
        value_target_(operands_.value_stack(wanted_output(context, 2))),
        queries_(query_target_),
        keys_(key_target_),
        values_(value_target_) {
    steps_.want_gradients(context, fused_places::first_step_gradient);
  }

  void run() {
    for (std::size_t entry = 0; entry < operands_.entries(); ++entry) {
      load_sums(entry);
      if (queries_.wanted()) query_sums_ = queries_.at(entry);
      if (keys_.wanted()) key_sums_ = keys_.at(entry);
      if (values_.wanted()) value_sums_ = values_.at(entry);
      for_each_range(operands_.key_count(), block_keys, [&](const RowRange& keys) {
        for_each_range(operands_.rows(), block_rows, [&](const RowRange& rows) {
          add_block(entry, {operands_.scores_of(entry), rows, keys});
        });
      });
    }
    queries_.finish();
    keys_.finish();
    values_.finish();
    steps_.finish();
  }

 private:
  bool needs_scores() const {
    return queries_.wanted() || keys_.wanted() || steps_.wants_gradients();
  }

  /// Loads log_sum_exp of an entry, and computes the dot product of each row of dY with the row of
  /// Y at the same index.
  void load_sums(std::size_t entry) {
    const RowRange all = {0, operands_.rows()};
    const Matrix<C> sums = log_sum_rows_.load(log_sums_, entry, all);
    row_sums_.assign(sums.data, sums.data + all.count);
    row_means_.clear();
    for_each_range(all.count, block_rows, [&](const RowRange& rows) {
      const Matrix<C>& dy = upstream_rows_.load(upstream_, entry, rows);
      const Matrix<C>& y = result_rows_.load(result_, entry, rows);
      for (std::int64_t row = 0; row < rows.count; ++row) {
        double sum = 0;
        for (std::int64_t i = 0; i < dy.columns; ++i) {
          sum += static_cast<double>(dy.data[row * dy.row_stride + i * dy.column_stride]) *
                 static_cast<double>(y.data[row * y.row_stride + i * y.column_stride]);
        }
        row_means_.push_back(static_cast<C>(sum));
      }
    });
  }

  void add_block(std::size_t entry, const ScoreBlock& block) {
    const Matrix<C>& q = query_rows_.load(operands_.queries(), entry, block.rows);
    const Matrix<C>& k = key_rows_.load(operands_.keys(), entry, block.keys);
    const Matrix<C>& v = value_rows_.load(operands_.values(), entry, block.keys);
    const Matrix<C>& dy = upstream_rows_.load(upstream_, entry, block.rows);
    const bool any = compute_weights(q, k, block);
    if (!any && adds_nothing(block, {&q, &k, &v, &dy})) return;
    if (dropout_.drops()) {
      factors_.resize(weights_.size());
      dropout_.factors(block, factors_.data());
    }
    if (values_.wanted()) add_value_gradient(dy, block);
    if (!needs_scores()) return;
    compute_score_gradient(dy, v, block);
    const Matrix<C> ds = dense_matrix<C>(gradient_.data(), block.rows.count, block.keys.count);
    if (keys_.wanted()) add_product(ds.transposed(), q, key_sums_ + block.keys.first * q.columns);
    if (queries_.wanted()) add_product(ds, k, query_sums_ + block.rows.first * k.columns);
  }

  /// Computes the softmax of a block. Returns false if all weights are known to be 0.
  bool compute_weights(const Matrix<C>& q, const Matrix<C>& k, const ScoreBlock& block) {
    weights_.resize(static_cast<std::size_t>(block.elements()));
    const auto replacing = steps_.reads_scores() ? std::nullopt : steps_.replacing_step(block);
    if (!replacing) multiply(q, k.transposed(), weights_.data());
    first_step_ = replacing.value_or(0);
    steps_.apply(block, first_step_, weights_.data());
    bool any = !steps_.may_hide();
    for (std::int64_t row = 0; row < block.rows.count; ++row) {
      C* const weights = weights_.data() + row * block.keys.count;
      const C shift = row_sums_[static_cast<std::size_t>(block.rows.first + row)];
      const C greatest = steps_.may_hide() ? greatest_in(weights, block.keys.count) : shift;
      any = make_weights(weights, block.keys.count, greatest, shift) || any;
    }
    return any;
  }

  /// Whether a block in which all weights are 0 is known to leave all gradients unchanged. This is
  /// not known if an operand has an infinite element or NaN, because the product of this element
  /// with 0 is NaN, nor if a gradient is computed from the scores, which may be infinite or NaN.
  bool adds_nothing(const ScoreBlock& block, std::initializer_list<const Matrix<C>*> operands) {
    const C* const means = row_means_.data() + block.rows.first;
    bool finite = all_finite(means, block.rows.count) && !steps_.reads_scores();
    for (const Matrix<C>* const each : operands) finite = finite && all_finite(*each);
    return finite;
  }

  void add_value_gradient(const Matrix<C>& dy, const ScoreBlock& block) {
    const C* weights = weights_.data();
    if (dropout_.drops()) {
      kept_.resize(weights_.size());
      for (std::size_t i = 0; i < kept_.size(); ++i) kept_[i] = weights_[i] * factors_[i];
      weights = kept_.data();
    }
    add_product(dense_matrix<C>(weights, block.rows.count, block.keys.count).transposed(), dy,
                value_sums_ + block.keys.first * dy.columns);
  }

  /// The gradient of the products of queries and keys.
  void compute_score_gradient(const Matrix<C>& dy, const Matrix<C>& v, const ScoreBlock& block) {
    gradient_.resize(weights_.size());
    multiply(dy, v.transposed(), gradient_.data());
    if (dropout_.drops()) {
      for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] *= factors_[i];
    }
    for (std::int64_t row = 0; row < block.rows.count; ++row) {
      const C mean = row_means_[static_cast<std::size_t>(block.rows.first + row)];
      C* const gradient = gradient_.data() + row * block.keys.count;
      const C* const weights = weights_.data() + row * block.keys.count;
      for (std::int64_t i = 0; i < block.keys.count; ++i) {
        gradient[i] = weights[i] * (gradient[i] - mean);
      }
    }
    steps_.go_back(block, first_step_, gradient_.data());
  }

  FusedOperands operands_;
  ScoreSteps<C> steps_;
  ProbabilityDropout dropout_;
  MatrixStack upstream_;
  MatrixStack result_;
  MatrixStack log_sums_;
  MatrixStack query_target_;
  MatrixStack key_target_;
  MatrixStack value_target_;
  GradientSums<C> queries_;
  GradientSums<C> keys_;
  GradientSums<C> values_;
  C* query_sums_ = nullptr;
  C* key_sums_ = nullptr;
  C* value_sums_ = nullptr;
  RowBlock<C> query_rows_;
  RowBlock<C> key_rows_;
  RowBlock<C> value_rows_;
  RowBlock<C> upstream_rows_;
  RowBlock<C> result_rows_;
  RowBlock<C> log_sum_rows_;
  std::vector<C> row_sums_;     ///< by row of the entry: the logarithm of the softmax's sum
  std::vector<C> row_means_;    ///< by row of the entry: the dot product of dY and Y
  std::size_t first_step_ = 0;  ///< the first step that is applied to the block
  std::vector<C> weights_;
  std::vector<C> factors_;  ///< of the dropout
  std::vector<C> kept_;     ///< the weights after the dropout
  std::vector<C> gradient_;
};

}  // namespace

/// (dY, Q, K, V, [Y], [log_sum_exp], operands of the steps...) -> [dQ], [dK], [dV], [gradients of
/// the operands of the steps...]
void fused_attention_grad(const KernelContext& context) {
  const onednn::OneThread only;
  std::optional<RecomputedForward> forward;
  if (!context.has_input(fused_places::result)) forward.emplace(context);
  const KernelContext& complete = forward ? forward->context() : context;
  with_real(context.in(gradient_inputs.query).element,
            [&](auto tag) { FusedBackward<typename decltype(tag)::type>(complete).run(); });
}

}  // namespace stashscope::cpu
