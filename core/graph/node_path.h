#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stashscope {

/// What the name of a node says about its place in the model.
struct NodePath {
  std::vector<std::string> scope;  ///< modules from the outside in: `transformer`, `h.0`, `attn`
  /// Gradient nodes: the text before `_Grad`, which is the name of the forward node (or of one of
  /// its outputs) that they belong to; else empty.
  std::string gradient_of;
};

/// Understands `/`-separated paths, names with several dots (`h.0.attn.MatMul`), gradient nodes
/// (`<forward name>_Grad/...`) and clones (`..._recompute`). A plain name has no scope.
NodePath parse_node_name(std::string_view name);

/// `blocks.3` is number 3 of a series `blocks.`; without digits at the end there is no stem.
std::string_view series_stem(std::string_view label);

}  // namespace stashscope
