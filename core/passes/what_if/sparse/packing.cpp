#include "core/passes/what_if/sparse/packing.h"

#include <algorithm>

#include "core/passes/what_if/sparse/zero_rows.h"

namespace stashscope {

namespace {

bool is_product(const Node& node) { return is(node, "MatMul") || is(node, "Gemm"); }

/// Nodes that only divide or merge axes.
bool is_view(const Node& node) {
  for (const char* type : {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Slice"}) {
    if (is(node, type)) return true;
  }
  return false;
}

/// Nodes that read tokens as their first operand only.
bool works_on_first(const Node& node) {
  for (const char* type : {"Dropout", "Softmax", "LogSoftmax", "Split", "Gather"}) {
    if (is(node, type)) return true;
  }
  return is_product(node) || is_row_normalization(node) || is_reduction(node);
}

/// Whether an operand may have numbers for each row.
bool has_operand_of_rows(const Node& node, std::size_t index) {
  return !works_on_first(node) || is_row_normalization(node) || (is(node, "Gemm") && index == 2);
}

bool is_microsoft(const std::string& type) {
  return type == "FlattenAndUnpad" || type == "PadAndUnflatten";
}

}  // namespace

ValueId Packing::insert(NodeId before, std::string type, std::string name,
                        std::vector<ValueId> inputs) {
  Node node;
  if (is_microsoft(type)) node.domain = "com.microsoft";
  node.op_type = std::move(type);
  node.name = std::move(name);
  node.origin = graph_.node(before).origin;
  const ElementType element = graph_.type(inputs[0]).element;
  node.inputs = std::move(inputs);
  return graph_.insert_before(before, std::move(node), {element, std::nullopt, {}});
}

ValueId Packing::numbers(const Integers& items) {
  return graph_.add_constant("packed_numbers", Tensor::int64s(items));
}

ValueId Packing::reshaped(ValueId value, Integers trailing, NodeId before) {
  trailing.insert(trailing.begin(), -1);
  return insert(before, "Reshape", graph_.value(value).name + "_rows", {value, numbers(trailing)});
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

/// The rows of the value that a view reads, arranged as the view does. Invalid if the maker of
/// `tokens` is no view of rows, or selects a part of each row.
ValueId Packing::packed_before_view(ValueId tokens, NodeId reader) {
  const Node& view = graph_.node(graph_.maker(tokens));
  const auto after = trailing_dims(tokens);
  if (!is_view(view) || !after) return {};
  const ValueId whole = view.inputs[0];
  const bool is_slice = is(view, "Slice");
  if (flow_.leading(whole) == 0) return {};
  const auto before = trailing_dims(whole);
  if (!before || (is_slice && before != after)) return {};
  const ValueId rows = packed(whole, reader);
  return before == after ? rows : reshaped(rows, *after, reader);
}

ValueId Packing::packed(ValueId tokens, NodeId reader) {
  const auto known = packed_.find(tokens);
  if (known != packed_.end()) return known->second;
  ValueId made = packed_before_view(tokens, reader);
  if (!made.valid()) {
    const TokenState& state = *flow_.find(tokens);
    // Its rows have other places than those of all tokens.
    if (state.is_cut) throw SparseStop{reader, "reads tokens without the last position"};
    made = insert(reader, flow_.leading(tokens) == 1 ? "Gather" : "FlattenAndUnpad",
                  graph_.value(tokens).name + "_packed", {tokens, places_.places});
  }
  packed_[tokens] = made;
  return made;
}

/// The rows of an operand that holds no tokens but may have their axes. Nothing if the axes are
/// others than those of the tokens.
std::optional<ValueId> Packing::packed_operand(ValueId operand, NodeId reader, std::size_t leading,
                                               std::size_t trailing) {
  const Shape* const shape = graph_.shape(operand);
  if (shape == nullptr) return std::nullopt;
  if (shape->size() <= trailing) return operand;
  const std::size_t count = shape->size() - trailing;
  const Shape lead(shape->begin(), shape->begin() + static_cast<std::ptrdiff_t>(count));
  Integers dims;
  for (std::size_t i = count; i < shape->size(); ++i)
    dims.push_back((*shape)[i].integer().value_or(-1));
  if (std::ranges::count(dims, -1) > 0) return std::nullopt;
  const std::string name = graph_.value(operand).name + "_packed";
  const auto is_one = [](const Expr& dim) { return dim.is(1); };
  if (std::ranges::all_of(lead, is_one)) {
    return insert(reader, "Reshape", name, {operand, numbers(dims)});
  }
  const TokenSizes& sizes = flow_.sizes();
  if (leading == 0) return std::nullopt;
  if (leading == 1) {
    if (lead.back() != sizes.batch * sizes.positions) return std::nullopt;
    return insert(reader, "Gather", name, {operand, places_.places});
  }
  if (lead == Shape{sizes.batch, sizes.positions})
    return insert(reader, "FlattenAndUnpad", name, {operand, places_.places});
  if (lead.back().is(1) || (count == 2 && !lead.front().is(1))) return std::nullopt;
  const ValueId table = count == 1 ? operand : reshaped(operand, dims, reader);
  return insert(reader, "Gather", name, {table, places_.positions});
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
  const std::size_t rest = trailing(node.outputs[0]);
  const std::size_t leading = state.is_cut ? 0 : flow_.leading(node.outputs[0]);
  Node made = node;
  made.outputs.clear();
  for (std::size_t i = 0; i < made.inputs.size(); ++i) {
    ValueId& input = made.inputs[i];
    if (!input.valid()) continue;
    if (flow_.find(input) != nullptr) {
      input = packed(input, id);
    } else if (has_operand_of_rows(node, i)) {
      const auto operand = packed_operand(input, id, leading, rest);
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
  lowered.inputs[1] = insert(id, "FlattenAndUnpad", name, {lowered.inputs[1], places_.places});
  add(id, std::move(lowered));
}

/// Takes over a node that only divides or merges axes of packed rows. Rows that a Slice cuts off
/// stay, because the loss ignores them.
bool Packing::pack_view(NodeId id) {
  const Node node = graph_.node(id);
  if (flow_.leading(node.outputs[0]) == 0 || !packed_.contains(node.inputs[0])) return false;
  const auto before = trailing_dims(node.inputs[0]);
  const auto after = trailing_dims(node.outputs[0]);
  const bool selects = is(node, "Slice") && before != after;
  if (!before || !after || selects) return false;
  const ValueId rows = packed_.at(node.inputs[0]);
  packed_[node.outputs[0]] = before == after ? rows : reshaped(rows, *after, id);
  done_.insert(id);
  return true;
}

void Packing::pack(NodeId id) {
  const Node& node = graph_.node(id);
  if (node.outputs.empty() || flow_.find(node.outputs[0]) == nullptr || done_.contains(id)) return;
  if (is_view(node)) {
    pack_view(id);
    return;
  }
  if (!is_packable(id) || (!has_packed_operand(id) && !is_product(node))) return;
  if (auto made = lowered(id)) add(id, *std::move(made));
}

void Packing::pack_loss(NodeId id, ValueId labels) {
  const ValueId scores = packed(graph_.node(id).inputs[0], id);
  const std::string name = graph_.value(labels).name + "_packed";
  graph_.set_input(id, 1, insert(id, "Gather", name, {labels, places_.places}));
  graph_.set_input(id, 0, scores);
  ++count_;
}

void Packing::require_finite(std::size_t end) const {
  for (std::size_t i = 0; i < end; ++i) {
    const NodeId id(i);
    if (graph_.is_removed(id)) continue;
    const Node& node = graph_.node(id);
    const bool on_rows = done_.contains(id) && !flow_.find(node.outputs[0])->is_cut;
    if (!on_rows && is_singular(graph_, flow_, node))
      throw SparseStop{id, "may divide by the zeros that are put back for left out tokens"};
  }
}

bool Packing::is_needed(ValueId value) const {
  return graph_.keeps(value) || std::ranges::any_of(graph_.readers(value), [&](NodeId reader) {
           return !done_.contains(reader) && !graph_.is_removed(reader);
         });
}

/// The dims of tokens from those of the ids, so that no rows need to be put back for them.
void Packing::read_dims_of_ids(NodeId id) {
  const Node shape = graph_.node(id);
  const ValueId tokens = shape.inputs[0];
  const auto dims = trailing_dims(tokens);
  const TokenState& state = *flow_.find(tokens);
  if (!dims || flow_.leading(tokens) != 2 || state.is_cut) return;
  const std::int64_t rank = std::ssize(state.roles);
  Node all;
  all.op_type = "Concat";
  all.attributes = {{"axis", std::int64_t{0}}};
  all.inputs = {places_.leading, numbers(*dims)};
  if (dims->empty()) all.inputs.pop_back();
  if (shape.attributes.items().empty()) return graph_.replace(id, std::move(all));
  all.name = shape.name + "_all";
  const TensorType list = {ElementType::int64, Shape{rank}, {}};
  const ValueId whole = graph_.insert_before(id, std::move(all), list);
  Node part;
  part.op_type = "Slice";
  part.inputs = {whole, numbers({shape.attributes.integer("start", 0)}),
                 numbers({shape.attributes.integer("end", rank)})};
  graph_.replace(id, std::move(part));
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
        insert(id, "PadAndUnflatten", name, {packed_.at(output), places_.places, places_.leading});
    if (flow_.leading(output) == 1) whole = reshaped(whole, *trailing_dims(output), id);
    graph_.hand_over(output, graph_.maker(whole));
  }
}

void Packing::put_back(std::size_t end) {
  for (std::size_t i = end; i-- > 0;) {
    const NodeId id(i);
    if (graph_.is_removed(id) || !is(graph_.node(id), "Shape")) continue;
    if (packed_.contains(graph_.node(id).inputs[0])) read_dims_of_ids(id);
  }
  for (std::size_t i = end; i-- > 0;) {
    if (done_.contains(NodeId(i))) put_back(NodeId(i));
  }
}

}  // namespace stashscope
