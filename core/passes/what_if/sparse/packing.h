#pragma once

#include <map>
#include <set>

#include "core/passes/what_if/sparse/token_flow.h"

namespace stashscope {

/// Values that packed rows need.
struct PackedPlaces {
  ValueId places;     ///< [kept tokens]: the place of each row among those of all tokens
  ValueId positions;  ///< [kept tokens]: the position of each row in its sequence
  ValueId leading;    ///< the sizes of the ids: [batch, positions]
};

/// Makes nodes work on the rows of kept tokens. Nodes that need whole sequences read rows that are
/// put back, with zeros for all other tokens. Keeps references to its arguments.
class Packing {
 public:
  Packing(Rewriter& graph, const TokenFlow& flow, PackedPlaces places)
      : graph_(graph), flow_(flow), places_(places) {}

  /// Packs the rows that an embedding looks up.
  void pack_embedding(NodeId id);
  /// Packs the rows that a node works on, if it works on each row alone and its rows are packed
  /// already or it is a product with a weight.
  void pack(NodeId id);
  /// Throws a SparseStop if a node that works on all rows may not be finite, or have no finite
  /// gradient, where rows are zeros. @param end the end of the nodes to look at
  void require_finite(std::size_t end) const;
  /// Packs the rows of a loss. @param labels one label for each token, [batch * positions]
  void pack_loss(NodeId id, ValueId labels);
  /// Puts rows back where whole sequences are needed. @param end the end of the nodes to look at
  void put_back(std::size_t end);
  /// The number of nodes that work on packed rows.
  std::size_t count() const { return count_; }

 private:
  bool is_packable(NodeId id) const;
  bool has_packed_operand(NodeId id) const;
  bool pack_view(NodeId id);
  std::optional<Node> lowered(NodeId id);
  void lower_axes(const Node& node, Node& lowered);
  void add(NodeId id, Node lowered);
  void put_back(NodeId id);
  void read_dims_of_ids(NodeId id);
  bool is_needed(ValueId value) const;

  std::size_t trailing(ValueId tokens) const;
  std::optional<Integers> trailing_dims(ValueId tokens) const;
  ValueId packed(ValueId tokens, NodeId reader);
  ValueId packed_before_view(ValueId tokens, NodeId reader);
  /// @param leading the axes that count tokens; 0: the rows are fewer than the tokens
  std::optional<ValueId> packed_operand(ValueId operand, NodeId reader, std::size_t leading,
                                        std::size_t trailing);
  ValueId insert(NodeId before, std::string type, std::string name, std::vector<ValueId> inputs);
  ValueId reshaped(ValueId value, Integers trailing, NodeId before);
  ValueId numbers(const Integers& items);

  Rewriter& graph_;
  const TokenFlow& flow_;
  PackedPlaces places_;
  std::map<ValueId, ValueId> packed_;  ///< the rows of kept tokens, by the value with all rows
  std::set<NodeId> done_;              ///< nodes whose results are packed
  std::size_t count_ = 0;
};

}  // namespace stashscope
