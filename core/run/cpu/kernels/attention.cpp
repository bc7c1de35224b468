// Attention over queries, keys and values, and rotary position embedding.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/run/cpu/kernels/families.h"
#include "core/run/shared/numbers.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

namespace {

using Dims = std::vector<std::int64_t>;

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// Access to a tensor as [batch, heads, sequence, size]; its heads may come before or after the
/// sequence in memory.
struct Heads {
  std::vector<double> items;
  std::int64_t heads = 0;
  std::int64_t length = 0;
  std::int64_t size = 0;
  bool heads_first = true;  ///< else [batch, sequence, heads, size]

  Heads() = default;
  Heads(const TensorView& tensor, std::int64_t head_count)
      : items(numbers_of<double>(tensor)), heads_first(tensor.rank() == 4) {
    heads = heads_first ? tensor.dim(1) : head_count;
    length = tensor.dim(-2);
    size = heads_first ? tensor.dim(-1) : tensor.dim(-1) / std::max<std::int64_t>(1, heads);
  }

  const double* row(std::int64_t batch, std::int64_t head, std::int64_t at) const {
    return items.data() + offset(batch, head, at);
  }
  std::int64_t offset(std::int64_t batch, std::int64_t head, std::int64_t at) const {
    const std::int64_t position =
        heads_first ? (batch * heads + head) * length + at : (batch * length + at) * heads + head;
    return position * size;
  }
};

/// Keys or values appended to those of earlier calls, as [batch, heads, sequence, size].
Heads with_past(const TensorView& tensor, const TensorView& past, std::int64_t head_count) {
  const Heads now(tensor, head_count);
  const Heads before = past.present() ? Heads(past, head_count) : Heads();
  Heads all;
  all.heads = now.heads;
  all.size = now.size;
  all.length = before.length + now.length;
  for (std::int64_t batch = 0; batch < tensor.dim(0); ++batch) {
    for (std::int64_t head = 0; head < all.heads; ++head) {
      for (std::int64_t i = 0; i < all.length; ++i) {
        const double* const row = i < before.length ? before.row(batch, head, i)
                                                    : now.row(batch, head, i - before.length);
        all.items.insert(all.items.end(), row, row + all.size);
      }
    }
  }
  return all;
}

/// The number added to each product of query and key before the softmax; minus infinity hides the
/// key.
class Bias {
 public:
  Bias(const KernelContext& context, const Dims& products, std::int64_t past)
      : total_(products[3]), past_(past), query_count_(products[2]) {
    causal_ = context.attributes().integer("is_causal", 0) != 0;
    if (context.has_input(6)) lengths_ = as_integers(context.in(6));
    if (!context.has_input(3)) return;
    const TensorView& mask = context.in(3);
    Dims shape = products;
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
  /// The number of keys before the key at the position of query 0.
  std::int64_t offset(std::int64_t batch) const {
    return lengths_.empty() ? past_ : lengths_[static_cast<std::size_t>(batch)] - query_count_;
  }

  std::vector<double> mask_;
  Dims strides_;
  std::vector<std::int64_t> lengths_;
  std::int64_t total_;
  std::int64_t past_;
  std::int64_t query_count_;
  std::int64_t covered_ = 0;
  bool causal_ = false;
};

/// Computes the softmax in place. The result is all zeros when every key is hidden.
void softmax(double* row, std::int64_t count) {
  const double greatest = *std::max_element(row, row + count);
  if (greatest == minus_infinity) {
    std::fill_n(row, count, 0.0);
    return;
  }
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += row[i] = std::exp(row[i] - greatest);
  for (std::int64_t i = 0; i < count; ++i) row[i] /= sum;
}

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
    scale_ = double{context.attributes().real("scale", 0)};
    if (scale_ == 0) scale_ = 1 / std::sqrt(static_cast<double>(key_size));
  }

  /// @param bias_at returns the bias of a key @param shown receives the scores for output 3; may be
  /// null
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

 private:
  Shown shown_;
  double cap_;
  double scale_;
};

TensorView operand(const KernelContext& context, std::size_t index) {
  return context.has_input(index) ? context.in(index) : TensorView();
}

/// Adds the weighted values of all keys to `sums`. A hidden key adds nothing, even if its value is
/// NaN.
void add_weighted(const Heads& values, std::int64_t batch, std::int64_t head,
                  const std::vector<double>& weights, double* sums) {
  for (std::size_t key = 0; key < weights.size(); ++key) {
    if (weights[key] == 0) continue;
    const double* const value = values.row(batch, head, static_cast<std::int64_t>(key));
    for (std::int64_t i = 0; i < values.size; ++i) sums[i] += weights[key] * value[i];
  }
}

/// The products of one query with all keys.
void multiply_keys(const double* query, const Heads& keys, std::int64_t batch, std::int64_t head,
                   std::vector<double>& products) {
  for (std::int64_t at = 0; at < keys.length; ++at) {
    const double* const key = keys.row(batch, head, at);
    products[static_cast<std::size_t>(at)] = std::inner_product(key, key + keys.size, query, 0.0);
  }
}

/// Zeros in the layout of the queries, with heads of `size` elements.
Heads zeros_like(const Heads& queries, std::int64_t size, std::int64_t elements) {
  Heads zeros;
  zeros.heads = queries.heads;
  zeros.length = queries.length;
  zeros.size = size;
  zeros.heads_first = queries.heads_first;
  zeros.items.resize(static_cast<std::size_t>(elements), 0);
  return zeros;
}

/// The operator Attention (ONNX). Several query heads may share one head of keys and values.
void attention(const KernelContext& context) {
  const std::int64_t key_heads = context.attributes().integer("kv_num_heads", 0);
  const Heads queries(context.in(0), context.attributes().integer("q_num_heads", 0));
  const Heads keys = with_past(context.in(1), operand(context, 4), key_heads);
  const Heads values = with_past(context.in(2), operand(context, 5), key_heads);
  const std::int64_t group = queries.heads / std::max<std::int64_t>(1, keys.heads);
  if (group < 1 || keys.size != queries.size)
    fail_run("", "its keys have more heads than its queries, or heads of a different size");
  const Dims products = {context.in(0).dim(0), queries.heads, queries.length, keys.length};
  const Bias bias(context, products, context.has_input(4) ? context.in(4).dim(2) : 0);
  const Scores scores(context, queries.size);
  const bool shows = context.has_output(3);
  std::vector<double> shown(shows ? static_cast<std::size_t>(element_count(products)) : 0);
  Heads result = zeros_like(queries, values.size, context.out().elements());
  std::vector<double> row(static_cast<std::size_t>(keys.length));
  for (std::int64_t i = 0; i < products[0] * products[1] * products[2]; ++i) {
    const std::int64_t query = i % queries.length;
    const std::int64_t head = i / queries.length % queries.heads;
    const std::int64_t batch = i / queries.length / queries.heads;
    multiply_keys(queries.row(batch, head, query), keys, batch, head / group, row);
    const auto bias_at = [&](std::int64_t key) { return bias.at(batch, head, query, key); };
    scores.finish(row, bias_at, shows ? shown.data() + i * keys.length : nullptr);
    add_weighted(values, batch, head / group, row,
                 result.items.data() + result.offset(batch, head, query));
  }
  store_numbers(result.items, context.out());
  if (context.has_output(1)) store_numbers(keys.items, context.out(1));
  if (context.has_output(2)) store_numbers(values.items, context.out(2));
  if (shows) store_numbers(shown, context.out(3));
}

/// Tables of cosines and sines, either [batch, sequence, half], or [positions, half] indexed by
/// positions [batch, sequence].
struct Angles {
  std::vector<double> cosines;
  std::vector<double> sines;
  std::vector<std::int64_t> positions;
  std::int64_t half;

  explicit Angles(const KernelContext& context)
      : cosines(numbers_of<double>(context.in(1))),
        sines(numbers_of<double>(context.in(2))),
        half(context.in(1).dim(-1)) {
    const std::int64_t rows = context.in(1).elements() / std::max<std::int64_t>(1, half);
    if (context.has_input(3)) positions = as_integers(context.in(3));
    for (const std::int64_t position : positions) {
      if (position < 0 || position >= rows) {
        fail_run("", "position " + std::to_string(position) +
                         " is outside of its cosine and sine tables");
      }
    }
  }

  std::int64_t offset(std::int64_t token) const {
    return half * (positions.empty() ? token : positions[static_cast<std::size_t>(token)]);
  }
};

/// Rotates pairs of elements of each head by the angle of its position. (ONNX,
/// RotaryEmbedding; Su et al., arXiv 2104.09864)
void rotary_embedding(const KernelContext& context) {
  Heads x(context.in(0), context.attributes().integer("num_heads", 0));
  const Angles angles(context);
  const bool interleaved = context.attributes().integer("interleaved", 0) != 0;
  if (2 * angles.half > x.size) fail_run("", "its cosine and sine tables are wider than a head");
  for (std::int64_t batch = 0; batch < context.in(0).dim(0); ++batch) {
    for (std::int64_t at = 0; at < x.length; ++at) {
      const std::int64_t table = angles.offset(batch * x.length + at);
      for (std::int64_t head = 0; head < x.heads; ++head) {
        double* const row = x.items.data() + x.offset(batch, head, at);
        for (std::int64_t i = 0; i < angles.half; ++i) {
          double& first = row[interleaved ? 2 * i : i];
          double& second = row[interleaved ? 2 * i + 1 : i + angles.half];
          const double cosine = angles.cosines[static_cast<std::size_t>(table + i)];
          const double sine = angles.sines[static_cast<std::size_t>(table + i)];
          const double real = cosine * first - sine * second;
          second = sine * first + cosine * second;
          first = real;
        }
      }
    }
  }
  store_numbers(x.items, context.out());
}

}  // namespace

void add_attention_kernels(KernelRegistry& registry) {
  registry.add("", "Attention", {attention});
  registry.add("", "RotaryEmbedding", {rotary_embedding});
}

}  // namespace stashscope::cpu
