#include "core/passes/what_if/attention/attention_nodes.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>

#include "core/ops/attention/attention_shapes.h"
#include "core/ops/rules/backward_builder.h"
#include "core/passes/rewriting/operators.h"
#include "core/passes/what_if/attention/attention_operand.h"

namespace stashscope {

namespace {

void add_perm(const char* name, const std::vector<std::int64_t>& perm, Node& node) {
  if (!is_identity(perm)) node.attributes.set(name, Integers(perm));
}

const Expr* heads_of(const Shape& shape) {
  return shape.size() < 3 ? nullptr : &shape[shape.size() - 3];
}

TensorType of_element(ElementType element) { return {element, {}, {}}; }

/// Writes an attention as products, steps, softmax and dropout.
class PlainAttention {
 public:
  PlainAttention(NodeWriter& writer, const AttentionParts& parts)
      : writer_(writer),
        parts_(parts),
        block_(parts.block),
        element_(writer.graph().type(block_.query.value).element) {
    check_heads();
    check_types();
    if (block_.dropped_share > 0 && writer.graph().opset() < 12) {
      throw AttentionStop{"drops probabilities in training, which no node of this opset does"};
    }
  }

  /// Adds all nodes but the last, and returns the last: the product with the values.
  Node write() {
    const ValueId queries = writer_.transpose(block_.query.value, block_.query.perm);
    ValueId scores = add("MatMul", {queries, transposed_keys()});
    for (std::size_t i = 0; i < block_.steps.size(); ++i) {
      show(i, scores);
      scores = add_step(block_.steps[i], scores);
    }
    show(block_.steps.size(), scores);
    const ValueId weights = add_softmax(scores);
    return plain_node("MatMul", "", {add_dropout(weights), values()});
  }

  /// The output with scores, once `write` has added its value; nothing if no scores are read.
  const std::optional<HandedOn>& shown() const { return shown_; }

 private:
  ValueId add(std::string_view type, std::vector<ValueId> inputs, Attributes attributes = {}) {
    return writer_.add(type, std::move(inputs), of_element(element_), std::move(attributes));
  }

  /// How often each head of an operand is used; 1 also for a single head, which products broadcast.
  std::int64_t repetitions(const Shape& shape) const {
    const Expr* const queries = heads_of(parts_.query);
    const Expr* const own = heads_of(shape);
    if (queries == nullptr || own == nullptr || *own == *queries || own->is(1)) return 1;
    if (!queries->integer() || !own->integer() || !shape.back().integer()) {
      throw AttentionStop{"has heads of which the number or the size is not known"};
    }
    require_matching_heads(parts_.query, shape);
    return queries->is(1) ? 1 : *queries->integer() / *own->integer();
  }

  void check_heads() const {
    repetitions(parts_.key);
    repetitions(parts_.value);
  }

  void check_types() const {
    for (const ValueId other : {block_.key.value, block_.value.value}) {
      if (writer_.graph().type(other).element != element_) {
        throw AttentionStop{"has keys or values of another type than its queries"};
      }
    }
  }

  /// Keys [leading..., size, keys], one head for each head of queries.
  ValueId transposed_keys() {
    if (repetitions(parts_.key) == 1) {
      const AttentionOperand turned = transposed(block_.key);
      return writer_.transpose(turned.value, turned.perm);
    }
    std::vector<std::int64_t> swap(parts_.key.size());
    std::iota(swap.begin(), swap.end(), 0);
    std::swap(swap[swap.size() - 1], swap[swap.size() - 2]);
    return writer_.transpose(repeated(block_.key, parts_.key), swap);
  }

  ValueId values() { return repeated(block_.value, parts_.value); }

  /// The operand, with each head repeated so that there are as many heads as query heads. Adds the
  /// nodes that exporters write for this.
  ValueId repeated(const AttentionOperand& operand, const Shape& shape) {
    const ValueId own = writer_.transpose(operand.value, operand.perm);
    const std::int64_t times = repetitions(shape);
    if (times == 1) return own;
    const auto axis = std::ssize(shape) - 2;
    const ValueId apart = writer_.unsqueeze(own, {axis});
    std::vector<std::int64_t> factors(shape.size() + 1, 1);
    factors[static_cast<std::size_t>(axis)] = times;
    const ValueId expanded = add("Expand", {apart, writer_.integers(factors)});
    std::vector<std::int64_t> target(shape.size(), 0);
    target[static_cast<std::size_t>(axis - 1)] = *heads_of(parts_.query)->integer();
    target[static_cast<std::size_t>(axis)] = -1;
    target.back() = *shape.back().integer();
    return writer_.reshape(expanded, target);
  }

  ValueId add_step(const AttentionStep& step, ValueId scores) {
    std::vector<ValueId> inputs = {scores};
    for (const ValueId operand : step.operands) inputs.push_back(of_scores_type(operand));
    if (step.type == "Where") std::swap(inputs[0], inputs[1]);
    if (step.type == "WhereNot") std::rotate(inputs.begin(), inputs.begin() + 1, inputs.end());
    return add(step.type == "WhereNot" ? "Where" : step.type, std::move(inputs));
  }

  /// An operand of a step. Floating-point numbers are cast to the type of the scores.
  ValueId of_scores_type(ValueId operand) {
    const TensorType type = writer_.graph().type(operand);
    if (!is_floating(type.element) || type.element == element_) return operand;
    const auto number = writer_.graph().scalar(operand);
    const bool has_axes = !type.shape || !type.shape->empty();
    return number && !has_axes ? writer_.number(element_, *number)
                               : writer_.cast(operand, element_);
  }

  /// Adds the value for `shown` if that output has the scores after this number of steps.
  void show(std::size_t steps, ValueId scores) {
    if (!parts_.shown.valid() || parts_.shown_steps != steps) return;
    hand_on("Identity", {scores});
  }

  void hand_on(std::string_view type, std::vector<ValueId> inputs) {
    const TensorType& made = writer_.graph().type(parts_.shown);
    shown_ = {parts_.shown, writer_.add(type, std::move(inputs), made)};
  }

  ValueId add_softmax(ValueId scores) {
    const bool is_other = parts_.softmax_element != ElementType::undefined;
    const ElementType element = is_other ? parts_.softmax_element : element_;
    const ValueId made = writer_.add("Softmax", {writer_.cast(scores, element)},
                                     of_element(element), {{"axis", softmax_axis()}});
    const ValueId weights = unreshaped(writer_.cast(made, element_));
    if (parts_.shown.valid() && parts_.shown_steps > block_.steps.size()) {
      show_weights(weights);
    }
    return weights;
  }

  void show_weights(ValueId weights) {
    if (!parts_.visible_rows.valid()) return hand_on("Identity", {weights});
    hand_on("Where", {parts_.visible_rows, weights, writer_.number(element_, 0)});
  }

  /// The last step Reshape; null if there is none.
  const AttentionStep* last_reshape() const {
    const auto found =
        std::find_if(block_.steps.rbegin(), block_.steps.rend(),
                     [](const AttentionStep& step) { return step.type == "Reshape"; });
    return found == block_.steps.rend() ? nullptr : &*found;
  }

  /// The last axis of the scores after the steps. Before opset 11, -1 is not allowed.
  std::int64_t softmax_axis() const {
    if (writer_.graph().opset() >= 11) return -1;
    const AttentionStep* const reshape = last_reshape();
    if (reshape == nullptr) return std::ssize(parts_.query) - 1;
    const Shape* const target = writer_.graph().shape(reshape->operands[0]);
    const auto rank = target == nullptr ? std::nullopt : target->at(0).integer();
    if (!rank) throw AttentionStop{"reshapes its scores to an unknown number of axes"};
    return *rank - 1;
  }

  /// The probabilities with the axes of the product of queries and keys.
  ValueId unreshaped(ValueId weights) {
    if (last_reshape() == nullptr) return weights;
    const Shape scores = attention_shapes({}, parts_.query, parts_.key, parts_.value).scores();
    return add("Reshape", {weights, sizes_of(scores)});
  }

  /// The shape of the product of queries and keys, as a tensor.
  ValueId sizes_of(const Shape& scores) {
    std::vector<std::int64_t> target;
    for (const Expr& size : scores) target.push_back(size.integer().value_or(-1));
    if (std::ranges::count(target, 0) > 0) throw AttentionStop{"has no scores"};
    if (std::ranges::count(target, -1) <= 1) return writer_.integers(target);
    std::vector<ValueId> pieces;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      pieces.push_back(writer_.reshape(length_of_scores(scores, i), {1}));
    }
    return writer_.add("Concat", std::move(pieces), of_element(ElementType::int64),
                       {{"axis", std::int64_t{0}}});
  }

  /// The size of one axis of the product of queries and keys.
  ValueId length_of_scores(const Shape& scores, std::size_t axis) {
    if (const auto known = scores[axis].integer()) return writer_.integer(*known);
    const std::size_t behind = scores.size() - axis;
    if (behind == 1) return length_at(block_.key, parts_.key.size() - 2);
    if (const auto of_query = axis_with(parts_.query, behind, scores[axis])) {
      return length_at(block_.query, *of_query);
    }
    const auto of_key = axis_with(parts_.key, behind, scores[axis]);
    if (!of_key) throw AttentionStop{"reshapes scores of an unknown shape"};
    return length_at(block_.key, *of_key);
  }

  /// The axis that lies `behind` axes from the end of the shape, if it has this size.
  static std::optional<std::size_t> axis_with(const Shape& shape, std::size_t behind,
                                              const Expr& size) {
    if (shape.size() < behind || !(shape[shape.size() - behind] == size)) return std::nullopt;
    return shape.size() - behind;
  }

  ValueId length_at(const AttentionOperand& operand, std::size_t axis) {
    return writer_.length(operand.value, operand.perm[axis]);
  }

  ValueId add_dropout(ValueId weights) {
    if (block_.dropped_share == 0) return weights;
    const ValueId share = writer_.number(ElementType::float32, block_.dropped_share);
    return add("Dropout", {weights, share, writer_.flag(true)}, {{"seed", block_.dropout_seed}});
  }

  NodeWriter& writer_;
  const AttentionParts& parts_;
  const AttentionBlock& block_;
  ElementType element_;
  std::optional<HandedOn> shown_;
};

/// Adds `last`, which makes the product with the values, and the nodes that follow it. The last of
/// all these nodes is returned instead of added.
/// @param is_permuted whether `last` permutes its result by `output_perm`
Node with_result_axes(NodeWriter& writer, const AttentionParts& parts, bool is_permuted,
                      Node last) {
  const ElementType element = writer.graph().type(parts.block.value.value).element;
  const auto follow = [&](std::size_t input, Node next) {
    next.inputs[input] = writer.add(std::move(last), of_element(element));
    last = std::move(next);
  };
  if (parts.visible_rows.valid()) {
    const ValueId zero = writer.number(element, 0);
    follow(1, plain_node("Where", "", {parts.visible_rows, ValueId(), zero}));
  }
  if (!is_permuted && !is_identity(parts.block.output_perm)) {
    follow(0, plain_node("Transpose", "", {ValueId()}, {{"perm", parts.block.output_perm}}));
  }
  if (parts.merges_heads) {
    std::vector<std::int64_t> target(parts.query.size() - 1, 0);
    target.back() = -1;
    follow(0, plain_node("Reshape", "", {ValueId(), writer.integers(target)}));
  }
  return last;
}

/// Puts the last node in the place of the attention. Added nodes make the other outputs.
void put_in_place(Rewriter& graph, const AttentionParts& parts, Node last) {
  for (const ValueId id : parts.frozen) graph.freeze(id);
  for (const HandedOn& each : parts.handed_on) {
    graph.set_type(each.output, graph.type(each.value));
    graph.hand_over(each.output, graph.maker(each.value));
    std::ranges::replace(last.inputs, each.value, each.output);
  }
  last.outputs = {graph.node(parts.block.last).outputs[0]};
  graph.replace(parts.block.last, std::move(last));
}

/// Throws an AttentionStop if no FusedAttention can compute the attention.
void require_fusible(const Rewriter& graph, const AttentionParts& parts) {
  const bool is_wider = parts.softmax_element == ElementType::float64 &&
                        graph.type(parts.block.query.value).element != ElementType::float64;
  if (is_wider)
    throw AttentionStop{"has a softmax_precision that only attention step by step can have"};
  if (parts.shown.valid()) throw AttentionStop{"has scores that are read, so they must be whole"};
}

/// Replaces the node by products, steps and a softmax.
void write_plain(NodeWriter& writer, AttentionParts parts) {
  PlainAttention plain(writer, parts);
  Node last = with_result_axes(writer, parts, false, plain.write());
  if (plain.shown()) parts.handed_on.push_back(*plain.shown());
  put_in_place(writer.graph(), parts, std::move(last));
}

/// Replaces the node by a FusedAttention. The FusedAttention permutes its result itself, unless the
/// result of rows that see no key must first become 0.
void write_fused(NodeWriter& writer, AttentionParts parts, const std::string& form) {
  require_fusible(writer.graph(), parts);
  const bool is_permuted = !parts.visible_rows.valid();
  if (is_permuted && parts.may_take_transposition) {
    take_transposition(writer.graph(), parts.block);
  }
  AttentionBlock block = parts.block;
  if (!is_permuted) block.output_perm.clear();
  put_in_place(writer.graph(), parts,
               with_result_axes(writer, parts, is_permuted, fused_attention_node(block, form)));
}

}  // namespace

void require_matching_heads(const Shape& query, const Shape& other) {
  const Expr* const queries = heads_of(query);
  const Expr* const own = heads_of(other);
  if (queries == nullptr || own == nullptr || *own == *queries) return;
  if (!queries->integer() || !own->integer()) return;
  const bool divides = *own->integer() > 0 && *queries->integer() > 0 &&
                       (queries->is(1) || *queries->integer() % *own->integer() == 0);
  if (!divides)
    throw AttentionStop{
        "has a number of query heads that is no multiple of its key or value heads"};
}

void NodeWriter::move_to(NodeId place) {
  place_ = place;
  name_ = graph_.node(place).name;
}

ValueId NodeWriter::add(Node node, TensorType made) {
  node.name = name_ + "_" + node.op_type;
  return graph_.insert_before(place_, std::move(node), std::move(made));
}

ValueId NodeWriter::add(std::string_view type, std::vector<ValueId> inputs, TensorType made,
                        Attributes attributes) {
  return add(plain_node(std::string(type), "", std::move(inputs), std::move(attributes)),
             std::move(made));
}

ValueId NodeWriter::transpose(ValueId value, const std::vector<std::int64_t>& perm) {
  if (is_identity(perm)) return value;
  TensorType made = graph_.type(value);
  if (made.shape) {
    for (std::size_t i = 0; i < perm.size(); ++i) {
      (*made.shape)[i] = (*graph_.type(value).shape)[static_cast<std::size_t>(perm[i])];
    }
  }
  return add("Transpose", {value}, std::move(made), {{"perm", Integers(perm)}});
}

ValueId NodeWriter::reshape(ValueId value, const std::vector<std::int64_t>& target,
                            std::optional<Shape> shape) {
  return add("Reshape", {value, integers(target)},
             {graph_.type(value).element, std::move(shape), {}});
}

ValueId NodeWriter::unsqueeze(ValueId value, const std::vector<std::int64_t>& axes) {
  const TensorType made = {graph_.type(value).element, {}, {}};
  if (graph_.opset() < 13) return add("Unsqueeze", {value}, made, {{"axes", Integers(axes)}});
  return add("Unsqueeze", {value, integers(axes)}, made);
}

ValueId NodeWriter::cast(ValueId value, ElementType element) {
  TensorType made = graph_.type(value);
  if (made.element == element) return value;
  made.element = element;
  return add("Cast", {value}, std::move(made), {{"to", static_cast<std::int64_t>(element)}});
}

ValueId NodeWriter::length(ValueId value, std::int64_t axis) {
  const Shape shape = *graph_.shape(value);
  const Expr& size = shape[static_cast<std::size_t>(axis)];
  if (const auto known = size.integer()) return integer(*known);
  return once("length " + to_string(size, graph_.original().symbols()), [&] {
    const ValueId sizes =
        add("Shape", {value}, {ElementType::int64, Shape{Expr(std::ssize(shape))}, {}});
    return add("Gather", {sizes, integer(axis)}, {ElementType::int64, Shape(), {}});
  });
}

ValueId NodeWriter::integers(const std::vector<std::int64_t>& items) {
  std::string key = "integers";
  for (const std::int64_t item : items) key.append(" ").append(std::to_string(item));
  return once(key, [&] { return graph_.add_constant("integers", Tensor::int64s(items)); });
}

ValueId NodeWriter::integer(std::int64_t item) {
  return once("integer " + std::to_string(item),
              [&] { return graph_.add_constant("integer", Tensor::int64_scalar(item)); });
}

ValueId NodeWriter::number(ElementType element, double item) {
  return once(
      std::string(name_of(element)) + " " + std::to_string(std::bit_cast<std::uint64_t>(item)),
      [&] { return graph_.add_constant("number", Tensor::float_scalar(element, item)); });
}

ValueId NodeWriter::flag(bool item) {
  const std::string raw(1, item ? '\1' : '\0');
  return once(item ? "true" : "false",
              [&] { return graph_.add_constant("flag", Tensor(ElementType::boolean, {}, raw)); });
}

Node fused_attention_node(const AttentionBlock& block, const std::string& form) {
  Node node = microsoft_node("FusedAttention", "", {});
  node.attributes.set("form", form);
  add_perm("query_perm", block.query.perm, node);
  add_perm("key_perm", block.key.perm, node);
  add_perm("value_perm", block.value.perm, node);
  add_perm("output_perm", block.output_perm, node);
  node.inputs = {block.query.value, block.key.value, block.value.value};
  Strings steps;
  for (const AttentionStep& step : block.steps) {
    steps.push_back(step.type);
    node.inputs.insert(node.inputs.end(), step.operands.begin(), step.operands.end());
  }
  if (!steps.empty()) node.attributes.set("steps", std::move(steps));
  if (block.dropped_share > 0) {
    node.attributes.set("dropout", static_cast<float>(block.dropped_share));
    node.attributes.set("dropout_seed", block.dropout_seed);
  }
  return node;
}

void write_attention(NodeWriter& writer, AttentionParts parts,
                     const std::optional<std::string>& form) {
  if (form) return write_fused(writer, std::move(parts), *form);
  write_plain(writer, std::move(parts));
}

}  // namespace stashscope
