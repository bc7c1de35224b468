#pragma once

#include <vector>

#include "core/run/cpu/primitives/shared_names.h"

namespace stashscope::cpu {

/// Largest block, in elements: small enough that what several nodes process in turn stays in the
/// cache.
constexpr std::int64_t block_elements = 4096;

/// A tensor that is processed block by block.
struct BlockOperand {
  TensorView view;
  bool in_scratch = false;  ///< holds only the current block
};

/// A pointwise node of a fused group.
struct BlockTask {
  const Kernel* kernel;
  const Node* node;
  std::int64_t version;  ///< since-version of the operator
  std::vector<BlockOperand> inputs;
  BlockOperand output;
};

/// Runs the tasks in turn on every block of tensors of `elements` elements. Every block sees the
/// whole of an operand that has a single element. Throws an Error that names the node.
void run_in_blocks(const std::vector<BlockTask>& tasks, std::int64_t elements);

}  // namespace stashscope::cpu
