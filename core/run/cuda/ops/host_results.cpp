#include "core/run/cuda/ops/host_results.h"

#include "core/run/cpu/kernels/standard_kernels.h"
#include "core/run/cuda/codegen/call_text.h"

namespace stashscope::cuda {

namespace {

kernels::KernelContext host_context(const LoweringContext& context) {
  kernels::KernelContext host{context.node, context.version, context.contents, {}, context.seed};
  for (std::size_t i = 0; i < context.inputs.size(); ++i) {
    if (host.inputs[i].present()) continue;
    host.inputs[i] = {context.in(i).element, context.in(i).dims, nullptr};
  }
  return host;
}

KernelCall write_numbers(const LoweringContext& context, std::size_t index,
                         const std::vector<std::int64_t>& numbers) {
  CallText text;
  const std::string to = text.writes(context, index);
  std::string body;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    body += (i == 0 ? "" : ";\n  ") + to + "[" + std::to_string(i) + "] = Int64(" +
            std::to_string(static_cast<std::uint64_t>(numbers[i])) + "ULL)";
  }
  return text.call(body, {1, 1});
}

}  // namespace

Lowered lower_host_results(const LoweringContext& context) {
  kernels::KernelContext host = host_context(context);
  std::vector<std::vector<std::int64_t>> results;
  for (const OperandType& output : context.outputs) {
    if (output.present() && output.element != ElementType::int64)
      fail_run("", "its outputs must be int64, because the host computes them");
    results.emplace_back(output.present() ? output.elements() : 0);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const OperandType& output = context.out(i);
    host.outputs.push_back(
        {output.element, output.dims, reinterpret_cast<std::byte*>(results[i].data())});
  }
  cpu::standard_kernels().find(context.node)->run(host);
  Lowered lowered;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].empty()) lowered.add(write_numbers(context, i, results[i]));
  }
  return lowered;
}

}  // namespace stashscope::cuda
