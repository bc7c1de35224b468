#include "core/passes/graph_pass.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/passes/infer_shapes.h"

namespace stashscope {

namespace {

constexpr std::array passes = {
    GraphPass{"keep_loss_only", "Keep only the loss", "drops all outputs except the loss",
              keep_loss_only, false},
    GraphPass{"train_normalizations", "Train batch normalizations",
              "puts batch normalizations exported for inference back into training mode",
              train_normalizations, false},
    GraphPass{"fold_constants", "Fold constants",
              "turns values that are the same in every step into constants", fold_constants},
    GraphPass{"clean_shapes", "Clean up shapes",
              "removes arithmetic on known shapes, and nodes without effect", clean_shapes},
    GraphPass{"common_subexpressions", "Merge equal computations",
              "merges nodes that compute the same value", merge_common_subexpressions},
    GraphPass{"fuse_layer_normalization", "Fuse layer normalization",
              "fuses layer normalization into one operator", fuse_layer_normalization},
    GraphPass{"fuse_rms_normalization", "Fuse RMS normalization",
              "fuses RMS normalization (without a mean) into one operator", fuse_rms_normalization},
    GraphPass{"fuse_gelu", "Fuse Gelu and SiLU",
              "fuses Gelu, its approximations and SiLU into one operator", fuse_gelu},
    GraphPass{"fuse_bias_gelu", "Fuse bias and Gelu",
              "fuses a bias and the Gelu after it into one operator", fuse_bias_gelu},
    GraphPass{"fuse_softmax_cross_entropy", "Fuse softmax and cross entropy",
              "fuses a log softmax and its loss into one operator", fuse_softmax_cross_entropy},
    GraphPass{"fuse_bias_softmax", "Fuse bias and softmax",
              "fuses a bias and the softmax after it into one operator", fuse_bias_softmax},
    GraphPass{"fuse_bias_dropout", "Fuse bias, dropout and residual",
              "fuses a bias, a dropout and a residual into one operator", fuse_bias_dropout},
    GraphPass{
        "label_positions", "Use only labelled positions",
        "passes only labelled positions to the loss; move_upstream can move this selection up",
        label_positions, false, "labelled_positions"},
    GraphPass{"move_upstream", "Move Slice and Gather up",
              "moves Slice and Gather above the nodes whose results they reduce", move_upstream},
    GraphPass{"fuse_matmul", "Fold nodes into matrix products",
              "folds transpositions and scale factors into matrix products", fuse_matmul},
};

/// The user selects this pass by choosing a precision, not by its name.
constexpr GraphPass mixed_precision = {
    mixed_precision_name, "Mixed precision",
    "computes matrix products and most nodes after them in 16 bits", mix_precision};

bool is_selected(const GraphPass& pass, const PassSelection& selection) {
  return selection.names.contains(std::string(pass.name));
}

void apply(const GraphPass& pass, const PassContext& context, PassedModel& model) {
  Rewriter rewriter(model.graph, parameter_candidates(model.graph, context.goal));
  const std::size_t nodes = model.graph.nodes().size();
  PassResult result{std::string(pass.name), pass.apply(rewriter, context), nodes, nodes};
  if (result.changed > 0) {
    model.graph = pass.added_dims.empty() ? rewriter.finish() : infer_shapes(rewriter.finish());
    result.nodes_after = model.graph.nodes().size();
  }
  model.passes.push_back(std::move(result));
}

/// The first pass that fuses nodes.
constexpr std::string_view first_fusion = "fuse_layer_normalization";

void apply_what_ifs(const PassContext& context, PassedModel& model) {
  const WhatIfChoices& choices = context.selection.what_ifs;
  if (choices.empty()) return;
  for (const auto& [name, value] : choices) find_what_if(name).canonical(value);
  model.graph = infer_shapes(model.graph);
  // Shapes are inferred after each what-if, because the next one reads them.
  for (const WhatIf& each : what_ifs()) {
    const auto chosen = choices.find(std::string(each.name));
    if (chosen == choices.end() || each.apply == nullptr) continue;
    model.graph = infer_shapes(apply_what_if(
        model.graph, each, chosen->second, parameter_candidates(model.graph, context.goal),
        loss_outputs(model.graph, context.goal), model.what_ifs));
  }
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
  const auto adds = [&](const auto& each) {
    return !each.added_dims.empty() && name.starts_with(each.added_dims);
  };
  return std::ranges::any_of(passes, adds) || std::ranges::any_of(what_ifs(), adds);
}

PassedModel apply_passes(const Graph& graph, const TrainingGoal& goal,
                         const PassSelection& selection) {
  for (const std::string& name : selection.names) find_pass(name);
  const PassContext context{goal, selection};
  PassedModel model{graph, {}, {}};
  for (const GraphPass& pass : passes) {
    if (pass.name == first_fusion) apply_what_ifs(context, model);
    if (is_selected(pass, selection)) apply(pass, context, model);
  }
  if (selection.precision != ElementType::undefined) apply(mixed_precision, context, model);
  return model;
}

}  // namespace stashscope
