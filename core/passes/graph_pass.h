#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/passes/pass_selection.h"
#include "core/passes/rewriting/rewriter.h"
#include "core/passes/training_goal.h"

namespace stashscope {

/// The input that a pass gets in addition to the graph.
struct PassContext {
  const TrainingGoal& goal;
  const PassSelection& selection;
};

/// A rewrite of forward models. The passes of the selection `all` keep what the model computes.
struct GraphPass {
  std::string_view name;   ///< the name in options and files
  std::string_view title;  ///< the name in words
  std::string_view description;
  /// Returns the number of places that the pass changed.
  std::size_t (*apply)(Rewriter&, const PassContext&);
  bool among_all = true;  ///< false: the selection `all` leaves the pass out
  /// Prefix of the names of the data-dependent dims that the pass adds; empty: the pass adds no
  /// dims.
  std::string_view added_dims = {};
};

/// The passes in the order in which they are applied.
std::span<const GraphPass> graph_passes();

/// Throws a usage Error that lists the names when there is no such pass.
const GraphPass& find_pass(const std::string& name);

/// Whether a name has the prefix of a dim that a pass or a what-if adds.
bool is_added_dim(std::string_view name);

/// The name of the pass that the choice of a precision enables.
constexpr std::string_view mixed_precision_name = "mixed_precision";

/// A model after passes and what-ifs, with what each of them did. The graph needs inference again.
struct PassedModel {
  Graph graph;
  std::vector<PassResult> passes;
  std::vector<WhatIfResult> what_ifs;
};

/// Applies the selected passes in the order of `graph_passes`, then mixed precision. What-ifs are
/// applied after the passes that tidy up and before the passes that fuse, because what-ifs
/// recognize the nodes that exporters write. Throws a usage Error for an unknown pass or what-if,
/// and for a pattern of the goal that matches no weight.
/// @param graph a forward model with inferred shapes
PassedModel apply_passes(const Graph& graph, const TrainingGoal& goal,
                         const PassSelection& selection);

// All passes. `graph_passes` lists them, except mixed precision.
std::size_t keep_loss_only(Rewriter&, const PassContext&);
std::size_t train_normalizations(Rewriter&, const PassContext&);
std::size_t fold_constants(Rewriter&, const PassContext&);
std::size_t clean_shapes(Rewriter&, const PassContext&);
std::size_t merge_common_subexpressions(Rewriter&, const PassContext&);
std::size_t fuse_layer_normalization(Rewriter&, const PassContext&);
std::size_t fuse_rms_normalization(Rewriter&, const PassContext&);
std::size_t fuse_gelu(Rewriter&, const PassContext&);
std::size_t fuse_bias_gelu(Rewriter&, const PassContext&);
std::size_t fuse_softmax_cross_entropy(Rewriter&, const PassContext&);
std::size_t fuse_bias_softmax(Rewriter&, const PassContext&);
std::size_t fuse_bias_dropout(Rewriter&, const PassContext&);
std::size_t label_positions(Rewriter&, const PassContext&);
std::size_t move_upstream(Rewriter&, const PassContext&);
std::size_t fuse_matmul(Rewriter&, const PassContext&);
std::size_t mix_precision(Rewriter&, const PassContext&);

}  // namespace stashscope
