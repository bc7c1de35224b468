#pragma once

#include <map>
#include <set>
#include <utility>

#include "core/passes/what_if/sparse/token_flow.h"

namespace stashscope {

/// Values that say where packed rows lie among the rows of all tokens.
struct PackedPlaces {
  ValueId places;     ///< [kept tokens]: the place of each row among those of all tokens
  ValueId positions;  ///< [kept tokens]: the position of each row in its sequence
  ValueId leading;    ///< the sizes of the ids: [batch, positions]
};

/// How many axes a value with rows has.
struct RowAxes {
  std::size_t leading = 0;   ///< axes that count tokens; 0: there are fewer rows than tokens
  std::size_t trailing = 0;  ///< axes of a row

  friend auto operator<=>(const RowAxes&, const RowAxes&) = default;
};

/// Makes nodes work on the rows of kept tokens. Nodes that need whole sequences read rows that are
/// put back, with zeros for all other tokens. Keeps references to its arguments.
class Packing {
 public:
  Packing(Rewriter& graph, const TokenFlow& flow, PackedPlaces places)
      : graph_(graph), flow_(flow), places_(places), end_(graph.node_count()) {}

  /// Packs the rows of all nodes that work on each row alone. Returns the number of these nodes.
  /// Throws a SparseStop if a node needs packed rows of sequences without their last position, or
  /// may divide by the zeros that are put back. The nodes added until then are read by nothing.
  /// @param embeddings look up the rows
  /// @param labels of `loss`: one for each token, [batch * positions]
  std::size_t pack(const std::vector<NodeId>& embeddings, NodeId loss, ValueId labels);

 private:
  void pack_embedding(NodeId id);
  void pack(NodeId id);
  void require_finite() const;
  void pack_loss(NodeId id, ValueId labels);
  void put_back();

  bool is_packable(NodeId id) const;
  bool has_packed_operand(NodeId id) const;
  void pack_view(NodeId id);
  std::optional<Node> lowered(NodeId id);
  void lower_axes(const Node& node, Node& lowered);
  void add(NodeId id, Node lowered);
  void put_back(NodeId id);
  void read_dims_of_ids(NodeId id);
  bool is_needed(ValueId value) const;
  bool is_put_back(ValueId value) const;

  std::size_t trailing(ValueId tokens) const;
  std::optional<Integers> trailing_dims(ValueId tokens) const;
  ValueId packed(ValueId tokens, NodeId reader);
  ValueId packed_before_view(ValueId tokens, NodeId reader);
  std::optional<ValueId> packed_operand(ValueId operand, NodeId reader, RowAxes axes);
  std::optional<ValueId> made_operand(ValueId operand, NodeId reader, RowAxes axes);
  ValueId insert(NodeId before, Node node);
  ValueId reshaped(ValueId value, Integers trailing, NodeId before);
  ValueId numbers(const Integers& items);

  Rewriter& graph_;
  const TokenFlow& flow_;
  PackedPlaces places_;
  std::map<ValueId, ValueId> packed_;  ///< the rows of kept tokens, by the value with all rows
  std::map<std::pair<ValueId, RowAxes>, ValueId> operands_;  ///< rows of operands without tokens
  std::set<NodeId> done_;                                    ///< nodes whose results are packed
  std::size_t end_;                                          ///< nodes from here on are new
  std::size_t count_ = 0;
};

}  // namespace stashscope
