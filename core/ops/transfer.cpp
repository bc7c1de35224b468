// Copies between the device and its host. The reference runtime places these operators itself.

#include "core/ops/families.h"
#include "core/ops/rules.h"

namespace stashscope {

void add_transfer_ops(OpRegistry& registry) {
  registry.add({.type = "MemcpyToHost",
                .versions = {1},
                .infer = infer_like_first_input,
                .flops = no_flops,
                .output_on_host = true});
  registry.add({.type = "MemcpyFromHost",
                .versions = {1},
                .infer = infer_like_first_input,
                .flops = no_flops});
}

}  // namespace stashscope
