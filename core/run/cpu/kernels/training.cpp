// Operators that only training graphs have.

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/broadcast.h"
#include "core/run/cpu/primitives/strided_copy.h"

namespace stashscope::cpu {

namespace {

/// Output i lists the axes along which a tensor with the dims in input i was broadcast.
void broadcast_gradient_args(const KernelContext& context) {
  const std::vector<std::int64_t> sides[] = {as_integers(context.in(0)),
                                             as_integers(context.in(1))};
  const std::size_t rank = std::max(sides[0].size(), sides[1].size());
  constexpr std::int64_t missing = -1;
  const auto dim = [&](std::size_t side, std::size_t axis) {
    const std::vector<std::int64_t>& dims = sides[side];
    return axis + dims.size() >= rank ? dims[axis + dims.size() - rank] : missing;
  };
  for (const std::size_t side : {0U, 1U}) {
    if (!context.has_output(side)) continue;
    std::int64_t* to = context.out(side).as<std::int64_t>().data();
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const std::int64_t own = dim(side, axis);
      const std::int64_t other = dim(1 - side, axis);
      const bool broadcast = own == missing || (own == 1 && other != 1 && other != missing);
      if (broadcast) *to++ = static_cast<std::int64_t>(axis);
    }
  }
}

void add(const TensorView& a, const TensorView& b, const TensorView& out) {
  with_floating(out.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_binary<T, T>(a, b, out, [](auto x, auto y) { return x + y; });
  });
}

/// Inputs (sum so far, value, [do update])
void accumulate(const KernelContext& context) {
  const bool updates = !context.has_input(2) || as_number(context.in(2)) != 0;
  updates ? add(context.in(0), context.in(1), context.out())
          : copy_all(context.in(0), context.out());
}

/// (buffer, value, [overwrite]) -> updated flag, [new buffer]. The buffer belongs to the caller. It
/// stays unchanged, so that all nodes that read it see the same value.
void accumulate_v2(const KernelContext& context) {
  context.out(0).as<bool>()[0] = true;
  if (!context.has_output(1)) return;
  const bool overwrites = context.has_input(2) && as_number(context.in(2)) != 0;
  overwrites ? copy_all(context.in(1), context.out(1))
             : add(context.in(0), context.in(1), context.out(1));
}

}  // namespace

void add_training_kernels(KernelRegistry& registry) {
  registry.add("com.microsoft", "BroadcastGradientArgs", {broadcast_gradient_args});
  registry.add("com.microsoft", "InPlaceAccumulator", {accumulate});
  registry.add("com.microsoft", "InPlaceAccumulatorV2", {accumulate_v2});
}

}  // namespace stashscope::cpu
