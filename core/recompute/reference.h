#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace stashscope {

/// A version of ONNX Runtime's training memory optimizer. Its rules decide which plans exist, what
/// they are called and how often they occur.
enum class Reference : std::uint8_t {
  november_2023,   ///< the version of the published tables, with two faults corrected
  release_1_19_2,  ///< the last release of the training packages
};

/// The version that users can install today.
constexpr Reference default_reference = Reference::release_1_19_2;

/// The rules in which the versions differ. Source: the tables that each version prints.
struct ReferenceRules {
  Reference reference;
  std::string_view name;  ///< name in options and files, such as `1.19.2`
  /// The table of recomputable operators has the rows marked `RecomputeRule::is_late`.
  bool has_late_rows;
  /// An output that only backward reads is stashed, too.
  bool stashes_unread_in_forward;
  /// The search ends at every output of a node that stashes any of its outputs. Without this rule,
  /// it ends at the values that backward reads.
  bool ends_at_stashing_nodes;
  /// A plan that recomputes the owner of a reused buffer frees the buffer without another plan.
  bool frees_recomputed_owners;
  /// Kernels that write into their input pass on the input's buffer.
  bool reuses_in_place;
  /// A cluster's name lists nodes in depth-first order instead of execution order.
  bool names_depth_first;
  /// Counts in a config are ignored: every occurrence of the cluster is recomputed.
  bool ignores_counts;
  /// The version's table of clusters lists sizes as products and gives no hint for each option.
  bool prints_products;
  /// Width in characters of a label in the table of clusters, such as `Option 1`.
  std::size_t label_columns;
  /// If the output of a Reshape has dimensions without a name, the table of clusters shows the
  /// dimensions of the Reshape's input instead.
  bool lists_reshaped_inputs;
  /// ORTMODULE_MEMORY_OPT_CONFIG is the path of a JSON file, and no variable sets the probe.
  bool reads_config_file;
};

/// All versions, newest first.
std::span<const ReferenceRules> references();

const ReferenceRules& rules_of(Reference reference);

/// The version with this name. For an unknown name, throws a usage Error that lists the names.
Reference parse_reference(const std::string& name);

}  // namespace stashscope
