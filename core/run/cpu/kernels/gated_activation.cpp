// Activations with a learned slope or a gate, and Shrink.

#include <cmath>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/broadcast.h"

namespace stashscope::cpu {

namespace {

void prelu(const KernelContext& context) {
  with_number(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_binary<T, T>(context.in(0), context.in(1), context.out(), [](auto x, auto slope) {
      return x < 0 ? static_cast<decltype(x)>(slope * x) : x;
    });
  });
}

/// x * sigmoid(alpha * x)
void swish(const KernelContext& context) {
  const double alpha = double{context.attributes().real("alpha", 1.0F)};
  with_floating(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    map_elements<T, T>(context.in(0), context.out(), [alpha](auto x) {
      return x / (1 + std::exp(static_cast<decltype(x)>(-alpha) * x));
    });
  });
}

/// (a, b): a * sigmoid(alpha * a) * b
void swiglu(const KernelContext& context) {
  const double alpha = double{context.attributes().real("alpha", 1.0F)};
  with_floating(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_binary<T, T>(context.in(0), context.in(1), context.out(), [alpha](auto a, auto b) {
      return a / (1 + std::exp(static_cast<decltype(a)>(-alpha) * a)) * b;
    });
  });
}

/// Shrink: 0 for x in [-lambd, lambd]; other x move towards 0 by `bias`.
void shrink(const KernelContext& context) {
  const double bias = double{context.attributes().real("bias", 0)};
  const double band = double{context.attributes().real("lambd", 0.5F)};
  with_number(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    map_elements<T, T>(context.in(0), context.out(), [=](auto x) {
      const auto item = static_cast<double>(x);
      const double moved = item < -band ? item + bias : item > band ? item - bias : 0;
      return static_cast<decltype(x)>(moved);
    });
  });
}

}  // namespace

void add_gated_activation_kernels(KernelRegistry& registry) {
  registry.add("", "PRelu", {prelu});
  registry.add("", "Swish", {swish});
  registry.add("", "SwiGLU", {swiglu});
  registry.add("", "Shrink", {shrink});
}

}  // namespace stashscope::cpu
