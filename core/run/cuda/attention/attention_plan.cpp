#include "core/run/cuda/attention/attention_plan.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/shared/dispatch.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

namespace {

Shape shape_of(const OperandType& operand) { return {operand.dims.begin(), operand.dims.end()}; }

Dims numbers_in(const Shape& shape) {
  Dims numbers;
  for (const Expr& dim : shape) numbers.push_back(dim.integer().value());
  return numbers;
}

Dims reshaped_dims(const Dims& dims, const std::vector<std::int64_t>& target) {
  const Shape scores(dims.begin(), dims.end());
  const auto shape = reshaped_scores(scores, {target.begin(), target.end()});
  if (!shape || shape->size() < 2) fail_run("", "a step Reshape has no valid shape");
  Dims result = numbers_in(*shape);
  if (element_count(result) != element_count(dims) ||
      !std::equal(result.end() - 2, result.end(), dims.end() - 2)) {
    fail_run("", "a step Reshape changes the rows, the keys or the number of scores");
  }
  return result;
}

/// @param dims the dims of the scores at the step
StepOperandPlace operand_place(const LoweringContext& context, std::size_t input,
                               const Dims& dims) {
  StepOperandPlace place{.input = input,
                         .leading = {dims.begin(), dims.end() - 2},
                         .strides = kernels::broadcast_strides(dims, context.in(input).dims)};
  place.key_stride = place.strides.back();
  place.strides.pop_back();
  place.row_stride = place.strides.back();
  place.strides.pop_back();
  return place;
}

/// Maps each entry of the result to its entry of the scores. Rows and columns are not set.
MatrixStack score_stack(const Dims& score_leading, const Dims& leading) {
  MatrixStack stack{
      .leading = leading, .sizes = Dims(leading.size(), 1), .strides = Dims(leading.size(), 0)};
  const Dims dense = kernels::dense_strides(score_leading);
  std::copy(score_leading.begin(), score_leading.end(),
            stack.sizes.end() - std::ssize(score_leading));
  std::copy(dense.begin(), dense.end(), stack.strides.end() - std::ssize(dense));
  return stack;
}

}  // namespace

std::string StepOperandPlace::text() const {
  WalkText walk;
  for (std::size_t i = leading.size(); i-- > 0;) walk.add(leading[i], strides[i]);
  return with_arguments("OperandPlace", arguments_of(walk.text(), row_stride, key_stride));
}

SharedEntries StepOperandPlace::shared_entries() const {
  const Dims places = kernels::dense_strides(leading);
  SharedEntries shared;
  for (std::size_t i = leading.size(); i-- > 0;) {
    (strides[i] != 0 ? shared.kept : shared.summed).add(leading[i], places[i]);
  }
  return shared;
}

AttentionPlan::AttentionPlan(const LoweringContext& context, const fused_places::Inputs& places)
    : context_(context), computed_(compute_element(context.in(places.query).element)) {
  const AttentionShapes shapes = attention_shapes(
      context.attributes(), shape_of(context.in(places.query)),
      shape_of(context.in(places.query + 1)), shape_of(context.in(places.query + 2)));
  leading_ = numbers_in(shapes.result_leading);
  scores_ = score_stack(numbers_in(shapes.score_leading), leading_);
  queries_ = operand(places.query, "query_perm");
  keys_ = operand(places.query + 1, "key_perm");
  values_ = operand(places.query + 2, "value_perm");
  for (const std::int64_t size : {rows(), keys(), queries_.stack.columns, values_.stack.columns}) {
    require_int(size);
  }
  plan_steps(places.step_operands, numbers_in(shapes.scores()));
}

AttentionTensor AttentionPlan::operand(std::size_t index, const char* permutation_name) const {
  const OperandType& type = context_.in(index);
  const Integers axes = permutation(context_.attributes(), permutation_name, type.dims.size());
  return {matrix_stack(type.element, type.dims, axes, leading_), input(index)};
}

AttentionTensor AttentionPlan::result(ElementType element, const Dims& dims,
                                      Operand operand) const {
  // Axis i of Y is axis `forward[i]` of the result; a stack needs the other direction.
  const Integers forward = permutation(context_.attributes(), "output_perm", dims.size());
  Dims axes(forward.size());
  for (std::size_t i = 0; i < forward.size(); ++i) {
    axes[static_cast<std::size_t>(forward[i])] = static_cast<std::int64_t>(i);
  }
  return {matrix_stack(element, dims, axes, leading_), operand};
}

AttentionTensor AttentionPlan::sums(std::int64_t rows, Operand operand) const {
  AttentionTensor tensor{scores_, operand};
  tensor.stack.element = computed_;
  for (std::int64_t& stride : tensor.stack.strides) stride *= rows;
  tensor.stack.rows = this->rows();
  tensor.stack.row_stride = 1;
  return tensor;
}

std::int64_t AttentionPlan::entries() const { return element_count(leading_); }

void AttentionPlan::plan_steps(std::size_t first, Dims dims) {
  for (const ScoreStep& step : read_score_steps(context_.attributes())) {
    const std::size_t input = first + step.first_operand;
    if (step.kind == ScoreStepKind::reshape) {
      dims = reshaped_dims(dims, context_.integers(input));
      continue;
    }
    steps_.push_back({step, {}, {}});
    if (step.operands > 0) {
      steps_.back().number = operand_place(context_, first + step.number(), dims);
    }
    if (step.is_choice()) steps_.back().condition = operand_place(context_, input, dims);
  }
}

std::int64_t AttentionPlan::tile_for(std::int64_t count) const {
  const std::int64_t most = computed_ == ElementType::float64 ? 32 : 64;
  std::int64_t tile = 16;
  while (tile < most && tile < count) tile *= 2;
  return tile;
}

std::int64_t AttentionPlan::width_for(std::int64_t columns) const {
  const std::int64_t most = computed_ == ElementType::float64 ? 64 : 128;
  return std::clamp<std::int64_t>((columns + 15) / 16 * 16, 16, most);
}

std::string AttentionPlan::shape() const {
  return with_arguments("AttentionShape", arguments_of(device_type(computed_), rows(), keys(),
                                                       row_tile(), key_tile(), scores_.offsets()));
}

std::string AttentionPlan::repeats() const {
  WalkText walk;
  for (std::size_t i = leading_.size(); i-- > 0;) {
    walk.add(leading_[i], scores_.sizes[i] == leading_[i] ? 0 : 1);
  }
  return walk.text();
}

std::string AttentionPlan::reads(const AttentionTensor& tensor, CallText& text) {
  const std::string type = "const " + device_type(tensor.stack.element);
  return tensor.stack.type(false) + "{" +
         (tensor.present ? text.pointer(type, tensor.operand) : "nullptr") + "}";
}

std::string AttentionPlan::writes(const AttentionTensor& tensor, CallText& text) {
  return tensor.stack.type(true) + "{" +
         (tensor.present ? text.pointer(device_type(tensor.stack.element), tensor.operand)
                         : "nullptr") +
         "}";
}

std::string AttentionPlan::operand_type(const StepOperandPlace& place) const {
  return with_arguments("StepOperand",
                        {device_type(context_.in(place.input).element), place.text()});
}

std::string AttentionPlan::step_type(const PlannedStep& planned) const {
  if (planned.step.kind == ScoreStepKind::tanh) return "TanhStep";
  const std::string x = operand_type(*planned.number);
  switch (planned.step.kind) {
    case ScoreStepKind::multiply:
      return with_arguments("MultiplyStep", {x});
    case ScoreStepKind::divide:
      return with_arguments("DivideStep", {x});
    case ScoreStepKind::add:
    case ScoreStepKind::subtract:
      return with_arguments("AddStep",
                            arguments_of(x, planned.step.kind == ScoreStepKind::subtract));
    default:
      return with_arguments("ChoiceStep", arguments_of(operand_type(*planned.condition), x,
                                                       planned.step.kind == ScoreStepKind::where));
  }
}

std::string AttentionPlan::step_object(const PlannedStep& planned, CallText& text) const {
  std::vector<std::string> operands;
  for (const auto& place : {planned.condition, planned.number}) {
    if (place) operands.push_back("{" + text.reads(context_, place->input) + "}");
  }
  return "{" + join(operands, ", ") + "}";
}

std::string AttentionPlan::steps_object(CallText& text) const {
  std::vector<std::string> types;
  std::string object = "{}";
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    types.insert(types.begin(), step_type(*step));
    std::string with_step = "{" + step_object(*step, text);
    with_step += ", ";
    with_step += object;
    object = with_step + "}";
  }
  return with_arguments("StepChain", types) + object;
}

std::string AttentionPlan::dropout_object() const {
  const double share = double{context_.attributes().real("dropout", 0)};
  if (!(share > 0)) return "NoDropout{}";
  const auto seed = static_cast<std::uint64_t>(context_.attributes().integer("dropout_seed", 0));
  const DropoutTexts texts = dropout_texts(seed, share);
  return with_arguments("ProbabilityDropout", arguments_of(rows(), keys())) + "{" + texts.random +
         ", " + texts.threshold + ", " + texts.scale + "}";
}

}  // namespace stashscope::cuda
