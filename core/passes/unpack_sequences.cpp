#include "core/passes/unpack_sequences.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/base/unused_name.h"
#include "core/ops/rules/backward_builder.h"
#include "core/ops/rules/contents.h"

namespace stashscope {

namespace {

using Parts = std::vector<ValueId>;

bool updates_sequences(const Node& node) {
  return node.domain == microsoft_domain && node.op_type == "AdamWOptimizer";
}

/// Whether the node needs no sequence that an earlier node makes, so that unpacking can start at
/// this node.
bool begins_sequence(const Node& node) {
  const auto is = [&](std::string_view op_type) { return node.op_type == op_type; };
  if (!node.domain.empty()) return updates_sequences(node);
  return is("SequenceConstruct") || is("SequenceEmpty") || is("SplitToSequence");
}

class Unpacker {
 public:
  explicit Unpacker(const Graph& graph) : graph_(graph), data_(graph.data()) {
    for (const Value& value : data_.values) names_.insert(value.name);
    for (const Node& node : data_.nodes) node_names_.insert(node.name);
  }

  std::optional<Graph> run() {
    IdVector<NodeId, Node> nodes = std::exchange(data_.nodes, {});
    for (Node& node : nodes) {
      if (!unpack(node)) data_.nodes.push_back(std::move(node));
    }
    if (!changed_) return std::nullopt;
    drop_unread();
    return Graph(std::move(data_));
  }

 private:
  /// Returns whether the node was replaced. Producers of sequences stay until nothing reads them.
  bool unpack(const Node& node) {
    if (updates_sequences(node)) return update(node);
    if (!node.domain.empty() || node.outputs.empty() || !node.outputs[0].valid()) return false;
    if (!has_input(node, 0) && node.op_type != "SequenceEmpty") return false;
    if (node.op_type == "SequenceConstruct") return construct(node);
    if (node.op_type == "SequenceEmpty") return make(node, {});
    if (node.op_type == "SplitToSequence") return split(node);
    const Parts* const parts = parts_of(node, 0);
    if (parts == nullptr) return false;
    if (node.op_type == "Identity") return make(node, *parts);
    if (node.op_type == "SequenceInsert") return insert(node, *parts);
    if (node.op_type == "SequenceErase") return erase(node, *parts);
    if (node.op_type == "SequenceAt") return take(node, *parts);
    if (node.op_type == "SequenceLength") return count(node, *parts);
    if (node.op_type == "ConcatFromSequence") return join(node, *parts);
    return false;
  }

  static bool has_input(const Node& node, std::size_t input) {
    return input < node.inputs.size() && node.inputs[input].valid();
  }

  const Parts* parts_of(const Node& node, std::size_t input) const {
    if (!has_input(node, input)) return nullptr;
    const auto found = sequences_.find(node.inputs[input]);
    return found == sequences_.end() ? nullptr : &found->second;
  }

  bool make(const Node& node, Parts parts) {
    sequences_[node.outputs[0]] = std::move(parts);
    return false;
  }

  bool construct(const Node& node) {
    const auto is_there = [](ValueId id) { return id.valid(); };
    return std::all_of(node.inputs.begin(), node.inputs.end(), is_there) && make(node, node.inputs);
  }

  /// The position that input `input` of a node gives, or `otherwise` if the input is omitted. A
  /// negative position counts from the end. Nothing if the position is unknown or not in [-size,
  /// size].
  std::optional<std::ptrdiff_t> position(const Node& node, std::size_t input, std::size_t size,
                                         std::int64_t otherwise) const {
    std::int64_t at = otherwise;
    if (has_input(node, input)) {
      const auto known = numbers(node.inputs[input]);
      if (!known || known->size() != 1) return std::nullopt;
      at = known->front();
    }
    const auto count = static_cast<std::int64_t>(size);
    if (at < 0) at += count;
    return at < 0 || at > count ? std::nullopt : std::optional(static_cast<std::ptrdiff_t>(at));
  }

  std::optional<std::vector<std::int64_t>> numbers(ValueId id) const {
    return integers_of(graph_.value(id).contents.get());
  }

  bool insert(const Node& node, Parts parts) {
    const auto end = static_cast<std::int64_t>(parts.size());
    const auto at = position(node, 2, parts.size(), end);
    if (!at || !has_input(node, 1)) return false;
    parts.insert(parts.begin() + *at, node.inputs[1]);
    return make(node, std::move(parts));
  }

  bool erase(const Node& node, Parts parts) {
    const auto at = position(node, 1, parts.size(), -1);
    if (!at || *at == std::ssize(parts)) return false;
    parts.erase(parts.begin() + *at);
    return make(node, std::move(parts));
  }

  bool take(const Node& node, const Parts& parts) {
    const auto at = position(node, 1, parts.size(), 0);
    if (!at || *at == std::ssize(parts)) return false;
    Node identity = like(node, "Identity");
    identity.inputs = {parts[static_cast<std::size_t>(*at)]};
    return replace(std::move(identity));
  }

  bool count(const Node& node, const Parts& parts) {
    Node constant = like(node, "Identity");
    const auto length = static_cast<std::int64_t>(parts.size());
    constant.inputs = {add_literal(node.name + "_length", Tensor::int64_scalar(length))};
    return replace(std::move(constant));
  }

  /// Concatenates the tensors of a sequence, or stacks the tensors if `new_axis` is set.
  bool join(const Node& node, const Parts& parts) {
    if (parts.empty()) return false;
    const std::int64_t axis = node.attributes.require_integer("axis");
    Node concat = like(node, "Concat");
    concat.attributes = {{"axis", axis}};
    concat.inputs = parts;
    if (node.attributes.integer("new_axis", 0) != 0) {
      for (ValueId& part : concat.inputs) part = with_axis(node, part, axis, "Unsqueeze");
    }
    return replace(std::move(concat));
  }

  /// Splits a tensor into parts of given sizes or into single positions.
  bool split(const Node& node) {
    const auto& shape = graph_.value(node.inputs[0]).type.shape;
    std::int64_t axis = node.attributes.integer("axis", 0);
    if (!shape || axis >= std::ssize(*shape) || axis < -std::ssize(*shape)) return false;
    if (axis < 0) axis += std::ssize(*shape);
    const auto size = (*shape)[static_cast<std::size_t>(axis)].integer();
    const bool is_single = !has_input(node, 1);
    const auto sizes = size ? part_sizes(node, *size, is_single) : std::nullopt;
    if (!sizes) return false;
    Parts parts;
    for (std::size_t i = 0; i < sizes->size(); ++i) parts.push_back(add_part(node));
    Node whole = like(node, "Split");
    whole.outputs = parts;
    whole.attributes = {{"axis", axis}};
    whole.inputs = {node.inputs[0]};
    if (opset() < 13) whole.attributes.set("split", *sizes);
    if (opset() >= 13) {
      whole.inputs.push_back(add_literal(node.name + "_sizes", Tensor::int64s(*sizes)));
    }
    if (!parts.empty()) data_.nodes.push_back(std::move(whole));
    if (is_single && node.attributes.integer("keepdims", 1) == 0) {
      for (ValueId& part : parts) part = with_axis(node, part, axis, "Squeeze");
    }
    return make(node, std::move(parts));
  }

  /// The sizes of the parts. The node gives a list of sizes, or one size for all parts; with one
  /// size, the last part may be smaller. Nothing if the sizes are unknown or do not add up, or if
  /// there are too many parts.
  std::optional<std::vector<std::int64_t>> part_sizes(const Node& node, std::int64_t size,
                                                      bool is_single) const {
    constexpr std::int64_t most = 4096;
    if (is_single && size <= most) {
      return std::vector<std::int64_t>(static_cast<std::size_t>(size), 1);
    }
    const auto given = is_single ? std::nullopt : numbers(node.inputs[1]);
    if (!given) return std::nullopt;
    const auto& shape = graph_.value(node.inputs[1]).type.shape;
    if (!shape) return std::nullopt;
    if (!shape->empty()) return adds_up(*given, size) ? given : std::nullopt;
    const std::int64_t each = given->empty() ? 0 : given->front();
    if (each < 1 || size / each > most) return std::nullopt;
    std::vector<std::int64_t> sizes;
    for (std::int64_t rest = size; rest > 0; rest -= each) sizes.push_back(std::min(each, rest));
    return sizes;
  }

  static bool adds_up(const std::vector<std::int64_t>& sizes, std::int64_t total) {
    for (const std::int64_t size : sizes) {
      if (size < 0 || size > total) return false;
      total -= size;
    }
    return total == 0;
  }

  ValueId with_axis(const Node& node, ValueId part, std::int64_t axis, const char* type) {
    Node changed = like(node, type);
    changed.inputs = {part};
    changed.outputs = {add_part(node)};
    if (opset() < 13) changed.attributes = {{"axes", Integers{axis}}};
    if (opset() >= 13) {
      changed.inputs.push_back(add_literal(node.name + "_axis", Tensor::int64s({axis})));
    }
    data_.nodes.push_back(std::move(changed));
    return data_.nodes[NodeId(data_.nodes.size() - 1)].outputs[0];
  }

  /// Replaces an AdamWOptimizer (rate, step, weights, gradients, moments 1, moments 2, [flag]). A
  /// sequence that is a graph input becomes several graph inputs, as many as a sequence of the node
  /// with known tensors has tensors.
  bool update(const Node& node) {
    if (!has_input(node, 0) || !has_input(node, 1) || !own_sequences_end_here(node)) return false;
    const Parts* known = nullptr;
    for (std::size_t i = 2; i < 6 && known == nullptr; ++i) known = parts_of(node, i);
    if (known == nullptr) return false;
    const Parts like_these = *known;
    for (std::size_t i = 2; i < 6; ++i) {
      const Parts* const parts = parts_of(node, i);
      if (parts != nullptr && parts->size() != like_these.size()) return false;
    }
    for (std::size_t i = 2; i < 6; ++i) {
      if (parts_of(node, i) == nullptr) unpack_input(node.inputs[i], like_these);
    }
    for (std::size_t i = 0; i < like_these.size(); ++i) update_one(node, i);
    give_flag(node);
    changed_ = true;
    return true;
  }

  /// Whether all sequences of the node can be unpacked: the node returns no updated sequences, and
  /// each sequence that it reads has known tensors or is a graph input that only this node reads.
  bool own_sequences_end_here(const Node& node) const {
    for (std::size_t i = 1; i < node.outputs.size(); ++i) {
      if (node.outputs[i].valid()) return false;
    }
    for (std::size_t i = 2; i < 6; ++i) {
      if (!has_input(node, i)) return false;
      if (parts_of(node, i) != nullptr) continue;
      if (!graph_.is_graph_input(node.inputs[i])) return false;
      if (graph_.topology().readers[node.inputs[i]].size() != 1) return false;
    }
    return true;
  }

  void unpack_input(ValueId input, const Parts& like_these) {
    Parts parts;
    const auto at = std::find(data_.inputs.begin(), data_.inputs.end(), input);
    auto place = data_.inputs.erase(at);
    for (const ValueId each : like_these) {
      const std::string position = std::to_string(parts.size());
      parts.push_back(add_value(data_.values[input].name + "_" + position));
      data_.values[parts.back()].type = TensorType(data_.values[each].type);
      place = data_.inputs.insert(place, parts.back()) + 1;
    }
    sequences_[input] = std::move(parts);
  }

  /// Updates one tensor of each sequence. The updated tensors become graph outputs.
  void update_one(const Node& node, std::size_t tensor) {
    const auto part = [&](std::size_t input) { return (*parts_of(node, input))[tensor]; };
    Node one = like(node, "AdamOptimizer");
    one.domain = std::string(microsoft_domain);
    one.inputs = {node.inputs[0], node.inputs[1], part(2), part(3), part(4), part(5)};
    if (has_input(node, 6)) one.inputs.push_back(node.inputs[6]);
    one.outputs = {ValueId()};
    for (const std::size_t input : {4U, 5U, 2U}) {
      one.outputs.push_back(add_value(data_.values[part(input)].name + "_updated"));
      data_.outputs.push_back(one.outputs.back());
    }
    const Attributes& given = node.attributes;
    one.attributes = {{"alpha", given.real("alpha", 0.9F)},
                      {"beta", given.real("beta", 0.999F)},
                      {"epsilon", given.real("epsilon", 1e-8F)},
                      {"lambda", given.real("weight_decay", 0.01F)},
                      {"weight_decay_mode", given.integer("adam_mode", 0)},
                      {"do_bias_correction", given.integer("correct_bias", 1)}};
    data_.nodes.push_back(std::move(one));
  }

  /// Adds the node for output 0 of AdamWOptimizer, which says whether the weights are updated: the
  /// flag operand, else true.
  void give_flag(const Node& node) {
    if (node.outputs.empty() || !node.outputs[0].valid()) return;
    Node flag = like(node, "Identity");
    const bool is_given = has_input(node, 6);
    const bool is_boolean = data_.values[node.outputs[0]].type.element == ElementType::boolean;
    const Tensor yes =
        is_boolean ? Tensor(ElementType::boolean, {1}, std::string("\1", 1)) : Tensor::int64s({1});
    flag.inputs = {is_given ? node.inputs[6] : add_literal(node.name + "_updates", yes)};
    flag.outputs = {node.outputs[0]};
    data_.nodes.push_back(std::move(flag));
  }

  /// A new node that replaces `node`: has the outputs of `node`, and a name derived from its name.
  Node like(const Node& node, std::string type) {
    Node made;
    made.name = unused_name(node.name, node_names_);
    made.op_type = std::move(type);
    made.outputs = node.outputs;
    made.doc_string = node.doc_string;
    made.origin = node.origin;
    return made;
  }

  bool replace(Node node) {
    data_.nodes.push_back(std::move(node));
    changed_ = true;
    return true;
  }

  std::int64_t opset() const { return graph_.opset(""); }

  ValueId add_part(const Node& node) {
    return *parts_made_.insert(add_value(node.name + "_part")).first;
  }
  ValueId add_value(const std::string& name) {
    return data_.add_value(unused_name(name, names_), {});
  }
  ValueId add_literal(const std::string& name, Tensor tensor) {
    const ValueId id = data_.add_initializer(unused_name(name, names_), std::move(tensor));
    data_.initializers.back().is_literal = true;
    return id;
  }

  /// Removes nodes that only produced sequences which are now unpacked.
  void drop_unread() {
    std::unordered_set<ValueId> read(data_.outputs.begin(), data_.outputs.end());
    std::vector<Node> kept;
    for (std::size_t i = data_.nodes.size(); i-- > 0;) {
      Node& node = data_.nodes[NodeId(i)];
      const auto is_read = [&](ValueId output) { return read.contains(output); };
      const bool is_part = !node.outputs.empty() && is_part_of_sequence(node.outputs[0]);
      if (is_part && std::none_of(node.outputs.begin(), node.outputs.end(), is_read)) continue;
      read.insert(node.inputs.begin(), node.inputs.end());
      read.insert(node.captured_inputs.begin(), node.captured_inputs.end());
      kept.push_back(std::move(node));
    }
    data_.nodes = {};
    for (auto node = kept.rbegin(); node != kept.rend(); ++node) {
      data_.nodes.push_back(std::move(*node));
    }
  }

  /// Whether the value is a sequence, or this pass added the value for a sequence.
  bool is_part_of_sequence(ValueId output) const {
    return sequences_.contains(output) || parts_made_.contains(output);
  }

  const Graph& graph_;
  GraphData data_;
  std::unordered_map<ValueId, Parts> sequences_;
  std::unordered_set<ValueId> parts_made_;
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> node_names_;
  bool changed_ = false;
};

}  // namespace

std::optional<Graph> unpack_sequences(const Graph& graph) {
  if (std::ranges::none_of(graph.nodes(), begins_sequence)) return std::nullopt;
  return Unpacker(graph).run();
}

}  // namespace stashscope
