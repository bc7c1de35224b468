#include "core/run/cuda/codegen/lowering.h"

#include <algorithm>
#include <iterator>

#include "core/run/shared/dispatch.h"

namespace stashscope::cuda {

namespace {

std::string key_of(std::string_view domain, std::string_view type) {
  return std::string(domain) + ":" + std::string(type);
}

}  // namespace

std::vector<std::int64_t> LoweringContext::integers(std::size_t input) const {
  if (input >= contents.size() || !contents[input].present()) {
    fail_run("", "input " + std::to_string(input) +
                     " must have elements that are known before the training step runs");
  }
  return kernels::as_integers(contents[input]);
}

void Lowered::add(Call call) { calls.push_back(std::move(call)); }

Lowered single_call(Call call) {
  Lowered lowered;
  lowered.add(std::move(call));
  return lowered;
}

void append(Lowered& lowered, Lowered more) {
  std::ranges::move(more.calls, std::back_inserter(lowered.calls));
}

Lowered copied_input(const LoweringContext& context, std::size_t index) {
  const std::int64_t bytes = context.out().bytes();
  return bytes > 0 ? single_call(CopyCall{input(index), output(), bytes}) : Lowered();
}

bool is_host_input(const CudaKernel& kernel, const Node& node, std::size_t input) {
  const auto lists = [input](const std::vector<std::size_t>& indices) {
    return std::ranges::find(indices, input) != indices.end();
  };
  if (input >= kernel.host_inputs_from || lists(kernel.host_inputs)) return true;
  return kernel.more_host_inputs != nullptr && lists(kernel.more_host_inputs(node));
}

void CudaKernelRegistry::add(std::string_view domain, std::string_view type, CudaKernel kernel) {
  kernels_.insert_or_assign(key_of(domain, type), std::move(kernel));
}

const CudaKernel* CudaKernelRegistry::find(const Node& node) const {
  const auto found = kernels_.find(key_of(node.domain, node.op_type));
  return found == kernels_.end() ? nullptr : &found->second;
}

}  // namespace stashscope::cuda
