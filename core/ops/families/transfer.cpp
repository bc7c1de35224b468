// Copies between the device and its host. ONNX Runtime inserts these operators by itself.

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

/// The bytes that are copied between device and host.
double bytes_of_first_input(const CostContext& cost) { return cost.bytes_of_input(0); }

}  // namespace

void add_transfer_ops(OpRegistry& registry) {
  registry.add({.type = "MemcpyToHost",
                .versions = {1},
                .operands = "X -> Y",
                .infer = infer_like_first_input,
                .flops = no_flops,
                .bytes = bytes_of_first_input,
                .unit = ComputeUnit::link,
                .output_on_host = true});
  registry.add({.type = "MemcpyFromHost",
                .versions = {1},
                .operands = "X -> Y",
                .infer = infer_like_first_input,
                .flops = no_flops,
                .bytes = bytes_of_first_input,
                .unit = ComputeUnit::link});
}

}  // namespace stashscope
