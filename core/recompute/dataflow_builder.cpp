#include "core/recompute/dataflow_builder.h"

#include <algorithm>

namespace stashscope {

namespace {

ValueId replacement(ValueId value, const IdVector<ValueId, ValueId>& replacements) {
  const bool is_replaced =
      value.valid() && replacements.contains(value) && replacements[value].valid();
  return is_replaced ? replacements[value] : value;
}

}  // namespace

NodeId DataflowBuilder::add_node(NodeId original, AddedKind kind) {
  const NodeId id(result_.graph_nodes + result_.cloned_nodes.size());
  result_.cloned_nodes.push_back(original);
  result_.kinds.push_back(kind);
  added_inputs_.start_row();
  added_outputs_.start_row();
  return id;
}

ValueId DataflowBuilder::add_value(ValueId original, const StoredForm& form) {
  const ValueId id(result_.graph_values + result_.cloned_values.size());
  result_.cloned_values.push_back(original);
  result_.forms.push_back(form);
  added_outputs_.push(id);
  return id;
}

void DataflowBuilder::clone(NodeId node) {
  if (is_cloned_[node]) return;
  is_cloned_[node] = true;
  add_node(node, AddedKind::recompute);
  for (const ValueId input : graph_.topology().inputs[node]) {
    added_inputs_.push(replacement(input, twin_of_));
  }
  for (const ValueId output : graph_.topology().outputs[node]) {
    twin_of_[output] = add_value(output, {});
  }
  const Op* const op = ops_[node];
  if (op != nullptr && op->random) result_.seeded_nodes.push_back(node);
}

void DataflowBuilder::read_clone(NodeId node, std::size_t output) {
  const ValueId original = graph_.node(node).outputs[output];
  replaced_[original] = twin_of_[original];
}

ValueId DataflowBuilder::add_transfer(NodeId maker, AddedKind kind, ValueId input, ValueId original,
                                      const StoredForm& form) {
  add_node(maker, kind);
  added_inputs_.push(input);
  return add_value(original, form);
}

void DataflowBuilder::evict(const NodePlan& plan, const Eviction& how, AddedKind back) {
  const ValueId original = graph_.node(plan.node).outputs[plan.outputs[0]];
  const ValueId away = add_transfer(plan.node, how.kind, original, original, how.form);
  replaced_[original] = add_transfer(plan.node, back, away, original, {});
  // Views are made from the restored tensor, not from a clone of another plan.
  twin_of_[original] = ValueId();
  for (const NodeId view : plan.subgraph) {
    clone(view);
    for (const ValueId output : graph_.topology().outputs[view]) {
      replaced_[output] = twin_of_[output];
    }
  }
}

Dataflow DataflowBuilder::finish() {
  if (!result_.cloned_nodes.empty()) {
    for (const ValueId value : IdRange<ValueId>(replaced_.size())) {
      if (replaced_[value].valid()) rewire_backward(value);
    }
    add_rows();
    result_.topology.connect(result_.graph_values + result_.cloned_values.size());
  }
  return std::move(result_);
}

void DataflowBuilder::rewire_backward(ValueId value) {
  for (const NodeId reader : graph_.topology().readers[value]) {
    if (stash_.is_forward(reader)) continue;
    std::ranges::replace(result_.topology.inputs.row(reader), value, replaced_[value]);
  }
}

void DataflowBuilder::add_rows() {
  Topology& topology = result_.topology;
  for (std::size_t i = 0; i < result_.cloned_nodes.size(); ++i) {
    const bool rewire = !evicts(result_.kinds[i]);
    topology.inputs.start_row();
    for (const ValueId input : added_inputs_[NodeId(i)]) {
      topology.inputs.push(rewire ? replacement(input, replaced_) : input);
    }
    topology.outputs.start_row();
    for (const ValueId output : added_outputs_[NodeId(i)]) topology.outputs.push(output);
  }
}

}  // namespace stashscope
