#include "core/study/facts/tensor_facts.h"

#include "core/base/text.h"
#include "core/study/facts/named_sizes.h"

namespace stashscope {

std::string_view name_of(ValueRole role) {
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
    case ValueRole::gathered_parameter:
      return "gathered parameter";
    case ValueRole::activation:
      return "activation";
  }
  return "";
}

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

std::string sized_type_text(const Study& study, const TensorType& type) {
  if (!type.shape) return "shape unknown, " + std::string(name_of(type.element));
  std::string shape;
  for (const Expr& dim : *type.shape) {
    const auto size = dim.evaluate(study.sizes->dims.bindings);
    if (!shape.empty()) shape += ", ";
    shape += size ? std::to_string(*size) : to_valid_utf8(to_string(dim, study.graph().symbols()));
  }
  return "[" + shape + "] " + std::string(name_of(type.element));
}

std::string named_shape_text(const Study& study, const TensorType& type) {
  const SizeWords words = size_words(study);
  std::string shape;
  bool is_formula = false;
  for (const Expr& dim : type.shape.value_or(Shape())) {
    is_formula |= !dim.is_constant();
    if (!shape.empty()) shape += ", ";
    shape += in_words(to_valid_utf8(to_string(dim, study.graph().symbols())), words);
  }
  return is_formula ? "[" + shape + "]" : "";
}

AliveTensor describe_buffer(const Study& study, const Variant& variant, BufferId id) {
  const Buffer& buffer = variant.timeline.buffers[id];
  const ValueId origin = variant.dataflow.origin(buffer.root);
  const ValueRole role = study.prepared->rules.role[origin];
  const TensorType type = type_of(study.graph(), variant.dataflow, buffer);
  return {name_of(study.graph(), variant.dataflow, buffer), type_text(study.graph(), type),
          sized_type_text(study, type),
          std::string(buffer.state ? "optimizer state" : name_of(role)), buffer.bytes};
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
