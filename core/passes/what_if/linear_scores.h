#pragma once

#include <string>
#include <vector>

#include "core/passes/rewriting/rewriter.h"

namespace stashscope {

/// A node that changes the rows of the scores, rewritten to change the rows of the hidden states.
struct MovedNode {
  NodeId place;  ///< the node that changes the scores
  Node node;     ///< input 0 is open: it is the hidden states so far
  TensorType type;
  std::size_t constant_at = 0;  ///< the input that is `constant`; 0: none
  Integers constant = {};
};

/// The scores of a loss as a product of hidden states and a weight.
struct LinearScores {
  ValueId hidden;
  ValueId weight;           ///< [width, classes], unless transposed
  bool transposed = false;  ///< the weight is [classes, width]
  ValueId bias;             ///< [classes], added after scaling; invalid: none
  double scale = 1;
  bool normalized = false;       ///< the loss reads the logarithm of the softmax of the scores
  std::vector<NodeId> path;      ///< from the product to the node before the loss
  std::vector<MovedNode> moved;  ///< in the order of the path
};

/// Thrown if a loss cannot be computed in pieces.
struct NoLinearScores {
  std::string reason;  ///< to be read after the loss's name: "reads scores of ..."
};

/// Follows the scores of a loss up to the product that makes them. Throws NoLinearScores if the
/// scores come from something else, if a node between product and loss cannot be applied to the
/// hidden states, or if anything but the loss needs the scores.
/// @param loss a node whose input 0 is scores [rows, classes, ...]
LinearScores linear_scores_of(const Rewriter& graph, NodeId loss);

/// Whether the node reads only the dims of its input.
bool reads_only_dims(const Node& node);

}  // namespace stashscope
