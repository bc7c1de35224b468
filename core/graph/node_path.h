#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// A node's place in the model, read from the node's name or from what the exporter recorded.
struct NodePath {
  std::vector<std::string> scope;  ///< modules from the outside in: `transformer`, `h.0`, `attn`
  /// For a gradient node the text before `_Grad`: the name of its forward node or of one of that
  /// node's outputs. Else empty.
  std::string gradient_of;
};

/// Splits `h.0.attn` into `h.0` and `attn`: an index stays attached to the name of its list.
std::vector<std::string> dotted_parts(std::string_view text);

/// The path of a node. Its modules are those that the exporter recorded for the node, or else those
/// in the node's name.
NodePath path_of(const Node& node);

/// The full dotted name of the node's module, such as `model.layers.0.self_attn`. Empty if the
/// exporter did not record the module.
std::string module_of(const Node& node);

/// The name that equal blocks share: `h.*.attn` for the module `h.11.attn`. Each dotted part that
/// consists of digits only becomes `*`.
std::string block_pattern(std::string_view module);

/// The layer of a module is its outermost numbered module: `h.11` for `h.11.attn.c_proj`. Returns
/// the module itself if no dotted part is a number.
std::string layer_around(std::string_view module);

/// The dotted name of a module, cut off one level below the innermost module whose name ends in
/// digits: `model.layers.0.self_attn` for `model.layers.0.self_attn.q_proj`. A path without such a
/// module is cut off after two modules. Empty outside of all modules.
/// @param scope modules from the outside in
std::string block_of(std::vector<std::string> scope);

/// The modules of `scope`, except each module whose name is repeated at the start of the next name.
/// For a module in a container, exporters write both `layer4` and `layer4.0`; only `layer4.0`
/// stays.
std::vector<std::string> without_repeats(const std::vector<std::string>& scope);

/// The nodes whose module path, as it is or `without_repeats`, contains `module` as a run of whole
/// names: the path `model.layers.3.self_attn.q_proj` contains `layers.3.self_attn`. `*` in `module`
/// stands for any text.
std::vector<NodeId> nodes_in_module(const Graph& graph, std::string_view module);

/// Reads `/`-separated paths, names with several dots (`h.0.attn.MatMul`), and the names of
/// gradient nodes (`<forward name>_Grad/...`), of nodes that add up gradients
/// (`AccumulateGrad_...`) and of clones (`..._recompute`). A plain name has no scope.
NodePath parse_node_name(std::string_view name);

/// The common stem of a numbered series: `blocks.` for `blocks.3`. Empty if the name does not end
/// in digits or has only digits.
std::string_view series_stem(std::string_view label);

}  // namespace stashscope
