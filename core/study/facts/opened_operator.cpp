#include "core/study/facts/opened_operator.h"

namespace stashscope {

namespace {

/// Whether the backward pass puts this operator in the place of another one.
bool replaces_another(const Node& node) {
  return node.op_type == "BatchNormInternal" || node.op_type == "SimplifiedLayerNormalization";
}

std::optional<NodeId> opened_node(const Study& study, const Node& node) {
  if (!node.name.empty()) return study.model->find_node(node.name);
  const std::string& output = study.graph().value(node.outputs.front()).name;
  const std::optional<ValueId> value = study.model->find_value(output);
  if (!value || !study.model->value(*value).producer.valid()) return std::nullopt;
  return study.model->value(*value).producer;
}

}  // namespace

const std::string& opened_operator(const Study& study, NodeId node) {
  const Node& own = study.graph().node(node);
  if (!replaces_another(own)) return own.op_type;
  const std::optional<NodeId> opened = opened_node(study, own);
  return opened ? study.model->node(*opened).op_type : own.op_type;
}

std::map<NodeId, std::string> opened_operators(const Study& study) {
  std::map<NodeId, std::string> names;
  for (const NodeId node : IdRange<NodeId>(study.graph().nodes().size())) {
    const std::string& name = opened_operator(study, node);
    if (name != study.graph().node(node).op_type) names.emplace(node, name);
  }
  return names;
}

}  // namespace stashscope
