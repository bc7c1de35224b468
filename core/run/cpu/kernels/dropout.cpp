// Dropout and its fused and bit-packed forms.

#include "core/ops/families/dropout.h"
#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/broadcast.h"
#include "core/run/cpu/primitives/random.h"
#include "core/run/cpu/primitives/strided_copy.h"
#include "core/run/shared/numbers.h"

namespace stashscope::cpu {

namespace {

constexpr std::int64_t bits_per_word = 32;

/// The elements that a dropout keeps, and the factor by which it scales them.
class Selection {
 public:
  /// @param ratio_input index of the operand `ratio`; the next operand is `training_mode`
  Selection(const KernelContext& context, std::size_t ratio_input) : random_(context.seed) {
    if (context.has_input(ratio_input)) ratio_ = as_number(context.in(ratio_input));
    trains_ = context.has_input(ratio_input + 1) && as_number(context.in(ratio_input + 1)) != 0;
  }

  /// For Dropout before version 12, which has ratio and mode as attributes.
  explicit Selection(const KernelContext& context) : random_(context.seed) {
    ratio_ = double{context.attributes().real("ratio", 0.5F)};
    trains_ = old_dropout_trains(context.attributes(), context.version);
  }

  bool drops() const { return trains_ && ratio_ > 0; }
  bool keeps(std::uint64_t position) const {
    return !drops() || random_.uniform(position) >= ratio_;
  }
  double scale() const { return drops() ? 1 / (1 - ratio_) : 1; }

 private:
  PositionalRandom random_;
  double ratio_ = 0.5;
  bool trains_ = false;
};

/// y[i] = `value(i)` times the factor of the selection if element i is kept, else 0.
template <class T, class Value>
void select(const Selection& selection, std::span<T> y, Value value) {
  using C = Compute<T>;
  const auto scale = static_cast<C>(selection.scale());
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = static_cast<T>(selection.keeps(i) ? value(i) * scale : C(0));
  }
}

void write_mask(const Selection& selection, const TensorView& mask) {
  with_any(mask.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto items = mask.as<T>();
    for (std::size_t i = 0; i < items.size(); ++i) {
      items[i] = static_cast<T>(selection.keeps(i) ? 1.0F : 0.0F);
    }
  });
}

/// Bit i % 32 of word i / 32 says whether element i is kept.
void write_bits(const Selection& selection, std::int64_t elements, const TensorView& mask) {
  const auto words = mask.as<std::uint32_t>();
  std::fill(words.begin(), words.end(), 0U);
  for (std::int64_t i = 0; i < elements; ++i) {
    const bool is_kept = selection.keeps(static_cast<std::uint64_t>(i));
    words[static_cast<std::size_t>(i / bits_per_word)] |= (is_kept ? 1U : 0U)
                                                          << (i % bits_per_word);
  }
}

void drop(const KernelContext& context, const Selection& selection) {
  if (!selection.drops()) return copy_all(context.in(0), context.out());
  with_floating(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto x = context.in(0).as<T>();
    select<T>(selection, context.out().as<T>(),
              [&](std::size_t i) { return static_cast<Compute<T>>(x[i]); });
  });
}

void dropout(const KernelContext& context) {
  const Selection selection = context.version >= 12 ? Selection(context, 1) : Selection(context);
  drop(context, selection);
  if (context.has_output(1)) write_mask(selection, context.out(1));
}

void bitmask_dropout(const KernelContext& context) {
  const Selection selection(context, 1);
  drop(context, selection);
  if (context.has_output(1)) write_bits(selection, context.out().elements(), context.out(1));
}

/// Inputs (data, bias, [residual], ...). The output is dropout(data + bias) + residual.
void drop_biased(const KernelContext& context, const Selection& selection) {
  const TensorView& out = context.out();
  with_floating(out.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const auto x = context.in(0).as<T>();
    const auto bias = context.in(1).as<T>();
    select<T>(selection, out.as<T>(), [&](std::size_t i) {
      return static_cast<C>(x[i]) + static_cast<C>(bias[i % bias.size()]);
    });
    if (!context.has_input(2)) return;
    broadcast_binary<T, T>(out, context.in(2), out, [](C y, C residual) { return y + residual; });
  });
}

void bias_dropout(const KernelContext& context) {
  const Selection selection(context, 3);
  drop_biased(context, selection);
  if (context.has_output(1)) write_mask(selection, context.out(1));
}

void bitmask_bias_dropout(const KernelContext& context) {
  const Selection selection(context, 3);
  drop_biased(context, selection);
  if (context.has_output(1)) write_bits(selection, context.out().elements(), context.out(1));
}

/// Inputs (dy, mask, [ratio], [training mode]). dx[i] is dy[i] times the factor of the forward pass
/// if `kept(i)`, else 0.
template <class Kept>
void dropout_gradient(const KernelContext& context, Kept kept) {
  const double scale = Selection(context, 2).scale();
  with_floating(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const auto dy = context.in(0).as<T>();
    const auto dx = context.out().as<T>();
    for (std::size_t i = 0; i < dx.size(); ++i) {
      dx[i] = static_cast<T>(kept(i) ? static_cast<C>(dy[i]) * static_cast<C>(scale) : C(0));
    }
  });
}

void dropout_grad(const KernelContext& context) {
  const auto mask = context.in(1).as<bool>();
  dropout_gradient(context, [&](std::size_t i) { return mask[i]; });
}

void bitmask_dropout_grad(const KernelContext& context) {
  const auto words = context.in(1).as<std::uint32_t>();
  dropout_gradient(context, [&](std::size_t i) {
    return ((words[i / bits_per_word] >> (i % bits_per_word)) & 1U) != 0;
  });
}

}  // namespace

void add_dropout_kernels(KernelRegistry& registry) {
  registry.add("", "Dropout", {dropout});
  registry.add("com.microsoft", "BitmaskDropout", {bitmask_dropout});
  registry.add("com.microsoft", "BiasDropout", {bias_dropout});
  registry.add("com.microsoft", "BitmaskBiasDropout", {bitmask_bias_dropout});
  registry.add("com.microsoft", "DropoutGrad", {dropout_grad});
  registry.add("com.microsoft", "BitmaskDropoutGrad", {bitmask_dropout_grad});
}

}  // namespace stashscope::cpu
