// Tensors made from a shape, a range or a random generator.

#include <cmath>
#include <cstring>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/random.h"
#include "core/run/shared/numbers.h"
#include "core/run/shared/wrapping.h"

namespace stashscope::cpu {

namespace {

void constant_of_shape(const KernelContext& context) {
  const TensorView& out = context.out();
  const std::size_t size = element_size(out.element);
  std::uint64_t item = 0;
  if (const Tensor* const value = context.attributes().tensor("value")) {
    const TensorBytes data = value->load();
    std::memcpy(&item, data.bytes.data(), std::min(size, data.bytes.size()));
  }
  with_size(size, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto items = out.as<T>();
    std::fill(items.begin(), items.end(), static_cast<T>(item));
  });
}

/// The number of elements of a range: ceil((limit - start) / step). (ONNX, Range)
template <class C>
std::int64_t range_length(C start, C limit, C step) {
  if (step == 0) fail_run("", "its step is 0");
  const double length = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) /
                                  static_cast<double>(step));
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(length));
}

std::vector<std::vector<std::int64_t>> range_size(const KernelContext& context) {
  std::int64_t length = 0;
  with_number(context.in(0).element, [&](auto tag) {
    using C = Compute<typename decltype(tag)::type>;
    const auto scalar = [&](std::size_t i) { return number_of<C>(context.in(i)); };
    length = range_length(scalar(0), scalar(1), scalar(2));
  });
  return {{length}};
}

void range(const KernelContext& context) {
  with_number(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const C start = number_of<C>(context.in(0));
    const C step = number_of<C>(context.in(2));
    const auto items = context.out().as<T>();
    for (std::size_t i = 0; i < items.size(); ++i) {
      items[i] = static_cast<T>(wrapping_sum(start, wrapping_product(static_cast<C>(i), step)));
    }
  });
}

void eye_like(const KernelContext& context) {
  const std::int64_t rows = context.out().dim(0);
  const std::int64_t columns = context.out().dim(1);
  const std::int64_t k = context.attributes().integer("k", 0);
  with_any(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* const items = context.out().as<T>().data();
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        items[row * columns + column] = static_cast<T>(column - row == k ? 1.0F : 0.0F);
      }
    }
  });
}

/// Fills the output with `draw(random, position)`.
template <class Draw>
void fill_random(const KernelContext& context, Draw draw) {
  const PositionalRandom random(context.seed);
  with_any(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto items = context.out().as<T>();
    for (std::size_t i = 0; i < items.size(); ++i) {
      items[i] = static_cast<T>(static_cast<Compute<T>>(draw(random, i)));
    }
  });
}

void random_normal(const KernelContext& context) {
  const double mean = double{context.attributes().real("mean", 0)};
  const double scale = double{context.attributes().real("scale", 1)};
  fill_random(context, [=](const PositionalRandom& random, std::uint64_t position) {
    return mean + scale * random.normal(position);
  });
}

void random_uniform(const KernelContext& context) {
  const double low = double{context.attributes().real("low", 0)};
  const double high = double{context.attributes().real("high", 1)};
  fill_random(context, [=](const PositionalRandom& random, std::uint64_t position) {
    return low + (high - low) * random.uniform(position);
  });
}

/// Sets each output element to 1 or 0. The input element at the same position is the probability of
/// 1.
void bernoulli(const KernelContext& context) {
  const std::vector<double> probabilities = numbers_of<double>(context.in(0));
  fill_random(context, [&](const PositionalRandom& random, std::uint64_t position) {
    return random.uniform(position) < probabilities[position] ? 1.0 : 0.0;
  });
}

}  // namespace

void add_constant_kernels(KernelRegistry& registry) {
  registry.add("", "ConstantOfShape", {constant_of_shape});
  registry.add("", "Range", {range, range_size});
  registry.add("", "EyeLike", {eye_like});
  registry.add("", "RandomNormal", {random_normal});
  registry.add("", "RandomNormalLike", {random_normal});
  registry.add("", "RandomUniform", {random_uniform});
  registry.add("", "RandomUniformLike", {random_uniform});
  registry.add("", "Bernoulli", {bernoulli});
}

}  // namespace stashscope::cpu
