#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/micro_batches.h"
#include "core/graph/parameter.h"
#include "core/passes/what_if/what_if.h"

namespace stashscope {

/// The name of the what-if in options and files.
constexpr std::string_view micro_batches_name = "micro";

/// The number of micro-batches as it is written in files. Throws a usage Error unless it is a
/// number from 1 to 4096.
std::string micro_batch_count(const std::string& text);
std::string micro_batch_words(const std::string& count);

/// The batch of a forward model, as far as its inputs show.
struct BatchAxis {
  SymbolId batch;               ///< invalid if the batch cannot be split
  std::vector<ValueId> inputs;  ///< graph inputs whose first axis is the batch
  std::vector<WhatIfStop> stopped_by;
  std::vector<std::string> notes{};  ///< one sentence each
};

/// Finds the batch: the named dimension that is the first axis of an input. Of several such
/// dimensions, it is the one whose name stands for samples, such as `batch`. A dimension whose name
/// stands for something else, such as `seq`, is no batch. The batch cannot be split if an input has
/// it in another axis or a value has it twice in its shape.
/// @param trained the values that training changes
BatchAxis find_batch(const Graph& model, const std::vector<ValueId>& trained);

/// The step of one micro-batch: sizes are formulas of the whole batch, and each gradient is added
/// to a buffer that the step keeps. The sums get the names of the gradients, and replace them in
/// `parameters` and among the outputs.
/// @param step a step with inferred shapes and backward pass
/// @param split without sums; its count is at least 2
Graph micro_step(const Graph& step, std::vector<Parameter>& parameters, MicroBatches split);

/// Notes that batch normalizations of a forward model give other results for micro-batches than for
/// the whole batch; one sentence, or none without such nodes.
std::vector<std::string> micro_batch_notes(const Graph& model);

}  // namespace stashscope
