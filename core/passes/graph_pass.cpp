#include "core/passes/graph_pass.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/passes/infer_shapes.h"

namespace stashscope {

namespace {

constexpr std::array passes = {
    GraphPass{"keep_loss_only", "gives up all outputs but the loss", keep_loss_only, false},
    GraphPass{"fold_constants", "computes what is the same in every step", fold_constants},
    GraphPass{"clean_shapes", "removes nodes that change nothing and arithmetic on shapes",
              clean_shapes},
    GraphPass{"common_subexpressions", "computes only once what is computed twice",
              merge_common_subexpressions},
    GraphPass{"fuse_layer_normalization", "layer normalization as one operator",
              fuse_layer_normalization},
    GraphPass{"fuse_rms_normalization", "normalization without a mean as one operator",
              fuse_rms_normalization},
    GraphPass{"fuse_gelu", "Gelu, its approximations and SiLU as one operator", fuse_gelu},
    GraphPass{"fuse_bias_gelu", "a bias and the Gelu behind it as one operator", fuse_bias_gelu},
    GraphPass{"fuse_softmax_cross_entropy", "a log softmax and its loss as one operator",
              fuse_softmax_cross_entropy},
    GraphPass{"fuse_bias_softmax", "a bias and the softmax behind it as one operator",
              fuse_bias_softmax},
    GraphPass{"fuse_bias_dropout", "a bias, a dropout and a residual as one operator",
              fuse_bias_dropout},
    GraphPass{"label_positions",
              "hands the loss only positions that have a label; for move_upstream", label_positions,
              false, "labelled_positions"},
    GraphPass{"move_upstream", "keeps of a result only what is read, before it is computed",
              move_upstream},
    GraphPass{"fuse_matmul", "transposed and scaled operands become part of a matrix product",
              fuse_matmul},
};

/// Follows from the choice of a precision instead of being chosen by name.
constexpr GraphPass mixed_precision = {mixed_precision_name,
                                       "computes matrix products and what follows them in 16 bits",
                                       mix_precision};

bool is_selected(const GraphPass& pass, const PassSelection& selection) {
  return selection.names.contains(std::string(pass.name));
}

void apply(const GraphPass& pass, Graph& graph, const PassContext& context,
           std::vector<PassResult>& results) {
  Rewriter rewriter(graph, parameter_candidates(graph, context.goal));
  PassResult result{std::string(pass.name), pass.apply(rewriter, context), graph.nodes().size(),
                    graph.nodes().size()};
  if (result.changed > 0) {
    graph = pass.added_dims.empty() ? rewriter.finish() : infer_shapes(rewriter.finish());
    result.nodes_after = graph.nodes().size();
  }
  results.push_back(std::move(result));
}

}  // namespace

std::span<const GraphPass> graph_passes() { return passes; }

const GraphPass& find_pass(const std::string& name) {
  std::vector<std::string> names;
  for (const GraphPass& pass : passes) {
    if (pass.name == name) return pass;
    names.emplace_back(pass.name);
  }
  fail_usage("pass '" + printable(name) + "'", "does not exist",
             "choose among " + join(names, ", "));
}

bool is_added_dim(std::string_view name) {
  return std::any_of(passes.begin(), passes.end(), [&](const GraphPass& pass) {
    return !pass.added_dims.empty() && name.starts_with(pass.added_dims);
  });
}

Graph apply_passes(const Graph& graph, const TrainingGoal& goal, const PassSelection& selection,
                   std::vector<PassResult>& results) {
  for (const std::string& name : selection.names) find_pass(name);
  const PassContext context{goal, selection};
  Graph changed = graph;
  for (const GraphPass& pass : passes) {
    if (is_selected(pass, selection)) apply(pass, changed, context, results);
  }
  if (selection.precision != ElementType::undefined) {
    apply(mixed_precision, changed, context, results);
  }
  return changed;
}

}  // namespace stashscope
