// Cutting tensors apart along axes and joining them: Slice, Split, Concat, Pad, Trilu.

#include <algorithm>
#include <cstring>

#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/strided_copy.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/shared/dispatch.h"
#include "core/run/shared/padding.h"
#include "core/run/shared/slices.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

namespace {

using Dims = std::vector<std::int64_t>;

/// The part of an operand of `dims` that a slice selects.
StridedOperand sliced(Operand operand, const Dims& dims, const kernels::SliceNumbers& numbers) {
  kernels::SlicedLayout layout = kernels::sliced_layout(dims, numbers);
  return {operand, std::move(layout.strides), layout.offset};
}

Lowered slice(const LoweringContext& context) {
  const OperandType& out = context.out();
  const kernels::SliceNumbers numbers = context.version < 10
                                            ? kernels::slice_attributes(context.attributes())
                                            : kernels::slice_operands(context.contents, 1);
  Lowered lowered;
  add_strided_copy(lowered, out.element, out.dims, sliced(input(0), context.in().dims, numbers),
                   whole(output(), out.dims));
  return lowered;
}

/// The inputs are (dY, shape of X, starts, ends, axes, steps).
Lowered slice_grad(const LoweringContext& context) {
  const OperandType& dy = context.in(0);
  Lowered lowered;
  lowered.add(ZeroCall{output(), context.out().bytes()});
  add_strided_copy(
      lowered, dy.element, dy.dims, whole(input(0), dy.dims),
      sliced(output(), context.out().dims, kernels::slice_operands(context.contents, 2)));
  return lowered;
}

/// Calls `body(index, place)` for each present part. The parts lie one after another in a tensor,
/// along `axis`. The argument `place` of `body` gives the elements of the part within the tensor.
template <class Body>
void for_each_part(StridedOperand place, const std::vector<OperandType>& parts, std::int64_t axis,
                   Body body) {
  const std::size_t along = kernels::axis_in(axis, std::ssize(place.strides));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].present()) continue;
    body(i, place);
    place.offset += parts[i].dims[along] * place.strides[along];
  }
}

Lowered split(const LoweringContext& context) {
  Lowered lowered;
  for_each_part(
      whole(input(0), context.in().dims), context.outputs, context.attributes().integer("axis", 0),
      [&](std::size_t i, const StridedOperand& place) {
        const Dims& dims = context.out(i).dims;
        add_strided_copy(lowered, context.out(i).element, dims, place, whole(output(i), dims));
      });
  return lowered;
}

Lowered concat(const LoweringContext& context) {
  Lowered lowered;
  for_each_part(
      whole(output(), context.out().dims), context.inputs, context.attributes().integer("axis", 1),
      [&](std::size_t i, const StridedOperand& place) {
        const Dims& dims = context.in(i).dims;
        add_strided_copy(lowered, context.in(i).element, dims, whole(input(i), dims), place);
      });
  return lowered;
}

/// Output 1 is the length of each input along the axis.
Lowered concat_training(const LoweringContext& context) {
  Lowered lowered = concat(context);
  if (!context.has_output(1)) return lowered;
  std::string text = "(Int64* lengths) {\n  if (threadIdx.x != 0) return;\n";
  for (std::size_t i = 0; i < context.inputs.size(); ++i) {
    const std::int64_t length = context.in(i).dim(context.attributes().integer("axis", 1));
    text += "  lengths[" + std::to_string(i) + "] = " + std::to_string(length) + ";\n";
  }
  lowered.add(KernelCall{text + "}\n", {1, 32}, {output(1)}});
  return lowered;
}

struct PaddedAxis {
  std::int64_t size = 1;
  std::int64_t padded = 1;
  std::int64_t before = 0;

  bool changes() const { return before != 0 || size != padded; }
};

/// The axes, outermost first. An unpadded axis is merged with the next outer axis if the mode is
/// `constant` or the outer axis is unpadded too.
std::vector<PaddedAxis> padded_axes(const Dims& data, const Dims& padded, const Dims& before,
                                    bool constant) {
  std::vector<PaddedAxis> axes;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const PaddedAxis next{data[i], padded[i], before[i]};
    const bool joins = !axes.empty() && !next.changes() && (constant || !axes.back().changes());
    if (!joins) {
      axes.push_back(next);
      continue;
    }
    axes.back().size *= next.size;
    axes.back().padded *= next.size;
    axes.back().before *= next.size;
  }
  return axes;
}

std::string mode_text(const std::string& mode) {
  if (mode == "edge") return "EdgePadding";
  if (mode == "reflect") return "ReflectPadding";
  return mode == "wrap" ? "WrapPadding" : "ConstantPadding";
}

/// Template arguments of a padding: the mode, then PaddedAxis<...> for each axis.
std::vector<std::string> padding_arguments(const std::string& mode,
                                           const std::vector<PaddedAxis>& axes) {
  std::vector<std::string> list;
  std::int64_t stride = 1;
  std::int64_t padded_stride = 1;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const PaddedAxis& axis = axes[i];
    list.push_back(with_arguments(
        "PaddedAxis", arguments_of(axis.size, axis.padded, axis.before, stride, padded_stride)));
    stride *= axis.size;
    padded_stride *= axis.padded;
  }
  list.push_back(mode_text(mode));
  std::reverse(list.begin(), list.end());
  return list;
}

/// Joins elements of the innermost axis to units of at most 16 bytes, which a thread moves at once.
/// Returns the number of elements in a unit. Changes the innermost axis of `axes` to count units.
std::int64_t widen(std::vector<PaddedAxis>& axes, std::int64_t bytes, bool constant) {
  if (axes.empty() || (!constant && axes.back().changes())) return 1;
  PaddedAxis& row = axes.back();
  std::int64_t width = 16 / bytes;
  while (row.size % width != 0 || row.padded % width != 0 || row.before % width != 0) width /= 2;
  row.size /= width;
  row.padded /= width;
  row.before /= width;
  return width;
}

/// The bits of the attribute `value`, as text.
std::string value_text(const LoweringContext& context) {
  const ElementType element = context.out().element;
  const float value = context.attributes().real("value", 0);
  if (!is_floating(element)) return std::to_string(static_cast<std::int64_t>(value));
  const Tensor scalar = Tensor::float_scalar(element, double{value});
  const TensorBytes bytes = scalar.load();
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.bytes.data(), bytes.bytes.size());
  return std::to_string(bits) + "u";
}

/// The inputs are (data, pads, [value], [axes]).
Lowered pad(const LoweringContext& context) {
  const OperandType& data = context.in();
  const OperandType& out = context.out();
  if (out.elements() == 0) return {};
  const std::string mode = context.attributes().text("mode", "constant");
  const bool constant = mode_text(mode) == "ConstantPadding";
  const Dims before = kernels::pads_before(context.contents, context.attributes(), context.version,
                                           1, 3, data.dims, out.dims);
  std::vector<PaddedAxis> axes = padded_axes(data.dims, out.dims, before, constant);
  const std::int64_t bytes = element_bytes(out.element);
  const std::int64_t width = widen(axes, bytes, constant);
  const std::int64_t count = out.elements() / width;
  const std::string type = moved_type(bytes);
  CallText text;
  const std::vector<std::string> operands = {
      text.pointer("const " + type, input(0)),
      context.has_input(2) ? "*" + text.pointer("const " + type, input(2)) : value_text(context),
      text.pointer(type, output())};
  const auto arguments =
      arguments_of(type, width, index_type(std::max(out.elements(), data.elements())), count,
                   padding_arguments(mode, axes));
  return single_call(text.call(invocation("pad_box", arguments, operands), launch_of(count)));
}

/// (dY, shape of the data, pads, [axes]): every element receives the sum of the gradients of its
/// copies.
Lowered pad_grad(const LoweringContext& context) {
  const OperandType& dy = context.in();
  const OperandType& out = context.out();
  if (out.elements() == 0) return {};
  const std::string mode = context.attributes().text("mode", "constant");
  const Dims before = kernels::pads_before(context.contents, context.attributes(), context.version,
                                           2, 3, out.dims, dy.dims);
  const auto axes = padded_axes(out.dims, dy.dims, before, mode_text(mode) == "ConstantPadding");
  CallText text;
  const std::string from = text.reads(context, 0);
  const std::string to = text.writes(context);
  const auto arguments =
      arguments_of(device_type(out.element), index_type(std::max(out.elements(), dy.elements())),
                   out.elements(), padding_arguments(mode, axes));
  return single_call(
      text.call(invocation("pad_gradient", arguments, {from, to}), launch_of(out.elements())));
}

Lowered trilu(const LoweringContext& context) {
  const OperandType& in = context.in();
  if (in.elements() == 0) return {};
  const bool upper = context.attributes().integer("upper", 1) != 0;
  const std::int64_t diagonal = context.has_input(1) ? kernels::as_integer(context.contents[1]) : 0;
  const std::int64_t k = std::clamp(diagonal, -in.dim(-2), in.dim(-1));
  const std::string type = moved_type(element_bytes(in.element));
  CallText text;
  const std::string from = text.pointer("const " + type, input(0));
  const std::string to = text.pointer(type, output());
  const auto arguments = arguments_of(type, index_type(in.elements()), in.elements(), in.dim(-2),
                                      in.dim(-1), k, upper);
  return single_call(
      text.call(invocation("keep_triangle", arguments, {from, to}), launch_of(in.elements())));
}

}  // namespace

void add_slicing_kernels(CudaKernelRegistry& registry) {
  registry.add("", "Slice", {.lower = slice, .host_inputs_from = 1});
  registry.add("com.microsoft", "SliceGrad", {.lower = slice_grad, .host_inputs_from = 1});
  registry.add("", "Split", {.lower = split, .host_inputs = {1}});
  registry.add("", "Concat", {.lower = concat});
  registry.add("com.microsoft", "ConcatTraining", {.lower = concat_training});
  registry.add("", "Pad", {.lower = pad, .host_inputs = {1, 3}});
  registry.add("com.microsoft", "PadGrad", {.lower = pad_grad, .host_inputs_from = 1});
  registry.add("", "Trilu", {.lower = trilu, .host_inputs = {1}});
}

}  // namespace stashscope::cuda
