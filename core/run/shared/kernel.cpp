#include "core/run/shared/kernel.h"

namespace stashscope::kernels {

namespace {

std::string key_of(std::string_view domain, std::string_view type) {
  std::string key(domain);
  key += ':';
  key += type;
  return key;
}

}  // namespace

void KernelRegistry::add(std::string_view domain, std::string_view type, Kernel kernel) {
  kernels_.insert_or_assign(key_of(domain, type), kernel);
}

const Kernel* KernelRegistry::find(const Node& node) const {
  const auto found = kernels_.find(key_of(node.domain, node.op_type));
  return found == kernels_.end() ? nullptr : &found->second;
}

}  // namespace stashscope::kernels
