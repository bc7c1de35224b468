#include "core/run/cpu/execute/blocks.h"

namespace stashscope::cpu {

namespace {

struct Block {
  std::int64_t first;
  std::int64_t count;
  std::int64_t elements;  ///< number of elements of the whole tensors
};

TensorView in_block(const BlockOperand& operand, const Block& block) {
  const TensorView& whole = operand.view;
  if (whole.data == nullptr || whole.elements() != block.elements) return whole;
  const std::int64_t start = operand.in_scratch ? 0 : packed_bytes(whole.element, block.first);
  return {whole.element, {block.count}, whole.data + start};
}

void run_block(const BlockTask& task, const Block& block) {
  KernelContext context{*task.node, task.version, {}, {in_block(task.output, block)}, 0};
  for (const BlockOperand& input : task.inputs) context.inputs.push_back(in_block(input, block));
  try {
    task.kernel->run(context);
  } catch (const Error& error) {
    throw error.within("'" + task.node->name + "'");
  }
}

}  // namespace

void run_in_blocks(const std::vector<BlockTask>& tasks, std::int64_t elements) {
  // Divides the elements evenly among the blocks. Otherwise, the last block could have a single
  // element, which kernels may treat as a scalar.
  const std::int64_t blocks = (elements + block_elements - 1) / block_elements;
  for (std::int64_t i = 0; i < blocks; ++i) {
    const std::int64_t first = elements * i / blocks;
    const Block block{first, elements * (i + 1) / blocks - first, elements};
    for (const BlockTask& task : tasks) run_block(task, block);
  }
}

}  // namespace stashscope::cpu
