#include "core/study/facts/tensor_homes.h"

#include <algorithm>
#include <map>

#include "core/recompute/forward_nodes.h"
#include "core/study/facts/step_tensors.h"

namespace stashscope {

namespace {

NodeModules modules_of(const Study& study) {
  NodeModules modules =
      find_modules(study.graph(), forward_nodes(study.graph(), *study.opportunities));
  std::vector<std::vector<std::string>*> scopes;
  for (std::vector<std::string>& scope : modules.scope) scopes.push_back(&scope);
  shorten_modules(scopes);
  return modules;
}

/// The node that makes the value, or else the first node that reads it.
NodeId maker_or_reader(const Graph& graph, ValueId value) {
  const NodeId maker = graph.topology().producer[value];
  if (maker.valid()) return maker;
  const auto readers = graph.topology().readers[value];
  return readers.empty() ? NodeId() : *std::ranges::min_element(readers);
}

/// The parameter of each value that is a parameter's gradient.
std::map<ValueId, ValueId> parameters_by_gradient(const Study& study) {
  std::map<ValueId, ValueId> parameters;
  for (const Parameter& each : study.prepared->step.parameters) {
    if (each.gradient.valid()) parameters.emplace(each.gradient, each.value);
  }
  return parameters;
}

}  // namespace

IdVector<BufferId, NodeId> home_nodes(const Study& study, const Variant& variant) {
  const std::map<ValueId, ValueId> parameters = parameters_by_gradient(study);
  IdVector<BufferId, NodeId> nodes;
  for (const Buffer& buffer : variant.timeline.buffers) {
    const ValueId value = variant.dataflow.origin(buffer.root);
    const auto parameter = parameters.find(value);
    nodes.push_back(
        maker_or_reader(study.graph(), parameter == parameters.end() ? value : parameter->second));
  }
  return nodes;
}

TensorHomes tensor_homes(const Study& study, const Variant& variant) {
  TensorHomes homes;
  homes.modules = modules_of(study);
  homes.band = band_of_buffers(study, variant);
  homes.spans = band_spans(variant.dataflow, study.prepared->rules, variant.timeline,
                           variant.forward_slots, study.prepared->step.boundary.yield);
  homes.node = home_nodes(study, variant);
  return homes;
}

}  // namespace stashscope
