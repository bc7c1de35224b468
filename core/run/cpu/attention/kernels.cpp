#include "core/run/cpu/attention/kernels.h"

#include "core/run/cpu/attention/attention.h"

namespace stashscope::cpu {

void add_attention_kernels(KernelRegistry& registry) {
  registry.add("", "Attention", {attention});
  registry.add("com.microsoft", "AttentionGrad", {attention_grad});
  registry.add("com.microsoft", "FusedAttention", {fused_attention});
  registry.add("com.microsoft", "FusedAttentionGrad", {fused_attention_grad});
  registry.add("", "RotaryEmbedding", {rotary_embedding});
  registry.add("", "LinearAttention", {linear_attention});
}

}  // namespace stashscope::cpu
