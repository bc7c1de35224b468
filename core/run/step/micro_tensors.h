#pragma once

#include <optional>

#include "core/graph/micro_batches.h"
#include "core/run/step/runner.h"

namespace stashscope {

/// The sum that is kept in this graph input; null for every other value.
const GradientSum* gradient_sum_in(const Graph& graph, ValueId value);

/// Whether the graph input holds the samples of a micro-batch, not of the whole batch.
bool is_split_input(const Graph& graph, ValueId value);

Tensor zeros(ElementType element, const std::vector<std::int64_t>& dims);

/// The samples of one micro-batch. Throws an input Error if the micro-batches of the graph do not
/// divide the tensor's first axis.
/// @param index the number of the micro-batch, from 0
Tensor micro_batch_of(const Graph& graph, const Value& value, const Tensor& whole,
                      std::int64_t index);

/// The measurement of a step from those of two micro-batches: the most bytes and the sums of the
/// times.
Measurement in_one_step(Measurement first, const Measurement& second);

/// Collects the outputs of a step from those of its micro-batches. Losses are added up, outputs
/// with samples are put together along the axis of the samples, and of every other output the last
/// one counts, which for a gradient is the sum. Keeps a reference to the graph.
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
