#include "core/passes/what_if/micro_losses.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "core/ops/rules/linear_loss_places.h"
#include "core/passes/rewriting/operators.h"

namespace stashscope {

namespace {

/// How a value depends on the samples.
enum class Reduction : std::uint8_t {
  none,     ///< not at all
  mean,     ///< a mean over them
  sum,      ///< a sum over them
  mixed,    ///< terms of several kinds
  unknown,  ///< in a way that is not recognized
};

constexpr const char* part_suffix = "_of_micro_batch";

/// Whether the output is a mean or a sum over the samples if the first input is one.
bool keeps_reduction(const Node& node) {
  return is_one_of(node, {"Identity", "Cast", "Neg", "Squeeze", "Unsqueeze", "Reshape", "Flatten"});
}

bool adds_up(const Node& node) { return is_one_of(node, {"Add", "Sub", "Sum"}); }

Reduction together(Reduction a, Reduction b) {
  if (a == b) return a;
  const bool is_unknown = a == Reduction::unknown || b == Reduction::unknown;
  return is_unknown ? Reduction::unknown : Reduction::mixed;
}

/// Finds how values depend on the samples.
class Reductions {
 public:
  Reductions(const Graph& model, const std::vector<ValueId>& samples, SymbolId batch)
      : model_(model),
        batch_(batch),
        depends_(model.values().size(), false),
        kinds_(model.values().size(), Reduction::none) {
    for (const ValueId each : samples) {
      depends_[each] = true;
      kinds_[each] = Reduction::unknown;
    }
    for (const NodeId id : IdRange<NodeId>(model.nodes().size())) {
      const auto inputs = model.topology().inputs[id];
      const bool any = std::ranges::any_of(
          inputs, [&](ValueId input) { return input.valid() && depends_[input]; });
      if (!any) continue;
      const Reduction kind = of_node(model.node(id));
      for (const ValueId output : model.topology().outputs[id]) {
        depends_[output] = true;
        kinds_[output] = kind;
      }
    }
  }

  Reduction of(ValueId value) const { return kinds_[value]; }

  /// The operand whose Reduction is also that of the node's result; nothing if there is no such
  /// operand.
  std::optional<ValueId> passed_on(const Node& node) const {
    if (keeps_reduction(node)) return node.inputs[0];
    if (is_one_of(node, {"Mul"}) && !depends_[node.inputs[0]]) return node.inputs[1];
    const bool is_factor = is_one_of(node, {"Mul", "Div"}) && !depends_[node.inputs[1]];
    return is_factor ? std::optional(node.inputs[0]) : std::nullopt;
  }

  bool has_samples(ValueId value) const {
    const auto& shape = model_.value(value).type.shape;
    return shape && std::ranges::any_of(*shape, [&](const Expr& dim) {
             const std::vector<SymbolId> used = dim.symbols();
             return std::ranges::find(used, batch_) != used.end();
           });
  }

 private:
  /// The kind of a node that depends on the samples, from the kinds of its inputs.
  Reduction of_node(const Node& node) const {
    if (const auto operand = passed_on(node)) return of(*operand);
    if (adds_up(node)) return of_terms(node);
    if (node.op_type == "ReduceMean") return of_reduced(node, Reduction::mean);
    if (is_one_of(node, {"ReduceSum", "ReduceSumSquare", "ReduceL1"})) {
      return of_reduced(node, Reduction::sum);
    }
    return of_loss(node);
  }

  Reduction of_terms(const Node& node) const {
    Reduction all = of(node.inputs[0]);
    for (const ValueId each : node.inputs) all = together(all, of(each));
    return all;
  }

  Reduction of_reduced(const Node& node, Reduction kind) const {
    if (!has_samples(node.inputs[0])) return of(node.inputs[0]);
    return has_samples(node.outputs[0]) ? Reduction::unknown : kind;
  }

  static Reduction of_loss(const Node& node) {
    const bool is_loss = node.op_type.find("Loss") != std::string::npos;
    if (!is_loss && !node.attributes.has("reduction")) return Reduction::unknown;
    const std::string kind = node.attributes.text("reduction", "mean");
    if (kind == "sum") return Reduction::sum;
    return kind == "mean" ? Reduction::mean : Reduction::unknown;
  }

  const Graph& model_;
  SymbolId batch_;
  IdVector<ValueId, bool> depends_;
  IdVector<ValueId, Reduction> kinds_;
};

/// Multiplies the losses of a micro-batch by 1 / number of micro-batches, so that the micro-batches
/// add up to the loss of the whole batch. Sums over the samples are not scaled, also as terms of a
/// loss: they add up by themselves. A loss of unknown kind is scaled, with a note.
class LossScaler {
 public:
  LossScaler(const Graph& model, const Reductions& reductions, std::int64_t count,
             std::vector<std::string>& notes)
      : model_(model),
        data_(model.data()),
        reductions_(reductions),
        count_(count),
        notes_(notes),
        before_(model.nodes().size() + 1) {}

  void scale_output(ValueId loss) {
    // The backward pass of an output with samples starts from each sample, as in a sum.
    if (reductions_.has_samples(loss)) return;
    const Reduction kind = reductions_.of(loss);
    const NodeId producer = model_.value(loss).producer;
    if (kind == Reduction::sum || !producer.valid()) return;
    if (kind == Reduction::mixed) return scale_terms(producer);
    note(loss, kind);
    const ValueId whole = rename_made(loss, producer);
    add_scale(whole, loss, NodeId(producer.index() + 1));
  }

  /// Scales an output that is no loss so that the micro-batches add up to the output of the whole
  /// batch. Returns whether they do. If not, the output has samples, does not depend on samples, or
  /// is left out with a note.
  bool add_up_output(ValueId output) {
    const Reduction kind = reductions_.of(output);
    if (reductions_.has_samples(output) || kind == Reduction::none) return false;
    const bool is_known = kind == Reduction::mean || kind == Reduction::sum;
    if (is_known && is_floating(model_.value(output).type.element)) {
      scale_output(output);
      return true;
    }
    std::erase(data_.outputs, output);
    notes_.push_back("the output " + describe(model_.value(output)) +
                     " is left out, because the output of the whole batch does not follow from the "
                     "outputs of the micro-batches");
    return false;
  }

  Graph finish() {
    IdVector<NodeId, Node> nodes;
    for (const NodeId id : IdRange<NodeId>(before_.size())) {
      for (Node& node : before_[id]) nodes.push_back(std::move(node));
      if (id.index() < data_.nodes.size()) nodes.push_back(std::move(data_.nodes[id]));
    }
    data_.nodes = std::move(nodes);
    return Graph(std::move(data_));
  }

 private:
  /// Scales the terms of a mixed sum, except terms that are sums over the samples. Terms that are
  /// mixed sums are treated in the same way.
  void scale_terms(NodeId sum) {
    std::vector<NodeId> left = {sum};
    while (!left.empty()) {
      const NodeId id = left.back();
      left.pop_back();
      if (!scaled_.insert(id).second) continue;
      for (const ValueId each : scale_terms_of(id)) left.push_back(model_.value(each).producer);
    }
  }

  /// Scales the terms of one node. Returns those that are mixed sums themselves.
  std::vector<ValueId> scale_terms_of(NodeId id) {
    const Node& node = model_.node(id);
    if (const auto operand = reductions_.passed_on(node)) return {*operand};
    std::vector<ValueId> mixed;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId term = node.inputs[i];
      const Reduction kind = reductions_.of(term);
      if (kind == Reduction::sum) continue;
      if (kind == Reduction::mixed) {
        mixed.push_back(term);
        continue;
      }
      note(term, kind);
      const ValueId part =
          data_.add_value(unused(model_.value(term).name + part_suffix), model_.value(term).type);
      data_.nodes[id].inputs[i] = part;
      add_scale(term, part, id);
    }
    return mixed;
  }

  /// Renames the value that `producer` makes. Its readers then read the new name.
  ValueId rename_made(ValueId loss, NodeId producer) {
    const ValueId made =
        data_.add_value(unused(model_.value(loss).name + part_suffix), model_.value(loss).type);
    std::ranges::replace(data_.nodes[producer].outputs, loss, made);
    for (const NodeId reader : model_.topology().readers[loss]) {
      std::ranges::replace(data_.nodes[reader].inputs, loss, made);
    }
    return made;
  }

  void add_scale(ValueId from, ValueId to, NodeId before) {
    const ElementType element =
        model_.data().values[from.index() < model_.values().size() ? from : to].type.element;
    const ValueId share =
        data_.add_initializer(unused("micro_batch_share"),
                              Tensor::float_scalar(element, 1 / static_cast<double>(count_)));
    Node node;
    node.name = data_.values[to].name + "/micro_batch";
    node.op_type = "Mul";
    node.inputs = {from, share};
    node.outputs = {to};
    before_[before].push_back(std::move(node));
  }

  std::string unused(const std::string& name) const {
    const auto is_used = [&](const std::string& text) {
      return std::ranges::any_of(data_.values,
                                 [&](const Value& value) { return value.name == text; });
    };
    std::string free = name;
    for (int i = 2; is_used(free); ++i) free = name + "_" + std::to_string(i);
    return free;
  }

  void note(ValueId loss, Reduction kind) {
    const NodeId producer = model_.value(loss).producer;
    if (kind == Reduction::unknown) {
      notes_.push_back("the loss " + describe(model_.value(loss)) +
                       " is not recognized as a mean or a sum over the samples; each of the " +
                       std::to_string(count_) + " micro-batches counts equally, as in a mean");
    } else if (kind == Reduction::mean && producer.valid()) {
      note_ignored(producer);
    }
  }

  /// Notes a loss that leaves out ignored labels or weights its labels, and is a mean. Such a mean
  /// over the whole batch may differ from the mean of the micro-batches' means.
  void note_ignored(NodeId id) {
    while (const auto operand = reductions_.passed_on(model_.node(id))) {
      id = model_.value(*operand).producer;
    }
    const Node& node = model_.node(id);
    if (node.op_type.find("Loss") == std::string::npos) return;
    const auto has = [&](std::size_t i) {
      return node.inputs.size() > i && node.inputs[i].valid();
    };
    const bool is_linear = node.op_type == "LinearCrossEntropyLoss";
    const bool has_weights = has(is_linear ? linear_loss_places::forward.class_weights : 2);
    const bool is_internal = is_internal_loss(node);
    const bool ignores = node.attributes.has("ignore_index") || (is_internal && has(3));
    if (!has_weights && !ignores) return;
    notes_.push_back(
        describe(node, id) + " is a mean over labels that " +
        (has_weights ? "have weights" : "are not ignored") +
        "; the micro-batches add up to the whole batch only if each of them has " +
        (has_weights ? "labels of the same total weight" : "the same number of such labels"));
  }

  const Graph& model_;
  GraphData data_;
  const Reductions& reductions_;
  std::int64_t count_;
  std::vector<std::string>& notes_;
  std::set<NodeId> scaled_;                     ///< sums whose terms are scaled
  IdVector<NodeId, std::vector<Node>> before_;  ///< new nodes by the node that follows them
};

}  // namespace

Graph with_micro_losses(const Graph& model, MicroBatches& split, std::vector<std::string>& notes) {
  const Reductions reductions(model, split.inputs, split.batch);
  LossScaler scaler(model, reductions, split.count, notes);
  for (const ValueId each : split.losses) scaler.scale_output(each);
  const std::vector<ValueId> losses = split.losses;
  for (const ValueId each : model.data().outputs) {
    if (std::ranges::find(losses, each) != losses.end()) continue;
    if (scaler.add_up_output(each)) split.losses.push_back(each);
  }
  return scaler.finish();
}

}  // namespace stashscope
