// Resize, Upsample and the gradient. The host computes the taps of every position and writes them
// into the text of the kernel.

#include <algorithm>

#include "core/base/text.h"
#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/strided_copy.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/shared/resize_taps.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

namespace {

using Dims = std::vector<std::int64_t>;
using kernels::Taps;

/// An axis of the result, and the source positions (taps) of each position on the axis.
struct TapAxis {
  std::size_t axis = 0;
  std::vector<Taps> taps;
};

/// The taps of the gradient. A position of the data gets gradients from all output positions that
/// have it as a tap.
TapAxis turned_back(const kernels::ResizedAxis& axis) {
  TapAxis back{axis.axis, std::vector<Taps>(static_cast<std::size_t>(axis.in))};
  for (std::int64_t out = 0; out < axis.out; ++out) {
    for (const kernels::Tap& tap : axis.taps[static_cast<std::size_t>(out)]) {
      back.taps[static_cast<std::size_t>(tap.in)].push_back({out, tap.weight});
    }
  }
  return back;
}

/// The number of taps per position if it is the same for all positions, else 0.
std::size_t taps_of_each(const std::vector<Taps>& list) {
  const std::size_t first = list.front().size();
  const bool even =
      std::all_of(list.begin(), list.end(), [&](const Taps& taps) { return taps.size() == first; });
  return even ? first : 0;
}

std::string array_text(const std::string& type, const std::string& name,
                       const std::vector<std::string>& items) {
  return "  static const " + type + " " + name + "[] = {" +
         (items.empty() ? "0" : join(items, ", ")) + "};\n";
}

/// The declaration of the TapTable `taps_N`, where N is `number`.
/// @param step distance between neighbouring positions of the source, in elements
std::string table_text(const TapAxis& axis, std::size_t number, std::int64_t step,
                       const std::string& compute, const std::string& index) {
  std::vector<std::string> starts = {"0"};
  std::vector<std::string> offsets;
  std::vector<std::string> weights;
  bool weighted = false;
  for (const Taps& taps : axis.taps) {
    for (const kernels::Tap& tap : taps) {
      offsets.push_back(std::to_string(tap.in * step));
      weights.push_back(compute + "(" + format_number(tap.weight) + ")");
      weighted = weighted || tap.weight != 1;
    }
    starts.push_back(std::to_string(offsets.size()));
  }
  const std::size_t fixed = taps_of_each(axis.taps);
  const std::string suffix = "_" + std::to_string(number);
  std::string text = array_text(index, "offsets" + suffix, offsets);
  if (fixed == 0) text += array_text("Int32", "starts" + suffix, starts);
  if (weighted) text += array_text(compute, "weights" + suffix, weights);
  return text + "  const " +
         with_arguments("TapTable", arguments_of(compute, index, fixed, weighted)) + " taps" +
         suffix + " = {" + (fixed == 0 ? "starts" + suffix : "nullptr") + ", offsets" + suffix +
         ", " + (weighted ? "weights" + suffix : "nullptr") + "};\n";
}

/// The index of the thread's element along an axis.
std::string position_text(const Dims& dims, std::size_t axis) {
  const std::int64_t inner = kernels::dense_strides(dims)[axis];
  return "at / " + std::to_string(inner) + " % " + std::to_string(dims[axis]);
}

/// The declaration of `base`, the part of the source offset that comes from the axes without taps.
std::string base_text(const std::vector<TapAxis>& axes, const Dims& made, const Dims& strides,
                      const std::string& index) {
  std::vector<std::string> terms = {"0"};
  for (std::size_t axis = 0; axis < made.size(); ++axis) {
    const bool resized = std::any_of(axes.begin(), axes.end(),
                                     [&](const TapAxis& each) { return each.axis == axis; });
    if (resized || made[axis] == 1) continue;
    terms.push_back(position_text(made, axis) + " * " + std::to_string(strides[axis]));
  }
  return "  const " + index + " base = " + join(terms, " + ") + ";\n";
}

/// The expression of the nested sums; the sum over the first axis is the innermost.
std::string sum_text(const std::vector<TapAxis>& axes, const Dims& made, const std::string& compute,
                     const std::string& index, const std::string& empty) {
  std::string offset = "base";
  for (std::size_t i = 0; i < axes.size(); ++i) offset += " + offset_" + std::to_string(i);
  std::string text = compute + "(load(x, " + offset + "))";
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::string number = std::to_string(i);
    text = "taps_" + number + ".sum(" + position_text(made, axes[i].axis) + ", " + compute + "(" +
           empty + "), [&](" + index + " offset_" + number + ") {\n    return " + text + ";\n  })";
  }
  return text;
}

/// Lowers to one kernel that computes output 0 from input 0.
/// @param empty the value of positions without taps
Lowered tapped(const LoweringContext& context, const std::vector<TapAxis>& axes, float empty) {
  const OperandType& in = context.in();
  const OperandType& out = context.out();
  if (out.elements() == 0) return {};
  if (axes.empty()) return single_call(CopyCall{input(0), output(), out.bytes()});
  const std::string index = index_type(std::max(in.elements(), out.elements()));
  const std::string compute = is_floating(out.element) ? compute_type(out.element) : "double";
  const Dims strides = kernels::dense_strides(in.dims);
  const std::string type = device_type(out.element);
  std::string text = "(const " + type + "* x, " + type + "* y) {\n";
  for (std::size_t i = 0; i < axes.size(); ++i) {
    text += table_text(axes[i], i, strides[axes[i].axis], compute, index);
  }
  text += "  const " + index + " at = " + index +
          "(thread_index());\n  if (at >= " + std::to_string(out.elements()) + ") return;\n" +
          base_text(axes, out.dims, strides, index) + "  store(y, at, Compute<" + type + ">(" +
          sum_text(axes, out.dims, compute, index, float_text(empty)) + "));\n}\n";
  return single_call(KernelCall{text, launch_of(out.elements()), {input(0), output()}});
}

Lowered resize_from(const LoweringContext& context, const kernels::ResizePlaces& places) {
  const kernels::Resizing resizing = kernels::resizing_of(
      context.attributes(), context.contents, places, context.in().dims, context.out().dims);
  std::vector<TapAxis> axes;
  for (const kernels::ResizedAxis& axis : resizing.axes) axes.push_back({axis.axis, axis.taps});
  return tapped(context, axes, static_cast<float>(resizing.extrapolation));
}

Lowered resize(const LoweringContext& context) {
  return resize_from(context, kernels::resize_places(context.version));
}

Lowered upsample(const LoweringContext& context) {
  return resize_from(context, kernels::upsample_places);
}

/// The inputs are (dY, shape of X, [roi], [scales]).
Lowered resize_grad(const LoweringContext& context) {
  const kernels::Resizing resizing =
      kernels::resizing_of(context.attributes(), context.contents, kernels::resize_grad_places,
                           context.out().dims, context.in().dims);
  std::vector<TapAxis> axes;
  for (const kernels::ResizedAxis& axis : resizing.axes) axes.push_back(turned_back(axis));
  return tapped(context, axes, 0);
}

}  // namespace

void add_resize_kernels(CudaKernelRegistry& registry) {
  registry.add("", "Resize", {.lower = resize, .host_inputs_from = 1});
  registry.add("", "Upsample", {.lower = upsample, .host_inputs = {1}});
  registry.add("com.microsoft", "ResizeGrad", {.lower = resize_grad, .host_inputs_from = 1});
}

}  // namespace stashscope::cuda
