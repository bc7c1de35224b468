// Layer normalization with its simplified (root mean square) and fused forms, and the gradients.

#include <numeric>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/kernels/normalization.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

namespace {

/// Data as rows: each row spans all axes from `axis` on.
struct RowShape {
  std::int64_t rows = 1;
  std::int64_t columns = 1;

  RowShape(const KernelContext& context, const std::vector<std::int64_t>& dims) {
    std::int64_t axis = context.attributes().integer("axis", -1);
    if (axis < 0) axis += std::ssize(dims);
    rows = element_count(std::span(dims).first(static_cast<std::size_t>(axis)));
    columns = element_count(std::span(dims).subspan(static_cast<std::size_t>(axis)));
  }
};

/// The scale or bias of a row, expanded to one number per column; the operand may hold a single
/// number for all columns.
template <class C>
std::vector<C> per_column(const TensorView& operand, std::int64_t columns, C otherwise) {
  std::vector<C> items = operand.present() ? numbers_of<C>(operand) : std::vector<C>{otherwise};
  if (std::ssize(items) == columns) return items;
  if (items.size() != 1) {
    fail_run(
        "", "scale and bias must have one element, or one for each element of the normalized axes");
  }
  return std::vector<C>(static_cast<std::size_t>(columns), items[0]);
}

/// Root mean square normalization: x / sqrt(mean of x^2 + epsilon), without subtracting the mean.
/// (Zhang and Sennrich, arXiv 1910.07467)
template <class C>
Normal root_mean_square(const C* x, std::int64_t count, double epsilon) {
  const double squares =
      sum_of(count, [&](std::int64_t i) { return square(static_cast<double>(x[i])); });
  return {0, 1 / std::sqrt(squares / static_cast<double>(count) + epsilon)};
}

template <bool simplified, class C>
Normal row_normal(const C* x, std::int64_t count, double epsilon) {
  return simplified ? root_mean_square(x, count, epsilon) : normal_of(x, count, epsilon);
}

/// Input indices of scale and bias, and output indices of the mean and the inverse deviation of a
/// layer normalization. 0 means that the operator has no such input or output.
struct Places {
  std::size_t scale = 1;
  std::size_t bias = 0;
  std::size_t mean = 0;
  std::size_t inverse = 0;
};

void store_statistics(const KernelContext& context, const Places& places,
                      const std::vector<Normal>& normals) {
  const auto store = [&](std::size_t output, double Normal::*part) {
    if (output == 0 || !context.has_output(output)) return;
    std::vector<double> numbers;
    for (const Normal& normal : normals) numbers.push_back(normal.*part);
    store_numbers(numbers, context.out(output));
  };
  store(places.mean, &Normal::mean);
  store(places.inverse, &Normal::inverse);
}

/// y = normalized x * scale + bias, row by row; stores the rows' statistics.
template <bool simplified, class C>
void normalize_rows(const KernelContext& context, const C* x, const Places& places) {
  const RowShape shape(context, context.in(0).dims);
  const TensorView bias_operand =
      places.bias > 0 && context.has_input(places.bias) ? context.in(places.bias) : TensorView();
  const std::vector<C> scale = per_column<C>(context.in(places.scale), shape.columns, C(1));
  const std::vector<C> bias = per_column<C>(bias_operand, shape.columns, C(0));
  std::vector<Normal> normals;
  make_converted<C>(context.out(), [&](C* y) {
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      const C* const from = x + row * shape.columns;
      C* const to = y + row * shape.columns;
      normals.push_back(row_normal<simplified>(from, shape.columns, epsilon_of(context)));
      const auto mean = static_cast<C>(normals.back().mean);
      const auto inverse = static_cast<C>(normals.back().inverse);
      for (std::size_t i = 0; i < scale.size(); ++i) {
        to[i] = (from[i] - mean) * inverse * scale[i] + bias[i];
      }
    }
  });
  store_statistics(context, places, normals);
}

template <bool simplified>
void layer_norm(const KernelContext& context) {
  const Places places = simplified ? Places{.inverse = 1} : Places{1, 2, 1, 2};
  with_real(context.out().element, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const Converted<C> x(context.in(0));
    normalize_rows<simplified>(context, x.data(), places);
  });
}

/// Adds the operand to `sum`. Repeats an operand that has fewer elements, such as a bias for all
/// rows.
template <class C>
void add_repeated(const TensorView& operand, std::vector<C>& sum) {
  const std::vector<C> items = numbers_of<C>(operand);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += items[i % items.size()];
}

/// Inputs (input, skip, scale, [bias of the result], [bias of the sum]). Normalizes the sum of
/// input, skip and the bias of the sum. The simplified form has no bias of the result.
template <bool simplified>
void skip_layer_norm(const KernelContext& context) {
  const Places places = simplified ? Places{2, 0, 1, 2} : Places{2, 3, 1, 2};
  const std::size_t bias = simplified ? 3 : 4;
  with_real(context.out().element, [&](auto tag) {
    using C = typename decltype(tag)::type;
    std::vector<C> sum = numbers_of<C>(context.in(0));
    add_repeated(context.in(1), sum);
    if (context.has_input(bias)) add_repeated(context.in(bias), sum);
    normalize_rows<simplified>(context, sum.data(), places);
    if (context.has_output(3)) store_numbers(sum, context.out(3));
  });
}

/// Computes dx of one row and adds the row's contribution to the gradients of scale and bias.
template <class C>
void row_gradient(const C* dy, const C* x, const Normal& normal, bool centred,
                  const std::vector<double>& scale, C* dx, std::vector<double>& scale_gradient,
                  std::vector<double>& bias_gradient) {
  const auto count = std::ssize(scale);
  const auto gradient = [&](std::int64_t i) {
    return static_cast<double>(dy[i]) * scale[static_cast<std::size_t>(i)];
  };
  const auto normalized = [&](std::int64_t i) { return normal(static_cast<double>(x[i])); };
  const auto size = static_cast<double>(count);
  const double mean = centred ? sum_of(count, gradient) / size : 0;
  const double slope =
      sum_of(count, [&](std::int64_t i) { return gradient(i) * normalized(i); }) / size;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double by_normal = static_cast<double>(dy[i]);
    scale_gradient[at] += by_normal * normalized(i);
    bias_gradient[at] += by_normal;
    dx[i] = static_cast<C>((gradient(i) - mean - normalized(i) * slope) * normal.inverse);
  }
}

/// Stores one number per column. If `output` has a single number for all columns, stores the sum of
/// the items instead.
void store_per_column(const std::vector<double>& items, const TensorView& output) {
  if (output.elements() == std::ssize(items)) {
    store_numbers(items, output);
  } else {
    store_numbers(std::vector<double>{std::accumulate(items.begin(), items.end(), 0.0)}, output);
  }
}

/// (dY, X, scale, [mean], inverse deviation) -> dX, dScale, [dBias]; the simplified form has no
/// mean.
template <bool simplified>
void layer_norm_grad(const KernelContext& context) {
  const RowShape shape(context, context.in(1).dims);
  const std::vector<double> scale = per_column<double>(context.in(2), shape.columns, 1);
  const std::vector<double> means = numbers_of<double>(context.in(3));
  const std::vector<double> inverses = numbers_of<double>(context.in(simplified ? 3 : 4));
  std::vector<double> scale_gradient(scale.size(), 0);
  std::vector<double> bias_gradient(scale.size(), 0);
  const auto gradient = [&](auto* dx, const auto* dy, const auto* x) {
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      const auto r = static_cast<std::size_t>(row);
      const std::int64_t at = row * shape.columns;
      row_gradient(dy + at, x + at, {simplified ? 0 : means[r], inverses[r]}, !simplified, scale,
                   dx + at, scale_gradient, bias_gradient);
    }
  };
  compute_real(context.out(0), gradient, context.in(0), context.in(1));
  if (context.has_output(1)) store_per_column(scale_gradient, context.out(1));
  if (context.has_output(2)) store_per_column(bias_gradient, context.out(2));
}

}  // namespace

void add_layer_normalization_kernels(KernelRegistry& registry) {
  registry.add("", "LayerNormalization", {layer_norm<false>});
  registry.add("", "SimplifiedLayerNormalization", {layer_norm<true>});
  registry.add("", "RMSNormalization", {layer_norm<true>});
  registry.add("com.microsoft", "SkipLayerNormalization", {skip_layer_norm<false>});
  registry.add("com.microsoft", "SkipSimplifiedLayerNormalization", {skip_layer_norm<true>});
  for (const char* domain : {"", "com.microsoft"}) {
    registry.add(domain, "LayerNormalizationGrad", {layer_norm_grad<false>});
    registry.add(domain, "SimplifiedLayerNormalizationGrad", {layer_norm_grad<true>});
  }
}

}  // namespace stashscope::cpu
