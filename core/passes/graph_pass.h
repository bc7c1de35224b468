#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/passes/pass_selection.h"
#include "core/passes/rewriter.h"
#include "core/passes/training_goal.h"

namespace stashscope {

/// What a pass is given beside the graph.
struct PassContext {
  const TrainingGoal& goal;
  const PassSelection& selection;
};

/// A change of forward models that keeps what they compute.
struct GraphPass {
  std::string_view name;
  std::string_view description;
  /// Returns how often the pass found what it looks for.
  std::size_t (*apply)(Rewriter&, const PassContext&);
  bool among_all = true;  ///< false: not every user wants it
  /// How the names of dims start that the pass adds and that only the operators' rules can tell;
  /// empty: it adds none.
  std::string_view added_dims = {};
};

/// The passes in the order they are applied.
std::span<const GraphPass> graph_passes();

/// Throws a usage Error that lists the names when there is no such pass.
const GraphPass& find_pass(const std::string& name);

/// Whether a name is one of a dim that some pass adds.
bool is_added_dim(std::string_view name);

/// The name of the pass that the choice of a precision switches on.
constexpr std::string_view mixed_precision_name = "mixed_precision";

/// Applies the selected passes one after the other. @param graph a forward model with inferred
/// shapes; the result needs to be inferred again. Throws a usage Error for a pass that does not
/// exist, an input Error for a goal that does not fit.
Graph apply_passes(const Graph& graph, const TrainingGoal& goal, const PassSelection& selection,
                   std::vector<PassResult>& results);

// One file per pass; `graph_passes` lists them.
std::size_t keep_loss_only(Rewriter&, const PassContext&);
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
