#pragma once

#include <optional>

#include "core/graph/micro_batches.h"
#include "core/run/step/runner.h"

namespace stashscope {

/// The sum of gradients that this graph input holds; null for every other value.
const GradientSum* gradient_sum_in(const Graph& graph, ValueId value);

/// Whether the graph input holds the samples of a micro-batch, not of the whole batch.
bool is_split_input(const Graph& graph, ValueId value);

Tensor zeros(ElementType element, const std::vector<std::int64_t>& dims);

/// The samples of one micro-batch. Throws an input Error if the size of the tensor's first axis is
/// not a multiple of the number of micro-batches.
/// @param index the number of the micro-batch, from 0
Tensor micro_batch_of(const Graph& graph, const Value& value, const Tensor& whole,
                      std::int64_t index);

/// Combines the measurements of two consecutive parts of a step: takes the larger number of bytes,
/// and adds times. The sizes of data-dependent dims are those of `second`.
Measurement in_one_step(Measurement first, const Measurement& second);

/// Collects the outputs of a step from those of its micro-batches. Outputs with an axis of samples
/// are joined along this axis, and losses are added up. Every other output is taken from the last
/// micro-batch. For gradients this is right, because the last micro-batch returns the sums over all
/// micro-batches. Keeps a reference to the graph.
class MicroOutputs {
 public:
  /// @param graph a graph that is split into micro-batches
  explicit MicroOutputs(const Graph& graph) : graph_(graph), left_(runs_in_step(graph)) {}

  /// Adds the outputs of the next micro-batch.
  void add(NamedTensors outputs);
  NamedTensors take() { return std::move(all_); }

 private:
  bool is_loss(ValueId output) const;
  std::optional<std::size_t> axis_of_samples(ValueId output) const;

  const Graph& graph_;
  std::int64_t left_;  ///< micro-batches to come
  NamedTensors all_;
};

}  // namespace stashscope
