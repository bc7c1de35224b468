#pragma once

#include <string_view>

#include "core/passes/what_if/sparse/packing.h"

namespace stashscope {

/// Prefix of the name of the dimension that counts the kept tokens.
constexpr std::string_view kept_tokens_dim = "valid_tokens";

/// The embeddings of a model, which look up the same ids or others of the same sizes.
struct SparseModel {
  std::vector<NodeId> embeddings;  ///< look up one row for each id
  ValueId ids;                     ///< graph input [batch, positions]; the first ids
  TokenSizes sizes;
};

/// A loss over tokens that ignores a label.
struct TokenLoss {
  NodeId node;
  ValueId input;  ///< the graph input with the labels
  std::int64_t ignored = 0;
  bool is_cut = false;  ///< the last position of each sequence has no label
};

/// The embeddings that look up the first ids [batch, positions] of the model, or other ids of the
/// same sizes. None if the model looks up no such ids.
SparseModel find_embeddings(const Rewriter& graph);

/// The graph inputs with a number for each token that are not ids. Labels may be among them.
std::vector<ValueId> possible_masks(const Rewriter& graph, const SparseModel& model);

/// Whether an input has ids that an embedding looks up.
bool is_looked_up(const Rewriter& graph, const SparseModel& model, ValueId input);

/// The only loss that reads tokens; its node is invalid if there is none. Throws a SparseStop if
/// there are several, if the loss reads the label of every token, or if its labels are no input of
/// the model or cannot be the ignored label.
TokenLoss find_token_loss(const Rewriter& graph, const TokenFlow& flow);

/// Values that say which tokens are kept. They are computed before the first embedding.
struct KeptTokens {
  ValueId found;   ///< the output of the node that finds them: [1, kept tokens]
  ValueId labels;  ///< one label for each token: [batch * positions]
  PackedPlaces places;
};

/// Adds the nodes that find the tokens that the mask shows or that have a label. Throws a
/// SparseStop if the labels cannot be computed before the first embedding.
/// @param mask invalid: finds the tokens of each sequence up to the last one that has a label
KeptTokens add_kept_tokens(Rewriter& graph, const TokenFlow& flow, const SparseModel& model,
                           ValueId mask, const TokenLoss& loss);

}  // namespace stashscope
