// Layer normalization with its simplified (root mean square) and fused forms, and the gradients.

#include "core/base/text.h"
#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/reduction_plan.h"
#include "core/run/cuda/codegen/row_layout.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/shared/epsilon.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

namespace {

/// Each row spans all axes from `axis` on.
Rows rows_of(const LoweringContext& context, const OperandType& data) {
  const auto axis = kernels::axis_in(context.attributes().integer("axis", -1), data.rank());
  return {element_count(std::span(data.dims).first(axis)),
          element_count(std::span(data.dims).subspan(axis))};
}

std::string flag(bool value) { return value ? "true" : "false"; }

/// The text of a PerColumn object, which gives a kernel the scale or bias of each column. Input
/// `index` has one element per column, or one element for all columns. If the input is left out,
/// the object gives `otherwise`.
std::string per_column(const LoweringContext& context, std::size_t index, std::int64_t columns,
                       const char* otherwise, CallText& text) {
  const bool present = context.has_input(index);
  const std::int64_t elements = present ? context.in(index).elements() : 1;
  if (elements != columns && elements != 1) {
    fail_run(
        "", "scale and bias must have one element, or one for each element of the normalized axes");
  }
  const std::string type = type_or_float(present ? context.in(index) : OperandType());
  return with_arguments("PerColumn", {type, elements == columns && present ? "1" : "0"}) + "{" +
         text.reads(context, index) + ", " + otherwise + "}";
}

/// Input indices of scale and bias, and output indices of the mean, the inverse deviation and the
/// sum of the inputs. `none` means that the operator has no such operand.
struct Places {
  static constexpr std::size_t none = 99;
  std::size_t scale = 1;
  std::size_t bias = none;
  std::size_t mean = none;
  std::size_t inverse = none;
  std::size_t sum = none;
};

/// @param source text of the object from which rows are read
Lowered lower_rows(const LoweringContext& context, const RowNeeds& needs, const Places& places,
                   bool simplified, const std::string& source, CallText& text) {
  const Rows rows = rows_of(context, context.in(0));
  const RowPlan plan = plan_rows(rows, needs);
  std::string body = with_arguments("normalize_rows", {compute_type(context.out().element),
                                                       plan.layout, flag(simplified)}) +
                     "(" + source;
  for (const std::string& operand :
       {per_column(context, places.scale, rows.columns, "1.0F", text),
        per_column(context, places.bias, rows.columns, "0.0F", text), text.writes(context),
        text.writes(context, places.mean), text.writes(context, places.inverse),
        text.writes(context, places.sum),
        format_number(kernels::epsilon_of(context.attributes()))}) {
    body += ", " + operand;
  }
  return single_call(text.call(body + ")", plan.shape));
}

template <bool simplified>
Lowered lower_layer_norm(const LoweringContext& context) {
  if (context.out().elements() == 0) return {};
  const Places places =
      simplified ? Places{.inverse = 1} : Places{.bias = 2, .mean = 1, .inverse = 2};
  CallText text;
  const std::string type = with_arguments("Elements", {device_type(context.in().element)});
  const std::string source = type + "{" + text.reads(context, 0) + "}";
  const RowNeeds needs{.elements = {context.in().element, context.out().element},
                       .even_runs = {rows_of(context, context.in()).columns}};
  return lower_rows(context, needs, places, simplified, source, text);
}

/// (input, skip, scale, [bias of the result], [bias of the sum]): normalizes the sum of input, skip
/// and the bias of the sum. The simplified form has no bias of the result.
template <bool simplified>
Lowered lower_skip_layer_norm(const LoweringContext& context) {
  if (context.out().elements() == 0) return {};
  const Places places = simplified
                            ? Places{.scale = 2, .mean = 1, .inverse = 2, .sum = 3}
                            : Places{.scale = 2, .bias = 3, .mean = 1, .inverse = 2, .sum = 3};
  const std::size_t bias = simplified ? 3 : 4;
  const OperandType added = context.has_input(bias) ? context.in(bias) : OperandType();
  const std::int64_t added_count = added.present() ? added.elements() : 1;
  const RowNeeds needs{.elements = {context.in().element, context.out().element},
                       .even_runs = {rows_of(context, context.in()).columns,
                                     context.in(1).elements(), added.present() ? added_count : 0}};
  CallText text;
  const std::string type = with_arguments(
      "SkippedElements",
      {device_type(context.in(0).element), device_type(context.in(1).element), type_or_float(added),
       std::to_string(context.in(1).elements()), std::to_string(added_count)});
  const std::string source = type + "{" + text.reads(context, 0) + ", " + text.reads(context, 1) +
                             ", " + text.reads(context, bias) + "}";
  return lower_rows(context, needs, places, simplified, source, text);
}

template <bool simplified>
KernelCall data_gradient(const LoweringContext& context, const Rows& rows) {
  const RowPlan plan = plan_rows(
      rows, {.elements = {context.in(0).element, context.in(1).element, context.out().element},
             .kept_numbers = 2,
             .even_runs = {rows.columns}});
  CallText text;
  std::string body = with_arguments("normalize_rows_back", {compute_type(context.out().element),
                                                            plan.layout, flag(simplified)}) +
                     "(" + text.reads(context, 0);
  for (const std::string& operand :
       {text.reads(context, 1), per_column(context, 2, rows.columns, "1.0F", text),
        simplified ? text.reads(OperandType(), Operand()) : text.reads(context, 3),
        text.reads(context, simplified ? 3 : 4), text.writes(context)}) {
    body += ", " + operand;
  }
  return text.call(body + ")", plan.shape);
}

template <bool simplified>
void add_affine_gradients(const LoweringContext& context, const Rows& rows, Lowered& lowered) {
  const std::string compute = compute_type(context.out().element);
  const std::size_t inverse = simplified ? 3 : 4;
  const std::int64_t widest = widest_access({context.in(0).element, context.in(1).element});
  ReductionTexts texts{with_arguments("AddingPairs", {compute}), compute == "double" ? 16 : 8,
                       rows.columns == 1 ? 1 : widest};
  texts.source = [&](CallText& text) {
    const std::string mean = simplified ? "float" : device_type(context.in(3).element);
    const std::string type = with_arguments(
        "AffineTerms", {compute, flag(simplified), std::to_string(rows.columns),
                        device_type(context.in(0).element), device_type(context.in(1).element),
                        mean, device_type(context.in(inverse).element)});
    return type + "{" + text.reads(context, 0) + ", " + text.reads(context, 1) + ", " +
           (simplified ? text.reads(OperandType(), Operand()) : text.reads(context, 3)) + ", " +
           text.reads(context, inverse) + "}";
  };
  texts.sink = [&](CallText& text) {
    const auto type = [&](std::size_t index) {
      return type_or_float(context.has_output(index) ? context.out(index) : OperandType());
    };
    return with_arguments("PairResults", {type(1), type(2), compute}) + "{" +
           text.writes(context, 1) + ", " + text.writes(context, 2) + "}";
  };
  add_reduction(lowered, {rows.count, rows.columns}, {1, rows.columns}, texts);
}

/// (dY, X, scale, [mean], inverse deviation) -> dX, dScale, [dBias]; the simplified form has no
/// mean.
template <bool simplified>
Lowered lower_gradient(const LoweringContext& context) {
  const Rows rows = rows_of(context, context.in(1));
  Lowered lowered;
  if (context.has_output(0) && context.out().elements() > 0) {
    lowered.add(data_gradient<simplified>(context, rows));
  }
  const bool has_affine = context.has_output(1) || context.has_output(2);
  if (has_affine && rows.columns > 0) {
    if (context.in(2).elements() != rows.columns) {
      fail_run("", "the gradient of one scale for all columns is not supported on CUDA devices");
    }
    add_affine_gradients<simplified>(context, rows, lowered);
  }
  return lowered;
}

}  // namespace

void add_layer_normalization_kernels(CudaKernelRegistry& registry) {
  registry.add("", "LayerNormalization", {lower_layer_norm<false>});
  registry.add("", "SimplifiedLayerNormalization", {lower_layer_norm<true>});
  registry.add("", "RMSNormalization", {lower_layer_norm<true>});
  registry.add("com.microsoft", "SkipLayerNormalization", {lower_skip_layer_norm<false>});
  registry.add("com.microsoft", "SkipSimplifiedLayerNormalization", {lower_skip_layer_norm<true>});
  for (const char* domain : {"", "com.microsoft"}) {
    registry.add(domain, "LayerNormalizationGrad", {lower_gradient<false>});
    registry.add(domain, "SimplifiedLayerNormalizationGrad", {lower_gradient<true>});
  }
}

}  // namespace stashscope::cuda
