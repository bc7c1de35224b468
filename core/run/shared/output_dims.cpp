#include "core/run/shared/output_dims.h"

#include <algorithm>

#include "core/ops/rules/contents.h"
#include "core/ops/rules/shape_context.h"
#include "core/run/shared/dispatch.h"

namespace stashscope::kernels {

namespace {

/// Reads the elements of a small tensor of numbers for shape rules. Returns false for any other
/// tensor.
bool read_contents(const TensorView& view, Contents& contents) {
  if (view.data == nullptr) return false;
  const bool readable = is_integer(view.element) || view.element == ElementType::boolean ||
                        view.element == ElementType::float32;
  if (!readable || view.elements() > static_cast<std::int64_t>(max_contents)) return false;
  if (view.element == ElementType::float32) {
    for (const float item : view.as<float>()) {
      const auto exact = exact_expr(double{item});
      if (!exact) return false;
      contents.push_back(*exact);
    }
    return true;
  }
  if (bits_per_element(view.element) < 8) return false;
  for (const std::int64_t item : as_integers(view)) contents.push_back(item);
  return true;
}

std::vector<std::int64_t> numbers(const TensorType& type) {
  std::vector<std::int64_t> dims;
  for (const Expr& dim : type.shape.value_or(Shape{Expr::symbol(SymbolId(0))})) {
    const auto number = dim.integer();
    if (!number) fail_run("", "the dims of its outputs cannot be determined");
    dims.push_back(*number);
  }
  return dims;
}

std::vector<InferredOutput> infer(const Kernel& kernel, const Op& op, const KernelContext& context,
                                  std::vector<KnownInput> known, SymbolTable& symbols) {
  ShapeContext shapes(context.node, context.version, known, symbols);
  try {
    infer_outputs(op, shapes);
  } catch (const ShapeUnknown&) {
    if (kernel.size == nullptr) fail_run("", "the dims of its outputs cannot be determined");
  } catch (const ExpressionTooLarge&) {
    // Some elements of the inputs, such as powers of arbitrary numbers, have no exact
    // representation. No dims depend on such elements, so the rule is tried again without elements.
    const auto forget = [](KnownInput& input) { return std::exchange(input.contents, nullptr); };
    if (std::count_if(known.begin(), known.end(), forget) == 0) throw;
    return infer(kernel, op, context, std::move(known), symbols);
  }
  return std::move(shapes.outputs());
}

}  // namespace

std::vector<OutputDims> output_dims(const Kernel& kernel, const Op& op,
                                    const KernelContext& context, SymbolTable& symbols) {
  std::vector<TensorType> types;
  std::vector<Contents> contents(context.inputs.size());
  types.reserve(context.inputs.size());
  std::vector<KnownInput> known;
  for (std::size_t i = 0; i < context.inputs.size(); ++i) {
    const TensorView& view = context.inputs[i];
    types.push_back({view.element, Shape(view.dims.begin(), view.dims.end()), {}});
    const bool has_contents = view.present() && read_contents(view, contents[i]);
    known.push_back({view.present() ? &types[i] : nullptr, has_contents ? &contents[i] : nullptr});
  }
  const std::vector<InferredOutput> inferred =
      infer(kernel, op, context, std::move(known), symbols);
  std::vector<OutputDims> result;
  std::vector<std::vector<std::int64_t>> sized;
  if (kernel.size != nullptr) sized = kernel.size(context);
  for (std::size_t i = 0; i < context.node.outputs.size(); ++i) {
    const TensorType& type = inferred[i].type;
    result.push_back({type.element, {}});
    if (kernel.size != nullptr) {
      result.back().dims = sized[i];
    } else if (context.node.outputs[i].valid()) {
      result.back().dims = numbers(type);
    }
  }
  return result;
}

}  // namespace stashscope::kernels
