#include "core/ops/rules/gradient_context.h"

#include <algorithm>

#include "core/base/advice.h"
#include "core/base/error.h"
#include "core/ops/rules/contents.h"

namespace stashscope {

namespace {

ValueId operand(const std::vector<ValueId>& operands, std::size_t index, const char* kind) {
  if (index >= operands.size()) {
    fail_input("", std::string("lacks ") + kind + " " + std::to_string(index) +
                       ", which its gradient rule needs");
  }
  return operands[index];
}

/// The first output that is not omitted. Its name stands in for a missing name of the node.
ValueId first_output(const Node& node) {
  const auto first = std::find_if(node.outputs.begin(), node.outputs.end(),
                                  [](ValueId output) { return output.valid(); });
  return first == node.outputs.end() ? ValueId() : *first;
}

}  // namespace

void fail_gradient(const std::string& what) {
  throw NoGradientRule(ErrorKind::input, "", what,
                       option_hint({Advice::Action::freeze_parameters}));
}

GradientContext::GradientContext(BackwardBuilder& builder, NodeId node,
                                 std::vector<ValueId> arriving, std::vector<bool> wanted)
    : builder_(builder),
      id_(node),
      scope_(builder.forward_node(node).name),
      arriving_(std::move(arriving)),
      wanted_(std::move(wanted)),
      given_(wanted_.size()) {
  const ValueId named = first_output(builder.forward_node(node));
  if (scope_.empty() && named.valid()) scope_ = builder.value(named).name;
}

ValueId GradientContext::input(std::size_t index) const {
  return operand(node().inputs, index, "input");
}

ValueId GradientContext::output(std::size_t index) const {
  return operand(node().outputs, index, "output");
}

const TensorType& GradientContext::type(ValueId value) const {
  if (!value.valid()) fail_input("", "omits an operand that its gradient rule needs");
  return builder_.type(value);
}

bool GradientContext::has_input(std::size_t index) const {
  return index < node().inputs.size() && node().inputs[index].valid();
}

ValueId GradientContext::saved_output(std::size_t index, TensorType type) {
  return builder_.forward_output(id_, index, std::move(type));
}

const Shape& GradientContext::shape(ValueId value) const {
  const TensorType& known = type(value);
  if (!known.shape) {
    throw NoGradientRule(ErrorKind::input, describe(builder_.value(value)),
                         "its rank is unknown, so no gradient can be built",
                         "declare its shape in the model");
  }
  return *known.shape;
}

std::shared_ptr<const std::vector<Expr>> GradientContext::contents(std::size_t index) const {
  return has_input(index) ? builder_.value(input(index)).contents : nullptr;
}

std::optional<std::vector<std::int64_t>> GradientContext::integers(std::size_t index) const {
  return integers_of(contents(index).get());
}

ValueId GradientContext::gradient(std::size_t output) {
  return arrives(output) ? arriving_[output] : zeros_like(this->output(output));
}

std::vector<ValueId> GradientContext::add_many(std::string_view op_type,
                                               std::vector<ValueId> inputs, std::size_t outputs,
                                               Attributes attributes) {
  return builder_.add(scope_, "", op_type, std::move(inputs), std::vector<bool>(outputs, true),
                      std::move(attributes));
}

ValueId GradientContext::add(std::string_view op_type, std::vector<ValueId> inputs,
                             Attributes attributes) {
  return add_many(op_type, std::move(inputs), 1, std::move(attributes))[0];
}

std::vector<ValueId> GradientContext::add_microsoft(std::string_view op_type,
                                                    std::vector<ValueId> inputs,
                                                    const std::vector<bool>& outputs,
                                                    Attributes attributes) {
  return builder_.add(scope_, microsoft_domain, op_type, std::move(inputs), outputs,
                      std::move(attributes));
}

ValueId GradientContext::add_microsoft(std::string_view op_type, std::vector<ValueId> inputs,
                                       Attributes attributes) {
  return add_microsoft(op_type, std::move(inputs), std::vector<bool>{true},
                       std::move(attributes))[0];
}

ValueId GradientContext::reduce_sum(ValueId value, const std::vector<std::int64_t>& axes,
                                    bool keep) {
  const std::int64_t keepdims = keep ? 1 : 0;
  if (opset() < 13) return add("ReduceSum", {value}, {{"axes", axes}, {"keepdims", keepdims}});
  return add("ReduceSum", {value, int64s(axes)}, {{"keepdims", keepdims}});
}

ValueId GradientContext::squeeze(ValueId value, const std::vector<std::int64_t>& axes) {
  if (opset() < 13) return add("Squeeze", {value}, {{"axes", axes}});
  return add("Squeeze", {value, int64s(axes)});
}

ValueId GradientContext::unsqueeze(ValueId value, const std::vector<std::int64_t>& axes) {
  if (opset() < 13) return add("Unsqueeze", {value}, {{"axes", axes}});
  return add("Unsqueeze", {value, int64s(axes)});
}

ValueId GradientContext::reshape_like(ValueId value, ValueId like) {
  if (opset() >= 14) {
    return add("Reshape", {value, shape_of(like)}, {{"allowzero", std::int64_t{1}}});
  }
  if (opset() >= 5) return add("Reshape", {value, shape_of(like)});
  Integers dims;
  for (const Expr& dim : shape(like)) {
    const auto number = dim.integer();
    if (!number) {
      fail_input(describe(builder_.value(like)),
                 "has a symbolic dimension, which its gradient does not support before opset 5",
                 "convert the model to a newer opset");
    }
    dims.push_back(*number);
  }
  return add("Reshape", {value}, {{"shape", std::move(dims)}});
}

ValueId GradientContext::cast(ValueId value, ElementType element) {
  return add("Cast", {value}, {{"to", static_cast<std::int64_t>(element)}});
}

ValueId GradientContext::scalar_like(ValueId like, double item) {
  return builder_.scalar(type(like).element, item);
}

ValueId GradientContext::zeros_like(ValueId value) {
  const Tensor zero = Tensor::float_scalar(type(value).element, 0);
  const TensorBytes bytes = zero.load();
  Tensor one_element(
      zero.element(), {1},
      std::string(reinterpret_cast<const char*>(bytes.bytes.data()), bytes.bytes.size()));
  return add("ConstantOfShape", {shape_of(value)}, {{"value", std::move(one_element)}});
}

void GradientContext::give(std::size_t index, ValueId gradient) {
  if (index < given_.size()) given_[index] = gradient;
}

void GradientContext::give_broadcast(std::size_t index, ValueId gradient, const Shape& from) {
  give(index, sum_to(gradient, from, input(index)));
}

void GradientContext::give_broadcast(std::size_t index, ValueId gradient) {
  give_broadcast(index, gradient, Shape(shape(output())));
}

ValueId GradientContext::sum_to(ValueId gradient, const Shape& from, ValueId target) {
  const Shape& to = shape(target);
  const std::size_t missing = from.size() - to.size();
  std::vector<std::int64_t> axes;
  std::vector<std::int64_t> dropped;
  bool keeps = false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    if (i < missing) {
      axes.push_back(axis);
      dropped.push_back(axis);
    } else if (to[i - missing].is(1) && !from[i].is(1)) {
      axes.push_back(axis);
      keeps = true;
    } else if (from[i].integer() && !to[i - missing].integer()) {
      return sum_to_at_run_time(gradient, target);
    }
  }
  if (axes.empty()) return gradient;
  if (!keeps) return reduce_sum(gradient, axes, false);
  const ValueId sum = reduce_sum(gradient, axes, true);
  return dropped.empty() ? sum : squeeze(sum, dropped);
}

ValueId GradientContext::sum_to_at_run_time(ValueId gradient, ValueId target) {
  if (opset() < 13) {
    fail_input(describe(builder_.value(target)),
               "may be broadcast at run time, which its gradient does not support before opset 13",
               "give its dimensions as numbers, or convert the model to a newer opset");
  }
  const std::vector<ValueId> axes =
      add_microsoft("BroadcastGradientArgs", {shape_of(target), shape_of(output())},
                    std::vector<bool>{true, false}, {});
  const ValueId sum =
      add("ReduceSum", {gradient, axes[0]},
          {{"keepdims", std::int64_t{1}}, {"noop_with_empty_axes", std::int64_t{1}}});
  TensorType kept = type(target);
  kept.shape->insert(kept.shape->begin(), shape(output()).size() - kept.shape->size(), Expr(1));
  builder_.declare(sum, std::move(kept));
  return reshape_like(sum, target);
}

}  // namespace stashscope
