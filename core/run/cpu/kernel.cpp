#include "core/run/cpu/kernel.h"

#include "core/run/cpu/families.h"

namespace stashscope::cpu {

namespace {

std::string key_of(std::string_view domain, std::string_view type) {
  std::string key(domain);
  key += ':';
  key += type;
  return key;
}

KernelRegistry filled() {
  KernelRegistry registry;
  for (const auto& add_family : kernel_families) add_family(registry);
  return registry;
}

}  // namespace

const KernelRegistry& KernelRegistry::standard() {
  static const KernelRegistry registry = filled();
  return registry;
}

void KernelRegistry::add(std::string_view domain, std::string_view type, Kernel kernel) {
  kernels_.insert_or_assign(key_of(domain, type), kernel);
}

const Kernel* KernelRegistry::find(const Node& node) const {
  const auto found = kernels_.find(key_of(node.domain, node.op_type));
  return found == kernels_.end() ? nullptr : &found->second;
}

}  // namespace stashscope::cpu
