#include "core/passes/what_if/sparse/kept_tokens.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/ops/families/standard_ops.h"
#include "core/ops/rules/elementwise.h"
#include "core/passes/rewriting/operators.h"

namespace stashscope {

namespace {

/// The inputs of a node from which it copies the elements of its result, apart from constants.
/// Nothing if the node computes other elements.
std::optional<std::vector<ValueId>> sources_before(const Node& node) {
  if (is(node, "Where")) return std::vector{node.inputs[1], node.inputs[2]};
  if (is(node, "Concat")) return node.inputs;
  const bool passes = passes_elements_on(node) || is_one_of(node, {"Cast", "Pad"});
  return passes ? std::optional(std::vector{node.inputs[0]}) : std::nullopt;
}

struct LabelSource {
  ValueId input;               ///< the graph input; invalid if there is none or more than one
  bool has_constants = false;  ///< whether some elements may be constants
};

/// The graph input whose elements a value has, perhaps in another type or arrangement or beside
/// constants.
LabelSource source_of(const Rewriter& graph, ValueId value) {
  std::vector<ValueId> stack = {value};
  std::set<ValueId> seen;
  LabelSource source;
  while (!stack.empty()) {
    const ValueId at = stack.back();
    stack.pop_back();
    if (graph.is_fixed(at)) source.has_constants = true;
    if (graph.is_fixed(at) || !seen.insert(at).second) continue;
    const NodeId maker = graph.maker(at);
    if (!maker.valid()) {
      if (source.input.valid() || std::ranges::count(graph.inputs(), at) == 0) return {};
      source.input = at;
      continue;
    }
    const auto before = sources_before(graph.node(maker));
    if (!before) return {};
    if (is(graph.node(maker), "Pad")) source.has_constants = true;
    stack.insert(stack.end(), before->begin(), before->end());
  }
  return source;
}

/// Whether the types of the labels and of their source can hold the ignored label.
bool may_be_ignored(const Rewriter& graph, ValueId labels, const LabelSource& source,
                    std::int64_t ignored) {
  const auto has_label = [&](ValueId value) {
    return can_hold(graph.type(value).element, ignored);
  };
  return has_label(labels) && (source.has_constants || has_label(source.input));
}

/// The value from which Cast, Identity and Reshape nodes that keep the shape make a value.
ValueId behind_casts(const Rewriter& graph, ValueId value) {
  for (NodeId maker = graph.maker(value); maker.valid(); maker = graph.maker(value)) {
    const Node& node = graph.node(maker);
    const bool keeps_shape = is(node, "Cast") || is(node, "Identity");
    if (!keeps_shape && !is(node, "Reshape")) break;
    const Shape* const before = graph.shape(node.inputs[0]);
    const Shape* const after = graph.shape(value);
    if (before == nullptr || after == nullptr || *before != *after) break;
    value = node.inputs[0];
  }
  return value;
}

/// The ids [batch, positions] that a node looks up in a table; invalid if it does not.
ValueId ids_of(const Rewriter& graph, const Node& node) {
  if (!is(node, "Gather") || node.attributes.integer("axis", 0) != 0) return {};
  const ValueId ids = behind_casts(graph, node.inputs[1]);
  const Shape* const table = graph.shape(node.inputs[0]);
  const Shape* const shape = graph.shape(ids);
  const bool is_input = std::ranges::count(graph.inputs(), ids) > 0;
  if (!is_input || table == nullptr || table->size() != 2 || shape == nullptr) return {};
  const auto is_one = [](const Expr& dim) { return dim.is(1); };
  return shape->size() == 2 && std::ranges::none_of(*shape, is_one) ? ids : ValueId();
}

/// Whether the node can be copied and the copy gives the same result. A copy of a node that draws
/// random numbers does not. Nodes with several outputs or with subgraphs that capture values are
/// not copied.
bool can_be_copied(const Node& node) {
  const Op* const op = standard_ops().find(node);
  return op != nullptr && !op->random && node.captured_inputs.empty() && node.outputs.size() == 1;
}

/// Adds nodes before the first embedding.
class EarlyNodes {
 public:
  EarlyNodes(Rewriter& graph, const TokenFlow& flow, NodeId place)
      : graph_(graph), flow_(flow), place_(place) {}

  ValueId add(std::string type, std::string name, std::vector<ValueId> inputs, ElementType element,
              Attributes attributes = {}) {
    return graph_.insert_before(
        place_,
        plain_node(std::move(type), std::move(name), std::move(inputs), std::move(attributes)),
        {element, std::nullopt, {}});
  }

  ValueId numbers(const Integers& items) {
    return graph_.add_constant("token_numbers", Tensor::int64s(items));
  }

  ValueId flat(ValueId value, std::string name) {
    return add("Reshape", std::move(name), {value, numbers({-1})}, graph_.type(value).element);
  }

  /// The value, or a copy of the value that is computed before the first embedding.
  ValueId early(ValueId value, NodeId reader) {
    const NodeId maker = graph_.maker(value);
    if (!maker.valid() || maker < place_) return value;
    const auto known = copies_.find(value);
    if (known != copies_.end()) return known->second;
    if (++copied_ > most_copied)
      throw SparseStop{
          reader, "reads labels that more than " + std::to_string(most_copied) + " nodes make"};
    return copies_[value] = copied(value, reader);
  }

 private:
  /// This limit on the copied values also bounds the recursion. Models make labels by a handful of
  /// nodes.
  static constexpr int most_copied = 256;

  ValueId copied(ValueId value, NodeId reader) {
    const NodeId maker = graph_.maker(value);
    if (flow_.find(value) != nullptr)
      throw SparseStop{reader, "reads labels that depend on tokens"};
    const Shape* const shape = graph_.shape(value);
    const auto known = graph_.integers(value);
    const bool is_list = shape != nullptr && shape->size() == 1;
    if (known && is_list && graph_.type(value).element == ElementType::int64)
      return numbers(*known);
    Node copy = graph_.node(maker);
    if (is(copy, "Reshape") && is_list) return flat(early(copy.inputs[0], reader), copy.name);
    if (!can_be_copied(copy))
      throw SparseStop{reader, "reads labels that cannot be computed before the embeddings"};
    copy.outputs.clear();
    for (ValueId& input : copy.inputs) {
      if (input.valid()) input = early(input, reader);
    }
    return graph_.insert_before(place_, std::move(copy), graph_.type(value));
  }

  Rewriter& graph_;
  const TokenFlow& flow_;
  NodeId place_;
  std::map<ValueId, ValueId> copies_;  ///< the copy of a value, by the value
  int copied_ = 0;                     ///< values that were copied or made anew
};

/// One label for each token. If the model gives no labels for the last position, the tokens there
/// get the ignored label.
ValueId label_of_each(Rewriter& graph, EarlyNodes& nodes, const TokenLoss& loss, ValueId leading) {
  const ValueId given = nodes.early(graph.node(loss.node).inputs[1], loss.node);
  if (!loss.is_cut) return given;
  const ElementType element = graph.type(given).element;
  const ElementType whole = ElementType::int64;
  const ValueId batch = nodes.add("Gather", "label_batch", {leading, nodes.numbers({0})}, whole);
  const ValueId dims = nodes.add("Concat", "label_dims", {batch, nodes.numbers({-1})}, whole,
                                 {{"axis", std::int64_t{0}}});
  const ValueId rows = nodes.add("Reshape", "label_rows", {given, dims}, element);
  const ValueId ignored =
      graph.add_constant("ignored_label", Tensor::of_integers(element, {}, {loss.ignored}));
  const ValueId one_more = nodes.numbers({0, 0, 0, 1});
  return nodes.flat(nodes.add("Pad", "label_of_each", {rows, one_more, ignored}, element),
                    "labels_of_tokens");
}

Attributes cast_to(ElementType element) { return {{"to", static_cast<std::int64_t>(element)}}; }

ValueId shown_or_labelled(const Rewriter& graph, EarlyNodes& nodes, ValueId mask,
                          ValueId has_label) {
  const ElementType flag = ElementType::boolean;
  ValueId is_shown = nodes.flat(mask, "mask_of_tokens");
  if (graph.type(mask).element != flag)
    is_shown = nodes.add("Cast", "is_shown", {is_shown}, flag, cast_to(flag));
  return nodes.add("Or", "is_kept", {is_shown, has_label}, flag);
}

/// Whether each token comes no later than the last label of its sequence. Counts the labels from
/// the end of the sequence.
ValueId before_last_label(EarlyNodes& nodes, ValueId has_label, ValueId leading) {
  const ElementType whole = ElementType::int64;
  const ElementType flag = ElementType::boolean;
  const ValueId ones = nodes.add("Cast", "label_counts", {has_label}, whole, cast_to(whole));
  const ValueId rows = nodes.add("Reshape", "label_count_rows", {ones, leading}, whole);
  const ValueId sums = nodes.add("CumSum", "labels_to_come", {rows, nodes.numbers({1})}, whole,
                                 {{"reverse", std::int64_t{1}}});
  const ValueId is_kept = nodes.add("Cast", "is_kept", {sums}, flag, cast_to(flag));
  return nodes.flat(is_kept, "kept_tokens");
}

}  // namespace

SparseModel find_embeddings(const Rewriter& graph) {
  SparseModel model;
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    const NodeId id(i);
    if (graph.is_removed(id)) continue;
    const ValueId ids = ids_of(graph, graph.node(id));
    if (!ids.valid()) continue;
    const Shape& shape = *graph.shape(ids);
    if (model.embeddings.empty()) {
      model.ids = ids;
      model.sizes = {shape[0], shape[1]};
    }
    if (shape == Shape{model.sizes.batch, model.sizes.positions}) model.embeddings.push_back(id);
  }
  return model;
}

std::vector<ValueId> possible_masks(const Rewriter& graph, const SparseModel& model) {
  std::vector<ValueId> masks;
  for (const ValueId input : graph.inputs()) {
    const Shape* const shape = graph.shape(input);
    if (shape == nullptr || *shape != Shape{model.sizes.batch, model.sizes.positions}) continue;
    if (!is_looked_up(graph, model, input)) masks.push_back(input);
  }
  return masks;
}

bool is_looked_up(const Rewriter& graph, const SparseModel& model, ValueId input) {
  return std::ranges::any_of(model.embeddings, [&](NodeId id) {
    return behind_casts(graph, graph.node(id).inputs[1]) == input;
  });
}

TokenLoss find_token_loss(const Rewriter& graph, const TokenFlow& flow) {
  TokenLoss loss;
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    const NodeId id(i);
    const Node& node = graph.node(id);
    if (graph.is_removed(id) || !is_standard_loss(node)) continue;
    const TokenState* const scores = flow.find(node.inputs[0]);
    if (scores == nullptr) continue;
    if (loss.node.valid()) throw SparseStop{id, "is a second loss over tokens"};
    const LabelSource source = source_of(graph, node.inputs[1]);
    loss = {id, source.input, node.attributes.integer("ignore_index", 0), scores->is_cut};
    if (!node.attributes.has("ignore_index") || node.attributes.text("reduction", "mean") == "none")
      throw SparseStop{id, "reads the label of every token"};
    const Shape* const labels = graph.shape(loss.input);
    if (labels == nullptr || labels->size() != 2 || !is_integer(graph.type(loss.input).element))
      throw SparseStop{id, "reads labels that are no input of the model"};
    if (!may_be_ignored(graph, node.inputs[1], source, loss.ignored))
      throw SparseStop{id, "reads labels of a type that lacks the ignored label"};
  }
  return loss;
}

KeptTokens add_kept_tokens(Rewriter& graph, const TokenFlow& flow, const SparseModel& model,
                           ValueId mask, const TokenLoss& loss) {
  EarlyNodes nodes(graph, flow, model.embeddings.front());
  KeptTokens kept;
  kept.places.leading = nodes.add("Shape", "token_dims", {model.ids}, ElementType::int64);
  kept.labels = label_of_each(graph, nodes, loss, kept.places.leading);
  const ElementType element = graph.type(kept.labels).element;
  const ValueId ignored =
      graph.add_constant("ignored_label", Tensor::of_integers(element, {}, {loss.ignored}));
  const ValueId is_ignored =
      nodes.add("Equal", "is_ignored", {kept.labels, ignored}, ElementType::boolean);
  const ValueId has_label = nodes.add("Not", "has_label", {is_ignored}, ElementType::boolean);
  const ValueId is_kept = mask.valid() ? shown_or_labelled(graph, nodes, mask, has_label)
                                       : before_last_label(nodes, has_label, kept.places.leading);
  kept.found = nodes.add("NonZero", std::string(kept_tokens_dim), {is_kept}, ElementType::int64);
  kept.places.places = nodes.flat(kept.found, "token_places");
  const ValueId positions =
      nodes.add("Gather", "positions_in_sequence", {kept.places.leading, nodes.numbers({1})},
                ElementType::int64);
  kept.places.positions =
      nodes.add("Mod", "token_positions", {kept.places.places, positions}, ElementType::int64);
  return kept;
}

}  // namespace stashscope
