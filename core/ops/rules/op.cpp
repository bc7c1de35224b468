#include "core/ops/rules/op.h"

#include <algorithm>

namespace stashscope {

namespace {

std::string key_of(std::string_view domain, std::string_view type) {
  std::string key(domain == "ai.onnx" ? std::string_view() : domain);
  key += ':';
  key += type;
  return key;
}

double count(const std::vector<std::int64_t>& dims) {
  double product = 1;
  for (const std::int64_t dim : dims) product *= static_cast<double>(dim);
  return product;
}

}  // namespace

const std::vector<std::int64_t>& CostContext::input_dims(std::size_t index) const {
  static const std::vector<std::int64_t> none;
  return index < inputs.size() ? inputs[index] : none;
}

double CostContext::input_elements(std::size_t index) const {
  return index < inputs.size() ? count(inputs[index]) : 0;
}

double CostContext::output_elements(std::size_t index) const {
  return index < outputs.size() ? count(outputs[index]) : 0;
}

double CostContext::bytes_of_input(std::size_t index) const {
  return index < input_bytes.size() ? static_cast<double>(input_bytes[index]) : 0;
}

double CostContext::bytes_of_output(std::size_t index) const {
  return index < output_bytes.size() ? static_cast<double>(output_bytes[index]) : 0;
}

double flops_of(const Op* op, const CostContext& cost) {
  if (op != nullptr && op->flops != nullptr) return op->flops(cost);
  return cost.outputs.empty() ? 0 : cost.output_elements();
}

double bytes_moved(const Op* op, const CostContext& cost) {
  if (op != nullptr && op->bytes != nullptr) return op->bytes(cost);
  double bytes = 0;
  const auto& inputs = cost.node.inputs;
  for (std::size_t i = 0; i < cost.input_bytes.size(); ++i) {
    const auto earlier = inputs.begin() + static_cast<std::ptrdiff_t>(std::min(i, inputs.size()));
    const bool is_repeated =
        i < inputs.size() && std::find(inputs.begin(), earlier, inputs[i]) != earlier;
    if (!is_repeated) bytes += cost.bytes_of_input(i);
  }
  for (std::size_t i = 0; i < cost.output_bytes.size(); ++i) bytes += cost.bytes_of_output(i);
  return bytes;
}

void OpRegistry::add(Op op) {
  std::string key = key_of(op.domain, op.type);
  ops_.insert_or_assign(std::move(key), std::move(op));
}

void OpRegistry::add_captured(Op op) {
  std::string key = key_of(op.domain, op.type);
  captured_.insert_or_assign(std::move(key), std::move(op));
}

const Op* OpRegistry::find(std::string_view domain, std::string_view type) const {
  const std::string key = key_of(domain, type);
  if (const auto found = ops_.find(key); found != ops_.end()) return &found->second;
  if (const auto found = captured_.find(key); found != captured_.end()) return &found->second;
  const auto any = captured_.find(key_of(domain.substr(0, domain.find('.')), any_type));
  return any == captured_.end() ? nullptr : &any->second;
}

std::int64_t since_version(const Op& op, std::int64_t opset) {
  std::int64_t since = 1;
  for (const std::int64_t version : op.versions) {
    if (version <= opset) since = version;
  }
  return since;
}

}  // namespace stashscope
