#include "core/run/cuda/lowering.h"

#include "core/run/cpu/dispatch.h"
#include "core/run/cuda/families.h"

namespace stashscope::cuda {

namespace {

std::string key_of(std::string_view domain, std::string_view type) {
  return std::string(domain) + ":" + std::string(type);
}

CudaKernelRegistry make_standard() {
  CudaKernelRegistry registry;
  for (const auto add : kernel_families) add(registry);
  return registry;
}

}  // namespace

std::vector<std::int64_t> LoweringContext::integers(std::size_t input) const {
  if (input >= contents.size() || !contents[input].present()) {
    fail_run("", "input " + std::to_string(input) + " must be known before the step runs");
  }
  return cpu::as_integers(contents[input]);
}

const CudaKernelRegistry& CudaKernelRegistry::standard() {
  static const CudaKernelRegistry registry = make_standard();
  return registry;
}

void CudaKernelRegistry::add(std::string_view domain, std::string_view type, CudaKernel kernel) {
  kernels_.insert_or_assign(key_of(domain, type), std::move(kernel));
}

const CudaKernel* CudaKernelRegistry::find(const Node& node) const {
  const auto found = kernels_.find(key_of(node.domain, node.op_type));
  return found == kernels_.end() ? nullptr : &found->second;
}

}  // namespace stashscope::cuda
