// Comparisons, boolean and bitwise operators, and selection.

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/broadcast.h"

namespace stashscope::cpu {

namespace {

template <auto compare>
void comparison(const KernelContext& context) {
  with_any(context.in(0).element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_binary<T, bool>(context.in(0), context.in(1), context.out(), compare);
  });
}

template <auto combine>
void boolean(const KernelContext& context) {
  broadcast_binary<bool, bool>(context.in(0), context.in(1), context.out(), combine);
}

void invert(const KernelContext& context) {
  map_elements<bool, bool>(context.in(0), context.out(), [](bool x) { return !x; });
}

template <auto combine>
void bitwise(const KernelContext& context) {
  with_integer(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_binary<T, T>(context.in(0), context.in(1), context.out(), combine);
  });
}

void bitwise_not(const KernelContext& context) {
  with_integer(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    map_elements<T, T>(context.in(0), context.out(), [](T x) { return ~x; });
  });
}

/// A shift by at least the type's number of bits, or by a negative number, gives 0.
template <bool left>
struct Shift {
  template <class T>
  T operator()(T x, T by) const {
    if (by < 0 || static_cast<std::size_t>(by) >= 8 * sizeof(T)) return 0;
    return static_cast<T>(left ? x << by : x >> by);
  }
};

void bit_shift(const KernelContext& context) {
  const bool left = context.attributes().text("direction", "") == "LEFT";
  left ? bitwise<Shift<true>{}>(context) : bitwise<Shift<false>{}>(context);
}

/// out = condition ? yes : no. All three inputs are broadcast.
void where(const KernelContext& context) {
  const TensorView& out = context.out();
  const auto strides = [&](std::size_t i) {
    return broadcast_strides(out.dims, context.in(i).dims);
  };
  const StridedWalk<4> walk(out.dims,
                            {dense_strides(out.dims), strides(0), strides(1), strides(2)});
  with_size(element_size(out.element), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const bool* const condition = context.in(0).as<bool>().data();
    const T* const yes = context.in(1).as<T>().data();
    const T* const no = context.in(2).as<T>().data();
    T* const result = out.as<T>().data();
    walk.for_each_run([&](const auto& at, std::int64_t count, const auto& step) {
      for (std::int64_t i = 0; i < count; ++i) {
        const T chosen =
            condition[at[1] + i * step[1]] ? yes[at[2] + i * step[2]] : no[at[3] + i * step[3]];
        result[at[0] + i] = chosen;
      }
    });
  });
}

}  // namespace

void add_logic_kernels(KernelRegistry& registry) {
  registry.add("", "Equal", {comparison<[](auto a, auto b) { return a == b; }>});
  registry.add("", "Less", {comparison<[](auto a, auto b) { return a < b; }>});
  registry.add("", "LessOrEqual", {comparison<[](auto a, auto b) { return a <= b; }>});
  registry.add("", "Greater", {comparison<[](auto a, auto b) { return b < a; }>});
  registry.add("", "GreaterOrEqual", {comparison<[](auto a, auto b) { return b <= a; }>});
  registry.add("", "And", {boolean<[](bool a, bool b) { return a && b; }>});
  registry.add("", "Or", {boolean<[](bool a, bool b) { return a || b; }>});
  registry.add("", "Xor", {boolean<[](bool a, bool b) { return a != b; }>});
  registry.add("", "Not", {invert});
  registry.add("", "BitwiseAnd", {bitwise<[](auto a, auto b) { return a & b; }>});
  registry.add("", "BitwiseOr", {bitwise<[](auto a, auto b) { return a | b; }>});
  registry.add("", "BitwiseXor", {bitwise<[](auto a, auto b) { return a ^ b; }>});
  registry.add("", "BitwiseNot", {bitwise_not});
  registry.add("", "BitShift", {bit_shift});
  registry.add("", "Where", {where});
}

}  // namespace stashscope::cpu
