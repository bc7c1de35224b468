#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/facts/equal_blocks.h"
#include "core/study/facts/tensor_homes.h"

namespace stashscope {

/// The property by which a memory tree groups the tensors.
enum class MemoryGrouping : std::uint8_t {
  module,      ///< the modules of the program from the outside in, then the bands
  band,        ///< the uses of memory: parameters, stashed activations, ...
  op_type,     ///< the operator that makes the tensor
  source_line  ///< the line of the program that makes the tensor
};

/// The name in options and JSON, such as `source_line`.
std::string_view name_of(MemoryGrouping grouping);

/// One rectangle of an icicle: a group of tensors, or a single tensor.
struct MemoryTreeNode {
  std::string name;               ///< last part of the path: `h.0`, `stashed activations`
  std::uint32_t parent = 0;       ///< the root is its own parent
  std::uint32_t depth = 0;        ///< 0: the root
  std::uint32_t first_child = 0;  ///< children are adjacent, in the order of the graph
  std::uint32_t child_count = 0;  ///< 0: a leaf
  BufferId buffer;                ///< buffer of a leaf that is one tensor; else invalid
  /// The slots in which a leaf holds its buffer. A buffer that several bands use one after another
  /// has several leaves.
  std::uint32_t from = 0;
  std::uint32_t until = std::numeric_limits<std::uint32_t>::max();
  std::optional<Band> band;  ///< band of a tensor or of a group whose tensors have one band
};

/// The tensors of a variant of the step, grouped. The root comes first, and each parent comes
/// before its children. The last child of the root is the workspace of the running node.
struct MemoryTree {
  MemoryGrouping grouping = MemoryGrouping::module;
  std::vector<MemoryTreeNode> nodes;
  EqualBlocks blocks = EqualBlocks::apart;
};

/// Names of groups: for tensors outside of all modules, and for tensors whose nodes have no source
/// line.
constexpr std::string_view outside_of_modules = "outside of modules";
constexpr std::string_view without_source_line = "no source line";

/// The tree of a variant's tensors. A tensor belongs to the module of the node that makes it. A
/// buffer that several values use one after the other belongs to the module of the first value.
/// Parameters and inputs belong to the module that reads them first; gradients and optimizer states
/// belong to their parameter's module. In each slot, a tensor has the same band as in the curve of
/// bands.
/// @param blocks whether equal blocks are summed; used only if `grouping` is `module`
MemoryTree memory_tree(const Study& study, const Variant& variant, MemoryGrouping grouping,
                       const TensorHomes& homes, EqualBlocks blocks = EqualBlocks::apart);
MemoryTree memory_tree(const Study& study, const Variant& variant, MemoryGrouping grouping);

/// Bytes of each node of the tree at a slot. The root has the live bytes of the slot.
/// @pre the tree was made for the variant with this timeline
std::vector<std::int64_t> tree_bytes(const MemoryTree& tree, const Timeline& timeline,
                                     std::size_t slot);

/// The nodes of the graph in a node of the tree, ascending: all nodes of a module, and for any
/// other group the nodes that make its tensors.
/// @param modules the modules in the `TensorHomes` that the tree was made with
/// @pre the tree was made for the variant
std::vector<NodeId> nodes_in_tree(const MemoryTree& tree, const Variant& variant,
                                  const NodeModules& modules, std::uint32_t node);

/// The path of a node below the root: `transformer.h.0.attn`.
std::string path_in_tree(const MemoryTree& tree, std::size_t node);

}  // namespace stashscope
