#include "core/study/facts/given_tensors.h"

#include <set>

#include "core/graph/captured_step.h"
#include "core/study/facts/node_facts.h"

namespace stashscope {

namespace {

std::optional<TensorOfParameter> gradient_of(const Study& study, ValueId parameter) {
  for (const Parameter& each : study.prepared->step.parameters) {
    if (each.value != parameter || !each.gradient.valid()) continue;
    const StoredValue stored = stored_value(study, each.gradient);
    return TensorOfParameter{study.graph().value(each.gradient).name, stored.type.element,
                             stored.bytes,
                             study.current->dataflow.topology.producer[each.gradient]};
  }
  return std::nullopt;
}

/// The states of the optimizer that the user chose.
std::vector<TensorOfParameter> chosen_states(const Study& study, ValueId parameter) {
  std::vector<TensorOfParameter> states;
  for (const Buffer& buffer : study.current->timeline.buffers) {
    if (!buffer.state || buffer.root != parameter) continue;
    states.push_back({std::string(buffer.state->name), buffer.state->element, buffer.bytes, {}});
  }
  return states;
}

/// Whether a tensor of a captured step is a state of the parameter: `weight.exp_avg` is a state of
/// `weight`.
bool is_state_of(const Study& study, const std::string& parameter, ValueId value) {
  const std::string& name = study.graph().value(value).name;
  return study.prepared->rules.role[value] == ValueRole::optimizer_state &&
         name.starts_with(parameter + ".") &&
         name.find('.', parameter.size() + 1) == std::string::npos;
}

/// The states of the optimizer in a captured step. If the step makes a state, the storage of the
/// state holds several tensors one after the other: the last tensor has the name of the state, and
/// the first tensor is an output of the node that allocated the storage.
std::vector<TensorOfParameter> captured_states(const Study& study, ValueId parameter) {
  const std::string& name = study.graph().value(parameter).name;
  const CapturedStep& captured = *study.graph().data().captured;
  std::set<StorageId> known;
  std::vector<TensorOfParameter> states;
  for (const ValueId value : IdRange<ValueId>(study.graph().values().size())) {
    if (!is_state_of(study, name, value)) continue;
    const StorageId storage = captured.storage_of[value];
    if (!known.insert(storage).second) continue;
    const ValueId root = captured.storages[storage].root;
    const StoredValue stored = stored_value(study, root);
    states.push_back({study.graph().value(value).name.substr(name.size() + 1), stored.type.element,
                      stored.bytes, study.current->dataflow.topology.producer[root]});
  }
  return states;
}

}  // namespace

std::int64_t GivenTensor::bytes_in_all() const {
  std::int64_t sum = bytes + (gradient ? gradient->bytes : 0);
  for (const TensorOfParameter& state : states) sum += state.bytes;
  return sum;
}

GivenTensor given_tensor(const Study& study, ValueId value) {
  GivenTensor given;
  given.role = study.prepared->rules.role[value];
  given.bytes = stored_value(study, value).bytes;
  if (given.role != ValueRole::parameter) return given;
  given.gradient = gradient_of(study, value);
  given.states = study.graph().data().captured == nullptr ? chosen_states(study, value)
                                                          : captured_states(study, value);
  return given;
}

std::vector<ValueId> given_tensors(const Study& study) {
  std::vector<ValueId> given = study.graph().data().inputs;
  for (const Initializer& each : study.graph().data().initializers) {
    if (!each.is_literal) given.push_back(each.value);
  }
  return given;
}

}  // namespace stashscope
