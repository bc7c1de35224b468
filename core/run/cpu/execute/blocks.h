#pragma once

#include <vector>

#include "core/run/cpu/primitives/shared_names.h"

namespace stashscope::cpu {

/// Largest number of elements in a block. It is so small that the blocks of all operands of several
/// nodes stay in the cache.
constexpr std::int64_t block_elements = 4096;

/// An operand of a node that processes its tensors block by block.
struct BlockOperand {
  TensorView view;
  bool in_scratch = false;  ///< the memory holds only the current block
};

/// A pointwise node of a fused group.
struct BlockTask {
  const Kernel* kernel;
  const Node* node;
  std::int64_t version;  ///< since-version of the operator
  std::vector<BlockOperand> inputs;
  BlockOperand output;
};

/// Divides tensors of `elements` elements into blocks and runs all tasks in turn on each block. An
/// operand with a single element is passed whole with every block. Throws an Error that names the
/// node that failed.
void run_in_blocks(const std::vector<BlockTask>& tasks, std::int64_t elements);

}  // namespace stashscope::cpu
