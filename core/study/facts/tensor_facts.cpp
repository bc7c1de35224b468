#include "core/study/facts/tensor_facts.h"

#include "core/base/text.h"

namespace stashscope {

namespace {

std::string_view role_name(ValueRole role) {
  switch (role) {
    case ValueRole::input:
      return "input";
    case ValueRole::parameter:
      return "parameter";
    case ValueRole::constant:
      return "constant";
    case ValueRole::gradient:
      return "gradient";
    case ValueRole::optimizer_state:
      return "optimizer state";
    case ValueRole::activation:
      return "activation";
  }
  return "";
}

}  // namespace

std::string type_text(const Graph& graph, const TensorType& type) {
  std::string shape = "[";
  if (type.shape) {
    for (const Expr& dim : *type.shape) {
      if (shape.size() > 1) shape += ", ";
      shape += to_valid_utf8(to_string(dim, graph.symbols()));
    }
  }
  return shape + "] " + std::string(name_of(type.element));
}

AliveTensor describe_buffer(const Study& study, const Variant& variant, BufferId id) {
  const Buffer& buffer = variant.timeline.buffers[id];
  const ValueId origin = variant.dataflow.origin(buffer.root);
  const ValueRole role = study.prepared->rules.role[origin];
  return {name_of(study.graph(), variant.dataflow, buffer),
          type_text(study.graph(), type_of(study.graph(), variant.dataflow, buffer)),
          std::string(buffer.state ? "optimizer state" : role_name(role)), buffer.bytes};
}

std::vector<AliveTensor> largest_at_peak(const Study& study, const Variant& variant,
                                         std::size_t limit) {
  std::vector<AliveTensor> tensors;
  for (const BufferId id : alive_at(variant.timeline, variant.timeline.peak_slot)) {
    if (tensors.size() == limit) break;
    tensors.push_back(describe_buffer(study, variant, id));
  }
  return tensors;
}

}  // namespace stashscope
