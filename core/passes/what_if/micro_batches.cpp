#include "core/passes/what_if/micro_batches.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/graph/packed_tokens.h"
#include "core/ops/families/normalization.h"
#include "core/passes/rewriting/operators.h"
#include "core/passes/what_if/micro_checks.h"
#include "core/passes/what_if/whole_number.h"

namespace stashscope {

namespace {

constexpr std::int64_t most_micro_batches = 4096;

bool contains(const Shape& shape, SymbolId symbol, std::size_t from) {
  return std::any_of(shape.begin() + static_cast<std::ptrdiff_t>(from), shape.end(),
                     [&](const Expr& dim) {
                       const std::vector<SymbolId> used = dim.symbols();
                       return std::ranges::find(used, symbol) != used.end();
                     });
}

/// Whether a name such as `batch`, `batch_size`, `num_samples`, `B` or `N` is one for the number of
/// samples.
bool names_samples(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* word : {"batch", "sample"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return name == "b" || name == "n" || name == "bs";
}

/// Whether PyTorch's exporter numbered a dimension that had no name: `s17`.
bool is_numbered(const std::string& name) {
  const auto is_digit = [](unsigned char each) { return std::isdigit(each) != 0; };
  return name.size() > 1 && name[0] == 's' && std::all_of(name.begin() + 1, name.end(), is_digit);
}

/// Whether a name such as `seq_len`, `num_tokens` or `T` is one for positions or parts of a sample.
/// Names that exporters make are not: `s17`, or the name of an input with that of an axis, such as
/// `tokens_dim0`.
bool names_parts(const std::string& name) {
  constexpr std::string_view made[] = {"dim", "axis", "axes"};
  std::vector<std::string> words(1);
  for (const char each : name) {
    const auto letter = static_cast<unsigned char>(each);
    if (std::isalpha(letter) != 0) {
      words.back() += static_cast<char>(std::tolower(letter));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  const auto is_made = [&](const std::string& word) {
    return std::ranges::find(made, word) != std::end(made);
  };
  if (names_samples(name) || is_numbered(name) || std::ranges::any_of(words, is_made)) return false;
  constexpr std::string_view parts[] = {"seq",   "sequence", "seqlen", "len",   "length",
                                        "token", "tokens",   "node",   "nodes", "time",
                                        "times", "timestep", "s",      "t",     "l"};
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::find(parts, word) != std::end(parts);
  });
}

/// The inputs with at least one axis that nodes read and training does not change.
std::vector<ValueId> data_inputs(const Graph& model, const std::vector<ValueId>& trained) {
  std::vector<ValueId> inputs;
  for (const ValueId input : model.data().inputs) {
    const auto& shape = model.value(input).type.shape;
    const bool is_trained = std::ranges::find(trained, input) != trained.end();
    const bool is_read = !model.topology().readers[input].empty();
    if (!is_trained && is_read && shape && !shape->empty()) inputs.push_back(input);
  }
  return inputs;
}

/// The dimension that is the whole first axis; invalid if there is none.
SymbolId first_axis(const Graph& model, ValueId input) {
  const Expr& dim = model.value(input).type.shape->front();
  const std::vector<SymbolId> used = dim.symbols();
  return used.size() == 1 && dim == Expr::symbol(used[0]) ? used[0] : SymbolId();
}

WhatIfStop stop_without_dimension(const Graph& model, const std::vector<ValueId>& inputs) {
  if (inputs.empty()) return {"the model", "has no input with samples"};
  const Expr& dim = model.value(inputs.front()).type.shape->front();
  return {describe(model.value(inputs.front())),
          "has the first axis " + printable(to_string(dim, model.symbols()), 60) +
              ", which is no named dimension; export the model with a named batch"};
}

std::string names_of(const Graph& model, const std::set<SymbolId>& symbols) {
  std::vector<std::string> names;
  names.reserve(symbols.size());
  for (const SymbolId each : symbols) {
    names.push_back("'" + printable(model.symbols().name(each), 60) + "'");
  }
  return join(names, " and ");
}

/// A dimension whose name, such as `batch`, stands for samples and that is not the first axis of an
/// input; invalid if there is none.
SymbolId samples_elsewhere(const Graph& model, const std::vector<ValueId>& inputs) {
  for (const ValueId input : inputs) {
    const Shape& shape = *model.value(input).type.shape;
    for (std::size_t axis = 1; axis < shape.size(); ++axis) {
      for (const SymbolId used : shape[axis].symbols()) {
        if (names_samples(model.symbols().name(used))) return used;
      }
    }
  }
  return {};
}

/// If the name of the batch does not say that it counts samples, adds a note, or drops the batch
/// and says why.
void check_unnamed_batch(const Graph& model, const std::vector<ValueId>& inputs, BatchAxis& axis) {
  const std::string& name = model.symbols().name(axis.batch);
  if (names_samples(name)) return;
  const std::string quoted = "'" + printable(name, 60) + "'";
  const SymbolId elsewhere = samples_elsewhere(model, inputs);
  if (!elsewhere.valid() && !names_parts(name)) {
    axis.notes.push_back("the dimension " + quoted +
                         " is taken for the batch, because it is the first axis of inputs" +
                         (is_numbered(name) ? " and has a number instead of a name" : ""));
    return;
  }
  const std::string why =
      elsewhere.valid()
          ? "while " + names_of(model, {elsewhere}) + " is another axis"
          : "whose name does not stand for samples; give the batch a name such as 'batch'";
  axis.stopped_by.push_back(
      {describe(model.value(inputs.front())), "has the first axis " + quoted + ", " + why});
  axis.batch = SymbolId();
}

/// Sets the batch, or says why there is none.
void choose_batch(const Graph& model, const std::vector<ValueId>& inputs, BatchAxis& axis) {
  std::set<SymbolId> found;
  std::set<SymbolId> named;
  for (const ValueId input : inputs) {
    const SymbolId symbol = first_axis(model, input);
    if (!symbol.valid()) continue;
    found.insert(symbol);
    if (names_samples(model.symbols().name(symbol))) named.insert(symbol);
  }
  if (found.size() == 1 || named.size() == 1) {
    axis.batch = found.size() == 1 ? *found.begin() : *named.begin();
    check_unnamed_batch(model, inputs, axis);
  } else if (found.empty()) {
    axis.stopped_by.push_back(stop_without_dimension(model, inputs));
  } else {
    axis.stopped_by.push_back(
        {describe(model.value(inputs.front())), "and the other inputs do not tell which of " +
                                                    names_of(model, found) +
                                                    " is the batch; give one name to the "
                                                    "batch, such as 'batch'"});
  }
}

/// Adds nodes, each directly after the producer of a value; at the end if nothing produces it.
class NodeInserter {
 public:
  explicit NodeInserter(GraphData& data) : data_(data) {
    for (const Value& value : data.values) names_.insert(value.name);
  }

  std::string unused(const std::string& name) {
    std::string free = name;
    for (int i = 2; !names_.insert(free).second; ++i) free = name + "_" + std::to_string(i);
    return free;
  }

  void add_behind(ValueId value, Node node) {
    const NodeId producer = data_.values[value].producer;
    behind_[producer.valid() ? producer : NodeId(data_.nodes.size() - 1)].push_back(
        std::move(node));
  }

  /// Puts the nodes in their places.
  void finish() {
    IdVector<NodeId, Node> nodes;
    IdVector<NodeId, NodeId> moved;
    for (const NodeId id : IdRange<NodeId>(data_.nodes.size())) {
      moved.push_back(nodes.push_back(std::move(data_.nodes[id])));
      const auto added = behind_.find(id);
      if (added == behind_.end()) continue;
      for (Node& node : added->second) nodes.push_back(std::move(node));
    }
    data_.nodes = std::move(nodes);
    for (Constraint& each : data_.constraints) {
      if (each.node.valid()) each.node = moved[each.node];
    }
  }

 private:
  GraphData& data_;
  std::unordered_set<std::string> names_;
  std::map<NodeId, std::vector<Node>> behind_;
};

/// Adds the buffer of a gradient's sum and the node that adds to it.
GradientSum add_sum(GraphData& data, const Parameter& parameter, ValueId total,
                    NodeInserter& inserter) {
  const std::string& name = data.values[total].name;
  const TensorType type = data.values[parameter.gradient].type;
  const ValueId buffer = data.add_value(inserter.unused(name + "_sum"), type);
  data.inputs.push_back(buffer);
  Node node = microsoft_node("InPlaceAccumulator", name + "/InPlaceAccumulator",
                             {buffer, parameter.gradient});
  node.outputs = {total};
  inserter.add_behind(parameter.gradient, std::move(node));
  return {buffer, parameter.gradient, parameter.value};
}

void add_sums(GraphData& data, std::vector<Parameter>& parameters, MicroBatches& split) {
  NodeInserter inserter(data);
  for (Parameter& each : parameters) {
    if (!each.gradient.valid()) continue;
    Value& gradient = data.values[each.gradient];
    const std::string name = gradient.name;
    gradient.name = inserter.unused(name + "_of_micro_batch");
    const TensorType type = gradient.type;
    const ValueId total = data.add_value(name, type);
    std::ranges::replace(data.outputs, each.gradient, total);
    split.sums.push_back(add_sum(data, each, total, inserter));
    each.gradient = total;
  }
  inserter.finish();
}

/// Replaces the batch by batch / count in all sizes of a graph.
class SizeReplacement {
 public:
  SizeReplacement(SymbolId batch, std::int64_t count)
      : replacement_([batch, count](SymbolId symbol) {
          return symbol == batch
                     ? std::optional(Expr::symbol(symbol) * Expr(Rational::ratio(1, count)))
                     : std::nullopt;
        }) {}

  void replace_in(GraphData& data) const {
    for (Value& value : data.values) replace_in(value);
    for (Constraint& each : data.constraints) {
      replace_in(each.a);
      replace_in(each.b);
    }
    for (DataDependentDim& each : data.data_dependent) {
      if (each.at_most) replace_in(*each.at_most);
    }
    if (data.packed_tokens) {
      PackedTokens packed = *data.packed_tokens;
      replace_in(packed.most);
      data.packed_tokens = std::make_shared<const PackedTokens>(std::move(packed));
    }
    for (Node& node : data.nodes) replace_in_bodies(node);
  }

 private:
  void replace_in(Expr& size) const { size = size.substitute(replacement_); }

  void replace_in(Value& value) const {
    for (auto* const shape : {&value.type.shape, &value.declared_shape}) {
      if (!*shape) continue;
      for (Expr& dim : **shape) replace_in(dim);
    }
    if (value.contents == nullptr) return;
    auto contents = std::make_shared<std::vector<Expr>>(*value.contents);
    for (Expr& each : *contents) replace_in(each);
    value.contents = std::move(contents);
  }

  void replace_in_bodies(Node& node) const {
    const Attributes::Items items = node.attributes.items();
    for (const auto& [name, attribute] : items) {
      const auto* const body = std::get_if<Subgraph>(&attribute);
      if (body == nullptr) continue;
      GraphData data = (*body)->data();
      replace_in(data);
      node.attributes.set(name, std::make_shared<const Graph>(std::move(data)));
    }
  }

  Expr::Replacement replacement_;
};

}  // namespace

std::string micro_batch_count(const std::string& text) {
  const auto count = whole_number(text);
  if (count && *count >= 1 && *count <= most_micro_batches) return std::to_string(*count);
  fail_usage("micro=" + printable(text), "is no number of micro-batches",
             "give a number from 1 to " + std::to_string(most_micro_batches));
}

std::string micro_batch_words(const std::string& count) {
  return count == "1" ? "The whole batch at once" : count + " micro-batches";
}

BatchAxis find_batch(const Graph& model, const std::vector<ValueId>& trained) {
  BatchAxis axis;
  const std::vector<ValueId> inputs = data_inputs(model, trained);
  choose_batch(model, inputs, axis);
  if (!axis.batch.valid()) return axis;
  for (const ValueId input : inputs) {
    const Shape& shape = *model.value(input).type.shape;
    const bool is_split = shape.front() == Expr::symbol(axis.batch);
    if (is_split) axis.inputs.push_back(input);
    if (!contains(shape, axis.batch, is_split ? 1 : 0)) continue;
    axis.stopped_by.push_back({describe(model.value(input)),
                               "has the batch '" + printable(model.symbols().name(axis.batch), 60) +
                                   "' elsewhere than as its first axis"});
  }
  if (axis.stopped_by.empty()) axis.stopped_by = meeting_samples(model, axis.batch);
  if (axis.stopped_by.empty()) return axis;
  axis.batch = SymbolId();
  axis.inputs.clear();
  return axis;
}

Graph micro_step(const Graph& step, std::vector<Parameter>& parameters, MicroBatches split) {
  GraphData data = step.data();
  add_sums(data, parameters, split);
  SizeReplacement(split.batch, split.count).replace_in(data);
  const Expr batch = Expr::symbol(split.batch);
  data.constraints.push_back({Expr(split.count) * floor_divide(batch, split.count), batch, {}});
  data.micro_batches = std::make_shared<const MicroBatches>(std::move(split));
  return Graph(std::move(data));
}

std::vector<std::string> micro_batch_notes(const Graph& model) {
  const auto trains = [&](const Node& node) {
    return node.op_type == "BatchNormalization" && node.domain.empty() &&
           batch_norm_trains(node, model.opset(""));
  };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(model.nodes(), trains));
  if (count == 0) return {};
  return {counted(count, "batch normalization uses", "batch normalizations use") +
          " the statistics of each micro-batch, so that results differ from those of the whole "
          "batch"};
}

}  // namespace stashscope
