#pragma once

#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "core/base/error.h"
#include "core/run/cpu/attention/heads.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// Input `index`; an empty view if the input is left out.
inline TensorView operand(const KernelContext& context, std::size_t index) {
  return context.has_input(index) ? context.in(index) : TensorView();
}

/// The number added to each product of query and key before the softmax; minus infinity hides the
/// key.
class Bias {
 public:
  Bias(const KernelContext& context, const std::vector<std::int64_t>& products, std::int64_t past)
      : total_(products[3]), past_(past), query_count_(products[2]) {
    causal_ = context.attributes().integer("is_causal", 0) != 0;
    if (context.has_input(6)) lengths_ = as_integers(context.in(6));
    for (const std::int64_t length : lengths_) {
      if (length < 0) fail_run("", "has a negative number of keys: " + std::to_string(length));
    }
    if (!context.has_input(3)) return;
    const TensorView& mask = context.in(3);
    std::vector<std::int64_t> shape = products;
    covered_ = mask.dim(-1) == 1 ? total_ : mask.dim(-1);
    shape[3] = covered_;
    strides_ = broadcast_strides(shape, mask.dims);
    mask_ = numbers_of<double>(mask);
    if (mask.element != ElementType::boolean) return;
    for (double& item : mask_) item = item != 0 ? 0 : minus_infinity;
  }

  double at(std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t key) const {
    if (causal_ && key > query + offset(batch)) return minus_infinity;
    if (!lengths_.empty() && key >= lengths_[static_cast<std::size_t>(batch)]) {
      return minus_infinity;
    }
    if (mask_.empty()) return 0;
    if (key >= covered_) return minus_infinity;
    return mask_[static_cast<std::size_t>(batch * strides_[0] + head * strides_[1] +
                                          query * strides_[2] + key * strides_[3])];
  }

 private:
  /// The number of keys before the position of query 0.
  std::int64_t offset(std::int64_t batch) const {
    return lengths_.empty() ? past_ : lengths_[static_cast<std::size_t>(batch)] - query_count_;
  }

  std::vector<double> mask_;
  std::vector<std::int64_t> strides_;
  std::vector<std::int64_t> lengths_;
  std::int64_t total_;
  std::int64_t past_;
  std::int64_t query_count_;
  std::int64_t covered_ = 0;
  bool causal_ = false;
};

/// Computes the softmax in place. The result is all zeros when every key is hidden.
void softmax(double* row, std::int64_t count);

/// The stage of the computation whose scores output 3 returns. (ONNX, Attention,
/// qk_matmul_output_mode)
enum class Shown : std::int64_t { products, capped, biased, softmax };

/// Turns the products of one query into the weights of its keys, and records the scores for output
/// 3.
class Scores {
 public:
  Scores(const KernelContext& context, std::int64_t key_size)
      : shown_(static_cast<Shown>(context.attributes().integer("qk_matmul_output_mode", 0))),
        cap_(double{context.attributes().real("softcap", 0)}) {
    const double otherwise = 1 / std::sqrt(static_cast<double>(key_size));
    const bool is_given = context.attributes().has("scale");
    scale_ = is_given ? double{context.attributes().real("scale", 0)} : otherwise;
  }

  /// @param row the products; receives the weights
  /// @param bias_at returns the bias of a key
  /// @param shown receives the scores for output 3; may be null
  template <class BiasAt>
  void finish(std::vector<double>& row, BiasAt bias_at, double* shown) const {
    const auto show = [&](Shown state) {
      if (shown != nullptr && shown_ == state) std::copy(row.begin(), row.end(), shown);
    };
    for (double& item : row) item *= scale_;
    show(Shown::products);
    for (double& item : row) item = cap_ > 0 ? cap_ * std::tanh(item / cap_) : item;
    show(Shown::capped);
    for (std::size_t key = 0; key < row.size(); ++key) {
      const double bias = bias_at(static_cast<std::int64_t>(key));
      row[key] = bias == minus_infinity ? bias : row[key] + bias;
    }
    show(Shown::biased);
    if (!row.empty()) softmax(row.data(), std::ssize(row));
    show(Shown::softmax);
  }

  /// Backpropagates through `finish`.
  /// @param products the query times the keys
  /// @param weights the result of `finish`
  /// @param row the gradient of the weights; replaced by the gradient of the products
  /// @param shown the gradient of output 3 for this query; may be null
  /// @param take_bias receives each key and the gradient of its bias
  template <class TakeBias>
  void go_back(const std::vector<double>& products, const std::vector<double>& weights,
               std::vector<double>& row, const double* shown, TakeBias take_bias) const {
    const auto add_shown = [&](Shown state) {
      if (shown == nullptr || shown_ != state) return;
      for (std::size_t key = 0; key < row.size(); ++key) row[key] += shown[key];
    };
    add_shown(Shown::softmax);
    const double mean = std::inner_product(row.begin(), row.end(), weights.begin(), 0.0);
    for (std::size_t key = 0; key < row.size(); ++key) row[key] = weights[key] * (row[key] - mean);
    add_shown(Shown::biased);
    for (std::size_t key = 0; key < row.size(); ++key) {
      take_bias(static_cast<std::int64_t>(key), row[key]);
    }
    add_shown(Shown::capped);
    for (std::size_t key = 0; key < row.size() && cap_ > 0; ++key) {
      const double tangent = std::tanh(products[key] * scale_ / cap_);
      row[key] *= 1 - tangent * tangent;
    }
    add_shown(Shown::products);
    for (double& item : row) item *= scale_;
  }

 private:
  Shown shown_;
  double cap_;
  double scale_;
};

/// The keys (or values) of earlier calls, then of this call, as [batch, heads, sequence, size].
Heads with_past(const TensorView& tensor, const TensorView& past, std::int64_t head_count);

/// The operands of the operator Attention, or of its gradient. Several query heads may share one
/// head of keys and values.
struct AttentionOperands {
  Heads queries;
  Heads keys;
  Heads values;
  std::vector<std::int64_t> products;  ///< [batch, heads, queries, keys]
  std::int64_t past;                   ///< number of keys of earlier calls
  std::int64_t group;                  ///< query heads for each head of keys

  explicit AttentionOperands(const KernelContext& context)
      : queries(context.in(0), query_heads(context)),
        keys(with_past(context.in(1), operand(context, 4), key_heads(context))),
        values(with_past(context.in(2), operand(context, 5), key_heads(context))),
        products{context.in(0).dim(0), queries.heads, queries.length, keys.length},
        past(context.has_input(4) ? context.in(4).dim(2) : 0),
        group(queries.heads / std::max<std::int64_t>(1, keys.heads)) {
    if (group < 1 || keys.size != queries.size)
      fail_run("", "its keys have more heads than its queries, or heads of a different size");
  }

  static std::int64_t query_heads(const KernelContext& context) {
    return context.attributes().integer("q_num_heads", 0);
  }
  static std::int64_t key_heads(const KernelContext& context) {
    return context.attributes().integer("kv_num_heads", 0);
  }

  /// Calls `body(batch, head, query, index)` for each query of each head.
  template <class Body>
  void for_each_query(Body body) const {
    for (std::int64_t i = 0; i < products[0] * products[1] * products[2]; ++i) {
      body(i / queries.length / queries.heads, i / queries.length % queries.heads,
           i % queries.length, i);
    }
  }
};

/// Computes the products of one query with all keys.
void multiply_keys(const double* query, const Heads& keys, std::int64_t batch, std::int64_t head,
                   std::vector<double>& products);

}  // namespace stashscope::cpu
