#pragma once

#include "core/base/error.h"
#include "core/ops/rules/backward_builder.h"
#include "core/ops/rules/op.h"

namespace stashscope {

/// Thrown when an operator between a parameter and the loss has no gradient rule, or when its rule
/// does not cover this node.
class NoGradientRule : public Error {
 public:
  using Error::Error;
};

/// Throws NoGradientRule.
/// @param what a clause that says what has no gradient rule, for the message
[[noreturn]] void fail_gradient(const std::string& what);

/// The interface of a gradient rule. The rule reads the forward node with its inputs, its outputs
/// and the gradients of its outputs, and adds nodes that compute the gradients of the inputs.
class GradientContext {
 public:
  /// @param arriving the gradient of each output of the node, invalid for an output without one
  /// @param wanted   whether the gradient of each input is needed
  GradientContext(BackwardBuilder& builder, NodeId node, std::vector<ValueId> arriving,
                  std::vector<bool> wanted);

  const Node& node() const { return builder_.forward_node(id_); }
  /// The forward node, for rules that turn it into its training form.
  Node& forward_node() { return builder_.forward_node(id_); }
  const Attributes& attributes() const { return node().attributes; }
  std::int64_t opset() const { return builder_.opset(); }

  bool has_input(std::size_t index) const;
  /// An input (output) of the node; an invalid id if the node omits it. Throws an input Error if
  /// the node has fewer inputs (outputs).
  ValueId input(std::size_t index) const;
  ValueId output(std::size_t index = 0) const;
  /// An optional output that the backward pass needs; the output is added if the node omits it.
  ValueId saved_output(std::size_t index, TensorType type);
  /// Throws an input Error for an omitted operand.
  const TensorType& type(ValueId value) const;
  /// Throws NoGradientRule if the rank is not known.
  const Shape& shape(ValueId value) const;
  std::int64_t rank(ValueId value) const { return static_cast<std::int64_t>(shape(value).size()); }
  /// The elements of an input; null if the elements are not known.
  std::shared_ptr<const std::vector<Expr>> contents(std::size_t index) const;
  /// The elements of an input as integers; nothing if an element is not known or not an integer.
  std::optional<std::vector<std::int64_t>> integers(std::size_t index) const;

  /// Whether a node computes the input; otherwise it is an initializer or a graph input.
  bool is_computed(std::size_t index) const {
    return builder_.value(input(index)).producer.valid();
  }

  bool wants(std::size_t index) const { return index < wanted_.size() && wanted_[index]; }
  bool arrives(std::size_t output) const {
    return output < arriving_.size() && arriving_[output].valid();
  }
  /// The gradient of an output; a tensor of zeros if no gradient arrives.
  ValueId gradient(std::size_t output = 0);

  /// Adds a node with one output. `add` uses the domain ai.onnx, `add_microsoft` the domain
  /// com.microsoft.
  ValueId add(std::string_view op_type, std::vector<ValueId> inputs, Attributes attributes = {});
  ValueId add_microsoft(std::string_view op_type, std::vector<ValueId> inputs,
                        Attributes attributes = {});
  /// Adds a node with several outputs; outputs marked false are omitted (invalid ids).
  std::vector<ValueId> add_microsoft(std::string_view op_type, std::vector<ValueId> inputs,
                                     const std::vector<bool>& outputs, Attributes attributes);
  std::vector<ValueId> add_many(std::string_view op_type, std::vector<ValueId> inputs,
                                std::size_t outputs, Attributes attributes);

  // The following functions hide how the operands of operators differ between opsets.
  ValueId reduce_sum(ValueId value, const std::vector<std::int64_t>& axes, bool keep);
  ValueId squeeze(ValueId value, const std::vector<std::int64_t>& axes);
  ValueId unsqueeze(ValueId value, const std::vector<std::int64_t>& axes);
  ValueId reshape_like(ValueId value, ValueId like);
  ValueId cast(ValueId value, ElementType element);

  ValueId int64s(const std::vector<std::int64_t>& items) { return builder_.int64s(items); }
  /// A scalar constant of the element type of `like`.
  ValueId scalar_like(ValueId like, double item);
  ValueId shape_of(ValueId value) { return builder_.shape_of(value); }
  ValueId zeros_like(ValueId value);

  /// Sets the gradient of input `index`; the gradient must have the input's shape.
  void give(std::size_t index, ValueId gradient);
  /// Sums `gradient` over the axes along which input `index` was broadcast. Sets the sum, which has
  /// the input's shape, as the gradient of the input.
  /// @param from the shape of `gradient`, to which the input was broadcast
  void give_broadcast(std::size_t index, ValueId gradient, const Shape& from);
  /// Calls give_broadcast with the shape of output 0.
  void give_broadcast(std::size_t index, ValueId gradient);

  const std::vector<ValueId>& given() const { return given_; }

 private:
  ValueId sum_to(ValueId gradient, const Shape& from, ValueId target);
  ValueId sum_to_at_run_time(ValueId gradient, ValueId target);

  BackwardBuilder& builder_;
  NodeId id_;
  std::string scope_;
  std::vector<ValueId> arriving_;
  std::vector<bool> wanted_;
  std::vector<ValueId> given_;
};

}  // namespace stashscope
