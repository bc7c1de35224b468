#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// The sum of a parameter's gradients over the micro-batches of a step.
struct GradientSum {
  ValueId buffer;     ///< the graph input that holds the sum so far; zeros before the step
  ValueId gradient;   ///< the gradient of one micro-batch
  ValueId parameter;  ///< the parameter; the sum has its dims
};

/// How a step is split: the graph computes one micro-batch and runs `count` times in a step. In the
/// graph's sizes, the dimension `batch` is the size of the whole batch, so a micro-batch has the
/// size batch / count.
struct MicroBatches {
  std::int64_t count = 1;  ///< at least 2; divides the batch
  SymbolId batch;
  std::vector<ValueId> inputs;  ///< graph inputs whose first axis holds the samples
  std::vector<ValueId> losses;  ///< graph outputs whose sum over the micro-batches is the result
  std::vector<GradientSum> sums;
};

/// The number of times that the graph runs in a step; 1 unless the step is split.
inline std::int64_t runs_in_step(const Graph& graph) {
  const MicroBatches* const split = graph.data().micro_batches.get();
  return split == nullptr ? 1 : split->count;
}

}  // namespace stashscope
