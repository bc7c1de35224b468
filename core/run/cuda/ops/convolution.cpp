// Convolutions and their gradients.

#include <algorithm>

#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/reduction_plan.h"
#include "core/run/cuda/codegen/strided_copy.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/shared/convolution_sizes.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

namespace {

using Dims = std::vector<std::int64_t>;
using Pass = ConvolutionShape::Pass;

/// A convolution as the device runs it, with equal padding on the two sides of an axis. If equal
/// padding would change the number of windows, the data is copied into a frame: a tensor that the
/// windows cover exactly, with zeros in place of the padding.
struct Convolution {
  ConvolutionShape shape;  ///< `input` has the dims of the frame if there is one
  Dims data;               ///< dims of the data itself
  Dims before;             ///< start of the data in the frame

  bool is_framed() const { return data != shape.input || before != Dims{0, 0}; }
  /// Dims of the part of the data that lies in the frame.
  Dims shared() const {
    Dims dims = data;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const std::int64_t room = shape.input[axis + 2] - before[axis];
      dims[axis + 2] = std::clamp<std::int64_t>(room, 0, data[axis + 2]);
    }
    return dims;
  }
};

/// Adds a leading axis of size 1 if there is only one spatial axis.
kernels::SlidingWindow over_two_axes(kernels::SlidingWindow window) {
  if (window.axes() > 2) {
    fail_run("", "convolutions over " + std::to_string(window.axes()) +
                     " axes are not supported on CUDA devices");
  }
  if (window.axes() == 2) return window;
  for (Dims* sizes :
       {&window.in, &window.out, &window.kernel, &window.strides, &window.dilations}) {
    sizes->insert(sizes->begin(), 1);
  }
  window.pads.insert(window.pads.begin(), 0);
  return window;
}

/// The number of positions along an axis from the first to the last position that windows cover.
std::int64_t covered(const kernels::SlidingWindow& window, std::size_t axis) {
  return (window.out[axis] - 1) * window.strides[axis] +
         (window.kernel[axis] - 1) * window.dilations[axis] + 1;
}

/// Whether the number of windows stays the same if both sides get the padding of the first side.
bool pads_evenly(const kernels::SlidingWindow& window, std::size_t axis) {
  const std::int64_t left = window.in[axis] + 2 * window.pads[axis] - covered(window, axis);
  return left >= 0 && left < window.strides[axis];
}

Convolution convolution_of(const LoweringContext& context, ElementType element,
                           const kernels::ConvolutionSizes& sizes) {
  if (!is_floating(element)) {
    fail_run("", "convolutions of elements of type " + std::string(name_of(element)) +
                     " are not supported on CUDA devices");
  }
  const kernels::SlidingWindow window = over_two_axes(sizes.window);
  const auto with_spatial = [](std::int64_t first, std::int64_t second, const Dims& spatial) {
    return Dims{first, second, spatial[0], spatial[1]};
  };
  Convolution convolution;
  convolution.data = with_spatial(sizes.batch, sizes.in_channels, window.in);
  ConvolutionShape& shape = convolution.shape;
  shape.element = element;
  shape.filter = with_spatial(sizes.out_channels, sizes.in_channels / sizes.groups, window.kernel);
  shape.output = with_spatial(sizes.batch, sizes.out_channels, window.out);
  shape.strides = window.strides;
  shape.dilations = window.dilations;
  shape.groups = sizes.groups;
  shape.rounds_to_tf32 = context.rounds_to_tf32 && element == ElementType::float32;
  if (pads_evenly(window, 0) && pads_evenly(window, 1)) {
    shape.input = convolution.data;
    shape.pads = window.pads;
    convolution.before = {0, 0};
  } else {
    shape.input =
        with_spatial(sizes.batch, sizes.in_channels, {covered(window, 0), covered(window, 1)});
    shape.pads = {0, 0};
    convolution.before = window.pads;
  }
  return convolution;
}

/// The three operands of a convolution; a pass computes one of them from the other two.
struct ConvolutionOperands {
  Operand data;
  Operand filter;
  Operand result;
};

/// The passes of one convolution, which share a frame.
class Passes {
 public:
  Passes(Lowered& lowered, Convolution convolution)
      : lowered_(lowered), convolution_(std::move(convolution)) {}

  /// Adds the calls of a pass.
  void add(Pass pass, const ConvolutionOperands& operands) {
    ConvolutionShape shape = convolution_.shape;
    shape.pass = pass;
    if (is_empty()) return add_zeros(pass, operands);
    const bool framed = convolution_.is_framed();
    const Operand data = framed ? frame() : operands.data;
    if (framed && pass != Pass::input_gradient) fill_frame(operands.data);
    lowered_.add(ConvolutionCall{std::move(shape),
                                 in_order(pass, {data, operands.filter, operands.result})});
    if (framed && pass == Pass::input_gradient) empty_frame(operands.data);
  }

 private:
  std::int64_t bytes_of(const Dims& dims) const {
    return packed_bytes(convolution_.shape.element, element_count(dims));
  }

  bool is_empty() const {
    const ConvolutionShape& shape = convolution_.shape;
    return bytes_of(convolution_.data) == 0 || bytes_of(shape.filter) == 0 ||
           bytes_of(shape.output) == 0;
  }

  void add_zeros(Pass pass, const ConvolutionOperands& operands) {
    const auto zero = [&](Operand operand, const Dims& dims) {
      if (bytes_of(dims) > 0) lowered_.add(ZeroCall{operand, bytes_of(dims)});
    };
    if (pass == Pass::forward) zero(operands.result, convolution_.shape.output);
    if (pass == Pass::input_gradient) zero(operands.data, convolution_.data);
    if (pass == Pass::filter_gradient) zero(operands.filter, convolution_.shape.filter);
  }

  static std::array<Operand, 3> in_order(Pass pass, const ConvolutionOperands& operands) {
    switch (pass) {
      case Pass::input_gradient:
        return {operands.result, operands.filter, operands.data};
      case Pass::filter_gradient:
        return {operands.data, operands.result, operands.filter};
      default:
        return {operands.data, operands.filter, operands.result};
    }
  }

  Operand frame() {
    if (!frame_) frame_ = lowered_.add_scratch(bytes_of(convolution_.shape.input));
    return *frame_;
  }

  StridedOperand place_in_frame() {
    StridedOperand place = whole(frame(), convolution_.shape.input);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      place.offset += convolution_.before[axis] * place.strides[axis + 2];
    }
    return place;
  }

  void fill_frame(Operand data) {
    if (convolution_.shared() != convolution_.shape.input) {
      lowered_.add(ZeroCall{frame(), bytes_of(convolution_.shape.input)});
    }
    add_strided_copy(lowered_, convolution_.shape.element, convolution_.shared(),
                     whole(data, convolution_.data), place_in_frame());
  }

  void empty_frame(Operand data) {
    if (convolution_.shared() != convolution_.data) {
      lowered_.add(ZeroCall{data, bytes_of(convolution_.data)});
    }
    add_strided_copy(lowered_, convolution_.shape.element, convolution_.shared(), place_in_frame(),
                     whole(data, convolution_.data));
  }

  Lowered& lowered_;
  Convolution convolution_;
  std::optional<Operand> frame_;
};

/// Adds input 2 to output 0 [batch, channels, ...].
void add_bias(Lowered& lowered, const LoweringContext& context) {
  const OperandType& y = context.out();
  if (!context.has_input(2) || y.elements() == 0) return;
  const std::int64_t plane = element_count(std::span(y.dims).subspan(2));
  const std::int64_t width = even_width(widest_access({y.element}), {plane});
  const std::int64_t threads = y.elements() / width;
  CallText text;
  const std::string bias = text.reads(context, 2);
  const std::string to = text.writes(context);
  const auto arguments = arguments_of(device_type(y.element), width, index_type(y.elements()),
                                      threads, y.dims[1], plane);
  lowered.add(text.call(invocation("add_channel_bias", arguments, {bias, to}), launch_of(threads)));
}

/// Makes output 2, the gradient of the bias: per channel, the sum of the gradients (input 0) of all
/// elements to which the bias was added.
void add_bias_gradient(Lowered& lowered, const LoweringContext& context) {
  const OperandType& dy = context.in(0);
  if (context.out(2).elements() == 0) return;
  const std::string element = device_type(dy.element);
  const std::string sum = sum_type(dy.element);
  ReductionTexts texts{with_arguments("Adding", {sum}), sum == "float" ? 4 : 8,
                       widest_access({dy.element})};
  texts.source = [&](CallText& text) {
    return with_arguments("Items", {element, sum}) + "{" + text.reads(context, 0) + "}";
  };
  texts.sink = [&](CallText& text) {
    return with_arguments("Results", {element}) + "{" + text.writes(context, 2) + "}";
  };
  std::vector<std::int64_t> kept(dy.dims.size(), 1);
  kept[1] = dy.dims[1];
  add_reduction(lowered, dy.dims, kept, texts);
}

Lowered conv(const LoweringContext& context) {
  Lowered lowered;
  const auto sizes = kernels::conv_sizes(context.attributes(), context.in(0).dims,
                                         context.in(1).dims, context.out().dims);
  Passes(lowered, convolution_of(context, context.out().element, sizes))
      .add(Pass::forward, {input(0), input(1), output()});
  add_bias(lowered, context);
  return lowered;
}

Lowered conv_transpose(const LoweringContext& context) {
  Lowered lowered;
  const auto sizes = kernels::transposed_sizes(context.attributes(), context.in(0).dims,
                                               context.in(1).dims, context.out().dims);
  Passes(lowered, convolution_of(context, context.out().element, sizes))
      .add(Pass::input_gradient, {output(), input(1), input(0)});
  add_bias(lowered, context);
  return lowered;
}

/// (dY, X, W) -> dX, dW, dB
Lowered conv_grad(const LoweringContext& context) {
  Lowered lowered;
  const auto sizes = kernels::conv_sizes(context.attributes(), context.in(1).dims,
                                         context.in(2).dims, context.in(0).dims);
  Passes passes(lowered, convolution_of(context, context.in(0).element, sizes));
  if (context.has_output(0)) passes.add(Pass::input_gradient, {output(0), input(2), input(0)});
  if (context.has_output(1)) passes.add(Pass::filter_gradient, {input(1), output(1), input(0)});
  if (context.has_output(2)) add_bias_gradient(lowered, context);
  return lowered;
}

/// `sizes` describes the convolution that maps Y to X. Therefore dX is the result of this
/// convolution for the data dY. dW is the weight gradient of this convolution for the data dY, with
/// X as the gradient of the result.
Lowered conv_transpose_grad(const LoweringContext& context) {
  Lowered lowered;
  const auto sizes = kernels::transposed_sizes(context.attributes(), context.in(1).dims,
                                               context.in(2).dims, context.in(0).dims);
  Passes passes(lowered, convolution_of(context, context.in(0).element, sizes));
  if (context.has_output(0)) passes.add(Pass::forward, {input(0), input(2), output(0)});
  if (context.has_output(1)) passes.add(Pass::filter_gradient, {input(0), output(1), input(1)});
  if (context.has_output(2)) add_bias_gradient(lowered, context);
  return lowered;
}

}  // namespace

void add_convolution_kernels(CudaKernelRegistry& registry) {
  registry.add("", "Conv", {.lower = conv});
  registry.add("", "ConvTranspose", {.lower = conv_transpose});
  registry.add("com.microsoft", "ConvGrad", {.lower = conv_grad});
  registry.add("com.microsoft", "ConvTransposeGrad", {.lower = conv_transpose_grad});
}

}  // namespace stashscope::cuda
