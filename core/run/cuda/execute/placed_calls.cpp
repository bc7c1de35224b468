#include "core/run/cuda/execute/placed_calls.h"

#include <algorithm>

namespace stashscope::cuda {

namespace {

/// Turns a lowered call into a call that holds the places of its operands.
struct Placement {
  Device& device;
  KernelTexts& texts;
  const std::vector<NodePlaces>& places;
  ProgramStep& step;

  Place at(const Operand& operand) const { return at(operand, 0); }

  Place at(const Operand& operand, std::int64_t offset_bytes) const {
    Place result = start_of(operand);
    result.offset += operand.offset + offset_bytes;
    return result;
  }

  Place start_of(const Operand& operand) const {
    if (operand.kind == Operand::Kind::scratch) return {Place::Kind::scratch, operand.index, 0};
    const NodePlaces& member = places[operand.member];
    return operand.kind == Operand::Kind::input ? member.inputs[operand.index]
                                                : member.outputs[operand.index];
  }

  PlacedCall operator()(const KernelCall& call) const {
    PlacedKernel result{KernelId(texts.add(call.text, call.shape.threads)), call.shape, {}};
    for (const Operand& operand : call.operands) result.operands.push_back(at(operand));
    return result;
  }

  PlacedCall operator()(const MatmulCall& call) const {
    const auto bytes = [&](std::int64_t elements) {
      return packed_bytes(call.shape.element, elements);
    };
    PlacedMatmul result{device.prepare(call.shape), at(call.a, bytes(call.offset_a)),
                        at(call.b, bytes(call.offset_b)), Place(),
                        at(call.d, bytes(call.offset_d))};
    if (call.bias) result.bias = at(*call.bias);
    need_workspace(device.workspace_bytes(result.matmul));
    return result;
  }

  PlacedCall operator()(const ConvolutionCall& call) const {
    PlacedConvolution result{device.prepare(call.shape), {}};
    std::ranges::transform(call.operands, result.operands.begin(),
                           [&](const Operand& operand) { return at(operand); });
    need_workspace(device.workspace_bytes(result.convolution));
    return result;
  }

  PlacedCall operator()(const CopyCall& call) const {
    return PlacedCopy{at(call.from), at(call.to), call.bytes};
  }

  PlacedCall operator()(const RowCopyCall& call) const {
    return PlacedRowCopy{call.shape, at(call.from, call.from_offset), at(call.to, call.to_offset)};
  }

  PlacedCall operator()(const ZeroCall& call) const { return PlacedZero{at(call.to), call.bytes}; }

  void need_workspace(std::int64_t bytes) const {
    step.workspace_bytes = std::max(step.workspace_bytes, bytes);
  }
};

void resolve_kernels(ProgramStep& step, const std::vector<KernelId>& kernels) {
  for (PlacedCall& call : step.calls) {
    auto* const kernel = std::get_if<PlacedKernel>(&call);
    if (kernel != nullptr) kernel->kernel = kernels[kernel->kernel.index()];
  }
}

}  // namespace

void CallPlacer::add(const Lowered& lowered, const std::vector<NodePlaces>& places,
                     ProgramStep& step) {
  if (!lowered.scratch_bytes.empty()) step.scratch_bytes = lowered.scratch_bytes;
  const Placement placement{device_, texts_, places, step};
  for (const Call& call : lowered.calls) step.calls.push_back(std::visit(placement, call));
}

void CallPlacer::compile(Program& program) const {
  const std::vector<KernelId> kernels = texts_.compile(device_);
  for (ProgramStep& step : program.steps) resolve_kernels(step, kernels);
  resolve_kernels(program.updates, kernels);
}

}  // namespace stashscope::cuda
