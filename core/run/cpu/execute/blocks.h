#pragma once

#include <vector>

#include "core/run/cpu/primitives/shared_names.h"

namespace stashscope::cpu {

/// Elements of a block at most: what several nodes work on in turn then stays in the cache.
constexpr std::int64_t block_elements = 4096;

/// A tensor that is worked on block by block.
struct BlockOperand {
  TensorView view;
  bool in_scratch = false;  ///< only the current block of it is there
};

/// A pointwise node of a group that runs as one.
struct BlockTask {
  const Kernel* kernel;
  const Node* node;
  std::int64_t version;  ///< since-version of the operator
  std::vector<BlockOperand> inputs;
  BlockOperand output;
};

/// Runs the tasks in turn on every block of tensors of `elements` elements; operands of a single
/// element are the same for all blocks. Throws an Error that names the node.
void run_in_blocks(const std::vector<BlockTask>& tasks, std::int64_t elements);

}  // namespace stashscope::cpu
