// Fourier transforms, and the windows and scales that go with them.

#include <cmath>

#include "core/ops/rules/rules.h"
#include "core/ops/signals/ops.h"

namespace stashscope {

namespace {

/// The number of frequencies of a real signal of `length`.
Expr half_spectrum(const Expr& length) { return floor_divide(length, 2) + 1; }

/// The single element of an input; nothing if the input is omitted. Throws ShapeUnknown if the
/// element is not known.
std::optional<Expr> scalar(const ShapeContext& context, std::size_t input) {
  if (!context.has_input(input)) return std::nullopt;
  const Contents* const items = context.contents(input);
  if (items == nullptr || items->size() != 1) throw ShapeUnknown();
  return items->front();
}

/// The size in a single-element input. Throws an input Error if the input is omitted or the size is
/// negative.
Expr given_size(ShapeContext& context, std::size_t input) {
  if (!context.has_input(input)) context.fail("input " + std::to_string(input) + " is missing");
  Expr size = *scalar(context, input);
  if (is_positive(-size)) context.fail("has the negative size " + context.text(size));
  return size;
}

void require_elements(ShapeContext& context, const Expr& length) {
  if (length.is(0)) context.fail("has nothing to transform: the length is 0");
}

/// Throws an input Error for a complex signal, whose last axis holds the real and the imaginary
/// part.
void require_real(ShapeContext& context) {
  if (context.shape(0).back().is(2)) {
    context.fail("attribute 'onesided' needs a real signal, but the signal is complex");
  }
}

/// (signal [..., 1 or 2], [length], [axis since version 20]) -> [..., 2]; the inverse of half a
/// spectrum is real: [..., 1].
void infer_dft(ShapeContext& context) {
  context.set_element(0, context.element(0));
  Shape shape = context.shape(0);
  std::int64_t axis = context.attributes().integer("axis", 1);
  if (context.version() >= 20) {
    const Expr given = scalar(context, 2).value_or(-2);
    if (!given.integer()) throw ShapeUnknown();
    axis = *given.integer();
  }
  axis = context.axis(axis, context.rank(0));
  if (axis + 1 >= context.rank(0)) {
    context.fail("its axis must not be the last one, which holds real and imaginary parts");
  }
  const bool half = context.attributes().integer("onesided", 0) != 0;
  const bool is_inverse = context.attributes().integer("inverse", 0) != 0;
  if (half && !is_inverse) require_real(context);
  const bool real_result = half && is_inverse;
  Expr& along = shape[static_cast<std::size_t>(axis)];
  along = context.has_input(1) ? given_size(context, 1)
          : real_result        ? 2 * (along - Expr(1))
                               : along;
  require_elements(context, along);
  if (half && !real_result) along = half_spectrum(along);
  shape.back() = real_result ? 1 : 2;
  context.set_shape(0, std::move(shape));
}

/// (signal [batch, length, 1 or 2], step, [window], [frame length]) ->
/// [batch, frames, frequencies, 2]
void infer_stft(ShapeContext& context) {
  context.set_element(0, context.element(0));
  if (context.rank(0) < 2) context.fail("its signal needs rank 2 or 3");
  const Expr step = given_size(context, 1);
  if (step.is(0)) context.fail("its frame step is 0");
  Expr length = context.dim(0, 1);
  if (context.has_input(3)) {
    length = given_size(context, 3);
  } else if (context.has_input(2)) {
    length = context.dim(2, 0);
  }
  require_elements(context, length);
  const Expr frames = floor_divide(context.dim(0, 1) - length, step) + 1;
  const bool half = context.attributes().integer("onesided", 1) != 0;
  if (half && context.rank(0) > 2) require_real(context);
  context.set_shape(0, {context.dim(0, 0), frames, half ? half_spectrum(length) : length, 2});
}

ElementType output_element(ShapeContext& context) {
  const ElementType element =
      element_attribute(context.attributes(), "output_datatype", ElementType::float32);
  if (!is_floating(element) && !is_integer(element)) {
    context.fail("attribute 'output_datatype' names " + std::string(name_of(element)) +
                 ", which is not a numeric type");
  }
  return element;
}

/// (size) -> [size]
void infer_window(ShapeContext& context) {
  context.set_element(0, output_element(context));
  context.set_shape(0, {given_size(context, 0)});
}

/// (bins, transform length, sample rate, lowest, highest frequency) -> [frequencies, bins]
void infer_mel_weights(ShapeContext& context) {
  context.set_element(0, output_element(context));
  context.set_shape(0, {half_spectrum(given_size(context, 1)), given_size(context, 0)});
}

/// A fast Fourier transform takes about 5 * log2(length) operations per element of the result.
double fourier_flops(const CostContext& cost) {
  const auto& dims = cost.outputs.empty() ? cost.input_dims(0) : cost.outputs[0];
  const double length = dims.size() < 2 ? 1 : static_cast<double>(dims[dims.size() - 2]);
  return 5 * cost.output_elements() * std::log2(length + 1);
}

}  // namespace

void add_spectrum_ops(OpRegistry& registry) {
  registry.add(
      {.type = "DFT",
       .versions = {17, 20},
       .operands = {{17, "input:float[2..] dft_length?:index[0..1] -> output"},
                    {20, "input:float[2..] dft_length?:index[0..1] axis?:index[0..1] -> output"}},
       .infer = infer_dft,
       .flops = fourier_flops});
  registry.add({.type = "STFT",
                .versions = {17},
                .operands = "signal:float[2..3] frame_step:index[0..1] window?=signal[1] "
                            "frame_length?:index[0..1] -> output",
                .infer = infer_stft,
                .flops = fourier_flops});
  for (const char* type : {"HannWindow", "HammingWindow", "BlackmanWindow"}) {
    registry.add({.type = type,
                  .versions = {17},
                  .operands = "size:index[0..1] -> output",
                  .infer = infer_window,
                  .stops_gradients = true});
  }
  registry.add({.type = "MelWeightMatrix",
                .versions = {17},
                .operands =
                    "num_mel_bins:index[0..1] dft_length:index[0..1] sample_rate:index[0..1] "
                    "lower_edge_hertz:float[0..1] upper_edge_hertz:float[0..1] -> output",
                .infer = infer_mel_weights,
                .stops_gradients = true});
}

}  // namespace stashscope
