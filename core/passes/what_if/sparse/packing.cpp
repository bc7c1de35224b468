#include "core/passes/what_if/sparse/packing.h"

#include <algorithm>

#include "core/passes/rewriting/operators.h"
#include "core/passes/what_if/sparse/zero_rows.h"

namespace stashscope {

namespace {

bool is_product(const Node& node) { return is(node, "MatMul") || is(node, "Gemm"); }

/// Nodes that divide or merge axes, or cut off the last position, whose row the loss ignores.
bool is_view(const Node& node) {
  return is_one_of(node, {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Slice"});
}

/// Nodes that read tokens as their first operand only.
bool works_on_first(const Node& node) {
  return is_one_of(node, {"Dropout", "Softmax", "LogSoftmax", "Split", "Gather"}) ||
         is_product(node) || is_row_normalization(node) || is_reduction(node);
}

/// Whether an operand may have numbers for each row.
bool has_operand_of_rows(const Node& node, std::size_t index) {
  return !works_on_first(node) || is_row_normalization(node) || (is(node, "Gemm") && index == 2);
}

}  // namespace

std::size_t Packing::pack(const std::vector<NodeId>& embeddings, NodeId loss, ValueId labels) {
  for (const NodeId id : embeddings) pack_embedding(id);
  for (std::size_t i = 0; i < end_; ++i) {
    if (!graph_.is_removed(NodeId(i)) && NodeId(i) != loss) pack(NodeId(i));
  }
  require_finite();
  pack_loss(loss, labels);
  put_back();
  return count_;
}

ValueId Packing::insert(NodeId before, Node node) {
  node.origin = graph_.node(before).origin;
  const ElementType element = graph_.type(node.inputs[0]).element;
  return graph_.insert_before(before, std::move(node), {element, std::nullopt, {}});
}

ValueId Packing::numbers(const Integers& items) {
  return graph_.add_constant("packed_numbers", Tensor::int64s(items));
}

ValueId Packing::reshaped(ValueId value, Integers trailing, NodeId before) {
  trailing.insert(trailing.begin(), -1);
  return insert(before, plain_node("Reshape", graph_.value(value).name + "_rows",
                                   {value, numbers(trailing)}));
}

/// Whether the value is to be made from packed rows, with zeros for left out tokens. A view is not:
/// it keeps the rows of all tokens that its operand has.
bool Packing::is_put_back(ValueId value) const {
  const NodeId maker = graph_.maker(value);
  if (!maker.valid() || !done_.contains(maker) || flow_.find(value)->is_cut) return false;
  return !is_view(graph_.node(maker));
}

std::size_t Packing::trailing(ValueId tokens) const {
  return flow_.find(tokens)->roles.size() - flow_.leading(tokens);
}

std::optional<Integers> Packing::trailing_dims(ValueId tokens) const {
  Integers dims;
  const Shape& shape = *graph_.shape(tokens);
  for (std::size_t i = shape.size() - trailing(tokens); i < shape.size(); ++i) {
    const auto dim = shape[i].integer();
    if (!dim) return std::nullopt;
    dims.push_back(*dim);
  }
  return dims;
}

/// The rows of the value that a view reads, arranged as the view arranges them. Invalid if the
/// maker of `tokens` is no view of rows, or selects a part of each row.
ValueId Packing::packed_before_view(ValueId tokens, NodeId reader) {
  const Node& view = graph_.node(graph_.maker(tokens));
  if (!is_view(view) || flow_.leading(tokens) == 0) return {};
  const ValueId whole = view.inputs[0];
  if (flow_.leading(whole) == 0) return {};
  const auto before = trailing_dims(whole);
  const auto after = trailing_dims(tokens);
  if (!before || !after || (is(view, "Slice") && before != after)) return {};
  const ValueId rows = packed(whole, reader);
  return before == after ? rows : reshaped(rows, *after, reader);
}

ValueId Packing::packed(ValueId tokens, NodeId reader) {
  const auto known = packed_.find(tokens);
  if (known != packed_.end()) return known->second;
  ValueId made = packed_before_view(tokens, reader);
  if (!made.valid()) {
    // The rows of a value without the last positions have other places than the rows of all tokens.
    if (flow_.find(tokens)->is_cut)
      throw SparseStop{reader, "reads tokens without the last position"};
    const std::string name = graph_.value(tokens).name + "_packed";
    const std::vector<ValueId> inputs = {tokens, places_.places};
    made = insert(reader, flow_.leading(tokens) == 1
                              ? plain_node("Gather", name, inputs)
                              : microsoft_node("FlattenAndUnpad", name, inputs));
  }
  packed_[tokens] = made;
  return made;
}

/// The rows of an operand that holds no tokens but may have their axes. Nothing if the axes are
/// others than those of the tokens.
std::optional<ValueId> Packing::packed_operand(ValueId operand, NodeId reader, RowAxes axes) {
  const auto known = operands_.find({operand, axes});
  if (known != operands_.end()) return known->second;
  const auto made = made_operand(operand, reader, axes);
  if (made) operands_[{operand, axes}] = *made;
  return made;
}

std::optional<ValueId> Packing::made_operand(ValueId operand, NodeId reader, RowAxes axes) {
  const Shape* const shape = graph_.shape(operand);
  if (shape == nullptr) return std::nullopt;
  if (shape->size() <= axes.trailing) return operand;
  const std::size_t count = shape->size() - axes.trailing;
  const Shape lead(shape->begin(), shape->begin() + static_cast<std::ptrdiff_t>(count));
  Integers dims;
  for (std::size_t i = count; i < shape->size(); ++i)
    dims.push_back((*shape)[i].integer().value_or(-1));
  if (std::ranges::count(dims, -1) > 0) return std::nullopt;
  const std::string name = graph_.value(operand).name + "_packed";
  const auto row_of = [&](ValueId table, ValueId places) {
    return insert(reader, plain_node("Gather", name, {table, places}));
  };
  const auto is_one = [](const Expr& dim) { return dim.is(1); };
  if (std::ranges::all_of(lead, is_one))
    return insert(reader, plain_node("Reshape", name, {operand, numbers(dims)}));
  const TokenSizes& sizes = flow_.sizes();
  if (axes.leading == 0) return std::nullopt;
  if (axes.leading == 1) {
    if (lead.back() != sizes.batch * sizes.positions) return std::nullopt;
    return row_of(operand, places_.places);
  }
  if (lead == Shape{sizes.batch, sizes.positions})
    return insert(reader, microsoft_node("FlattenAndUnpad", name, {operand, places_.places}));
  if (lead.back().is(1) || (count == 2 && !lead.front().is(1))) return std::nullopt;
  return row_of(count == 1 ? operand : reshaped(operand, dims, reader), places_.positions);
}

bool Packing::has_packed_operand(NodeId id) const {
  return std::ranges::any_of(graph_.node(id).inputs,
                             [&](ValueId input) { return packed_.contains(input); });
}

/// Whether a node works on each row alone, so that rows may be left out.
bool Packing::is_packable(NodeId id) const {
  const Node& node = graph_.node(id);
  if (!works_on_first(node) && !works_by_element(node) && !is(node, "Concat")) return false;
  const std::size_t leading = flow_.leading(node.outputs[0]);
  if (leading == 0) return false;
  for (const ValueId output : node.outputs) {
    if (output.valid() && !trailing_dims(output)) return false;
  }
  for (const ValueId input : node.inputs) {
    if (flow_.find(input) != nullptr && flow_.leading(input) != leading) return false;
  }
  if (!is_product(node)) return true;
  const Shape* const weight = graph_.shape(node.inputs[1]);
  return flow_.find(node.inputs[1]) == nullptr && weight != nullptr && weight->size() == 2;
}

/// Counts axes from the end, where packed rows have the same axes.
void Packing::lower_axes(const Node& node, Node& lowered) {
  const std::int64_t rank = std::ssize(*graph_.shape(node.inputs[0]));
  const auto from_end = [&](const char* name, std::int64_t otherwise) {
    const std::int64_t axis = node.attributes.integer(name, otherwise);
    lowered.attributes.set(name, axis < 0 ? axis : axis - rank);
  };
  if (is_row_normalization(node)) from_end("axis", -1);
  if (is(node, "Split") || is(node, "Gather") || is(node, "Concat")) from_end("axis", 0);
  if (is(node, "Softmax") || is(node, "LogSoftmax"))
    from_end("axis", graph_.opset() >= 13 ? -1 : 1);
  if (!is_reduction(node)) return;
  Integers axes = *reduced_axes(graph_, node);
  for (std::int64_t& axis : axes) axis -= rank;
  const bool as_operand = node.inputs.size() > 1 && node.inputs[1].valid();
  if (as_operand) lowered.inputs[1] = numbers(axes);
  if (!as_operand) lowered.attributes.set("axes", axes);
}

/// The node on packed rows; nothing if it must keep all rows.
std::optional<Node> Packing::lowered(NodeId id) {
  const Node node = graph_.node(id);
  const TokenState& state = *flow_.find(node.outputs[0]);
  const RowAxes axes = {state.is_cut ? 0 : flow_.leading(node.outputs[0]),
                        trailing(node.outputs[0])};
  Node made = node;
  made.outputs.clear();
  for (std::size_t i = 0; i < made.inputs.size(); ++i) {
    ValueId& input = made.inputs[i];
    if (!input.valid()) continue;
    if (flow_.find(input) != nullptr) {
      input = packed(input, id);
    } else if (has_operand_of_rows(node, i)) {
      const auto operand = packed_operand(input, id, axes);
      if (!operand) return std::nullopt;
      input = *operand;
    }
  }
  lower_axes(node, made);
  return made;
}

void Packing::add(NodeId id, Node lowered) {
  const Node node = graph_.node(id);
  const auto type_of = [&](ValueId value) {
    return TensorType{graph_.type(value).element, std::nullopt, {}};
  };
  packed_[node.outputs[0]] = graph_.insert_before(id, std::move(lowered), type_of(node.outputs[0]));
  const NodeId made = graph_.maker(packed_[node.outputs[0]]);
  for (std::size_t i = 1; i < node.outputs.size() && node.outputs[i].valid(); ++i) {
    const std::string name = graph_.value(node.outputs[i]).name + "_packed";
    packed_[node.outputs[i]] = graph_.add_output(made, name, type_of(node.outputs[i]));
  }
  done_.insert(id);
  ++count_;
}

void Packing::pack_embedding(NodeId id) {
  Node lowered = graph_.node(id);
  const std::string name = graph_.value(lowered.inputs[1]).name + "_packed";
  lowered.outputs.clear();
  lowered.inputs[1] =
      insert(id, microsoft_node("FlattenAndUnpad", name, {lowered.inputs[1], places_.places}));
  add(id, std::move(lowered));
}

/// Replaces a view whose operand is packed by packed rows in the same arrangement.
void Packing::pack_view(NodeId id) {
  const Node& node = graph_.node(id);
  if (!packed_.contains(node.inputs[0])) return;
  const ValueId tokens = node.outputs[0];
  const ValueId rows = packed_before_view(tokens, id);
  if (!rows.valid()) return;
  packed_[tokens] = rows;
  done_.insert(id);
}

void Packing::pack(NodeId id) {
  const Node& node = graph_.node(id);
  if (node.outputs.empty() || flow_.find(node.outputs[0]) == nullptr || done_.contains(id)) return;
  if (is_view(node)) return pack_view(id);
  if (!is_packable(id) || (!has_packed_operand(id) && !is_product(node))) return;
  if (auto made = lowered(id)) add(id, *std::move(made));
}

void Packing::pack_loss(NodeId id, ValueId labels) {
  const ValueId scores = packed(graph_.node(id).inputs[0], id);
  const std::string name = graph_.value(labels).name + "_packed";
  graph_.set_input(id, 1, insert(id, plain_node("Gather", name, {labels, places_.places})));
  graph_.set_input(id, 0, scores);
  ++count_;
}

/// Throws a SparseStop if a node that works on all rows may divide by zero, because rows that are
/// put back are zeros.
void Packing::require_finite() const {
  ZeroRows zeros(graph_, flow_, [this](ValueId value) { return is_put_back(value); });
  for (std::size_t i = 0; i < end_; ++i) {
    const NodeId id(i);
    if (graph_.is_removed(id)) continue;
    const Node& node = graph_.node(id);
    const bool on_rows = done_.contains(id) && !flow_.find(node.outputs[0])->is_cut;
    if (!on_rows && zeros.are_singular_for(node))
      throw SparseStop{id, "may divide by the zeros that are put back for left out tokens"};
  }
}

bool Packing::is_needed(ValueId value) const {
  return graph_.keeps(value) || std::ranges::any_of(graph_.readers(value), [&](NodeId reader) {
           return !done_.contains(reader) && !graph_.is_removed(reader);
         });
}

/// Makes a Shape node read the sizes of the ids, so that no rows need to be put back for it.
void Packing::read_dims_of_ids(NodeId id) {
  const ValueId tokens = graph_.node(id).inputs[0];
  const auto dims = trailing_dims(tokens);
  const TokenState& state = *flow_.find(tokens);
  if (!dims || flow_.leading(tokens) != 2 || state.is_cut) return;
  Node all = plain_node("Concat", "", {places_.leading}, {{"axis", std::int64_t{0}}});
  if (!dims->empty()) all.inputs.push_back(numbers(*dims));
  replace_dims(graph_, id, std::move(all), std::ssize(state.roles));
}

/// Makes the node's results from packed rows if something needs all rows. Views, and nodes that
/// work on fewer rows than there are tokens, are left to work on all rows of their operands.
void Packing::put_back(NodeId id) {
  const Node node = graph_.node(id);
  if (std::ranges::none_of(node.outputs,
                           [&](ValueId each) { return each.valid() && is_needed(each); })) {
    return;
  }
  if (is_view(node) || flow_.find(node.outputs[0])->is_cut) {
    done_.erase(id);
    return;
  }
  for (const ValueId output : node.outputs) {
    if (!output.valid() || !is_needed(output)) continue;
    const std::string name = graph_.value(output).name + "_padded";
    ValueId whole =
        insert(id, microsoft_node("PadAndUnflatten", name,
                                  {packed_.at(output), places_.places, places_.leading}));
    if (flow_.leading(output) == 1) whole = reshaped(whole, *trailing_dims(output), id);
    graph_.hand_over(output, graph_.maker(whole));
  }
}

void Packing::put_back() {
  for (std::size_t i = end_; i-- > 0;) {
    const NodeId id(i);
    if (graph_.is_removed(id) || !is(graph_.node(id), "Shape")) continue;
    if (packed_.contains(graph_.node(id).inputs[0])) read_dims_of_ids(id);
  }
  for (std::size_t i = end_; i-- > 0;) {
    if (done_.contains(NodeId(i))) put_back(NodeId(i));
  }
}

}  // namespace stashscope
