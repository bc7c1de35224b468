#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/recompute/plan.h"

namespace stashscope {

/// The user's choice for a cluster.
struct ClusterChoice {
  PlanType type = PlanType::recompute;
  int count = -1;  ///< number of occurrences, from the first in execution order; -1: all
  /// The config form of ONNX Runtime's first version: the key is an operator and selects every
  /// cluster whose entry node has that operator.
  bool of_operator = false;

  friend bool operator==(const ClusterChoice&, const ClusterChoice&) = default;
};

/// Choices by cluster. For offload, for compress and with `of_operator`, the key is an op type
/// instead. For regions, the key names modules and, if the regions keep outputs, these outputs:
/// `h.*` or `h.*[keep mm]`.
using RecomputeConfig = std::map<std::string, ClusterChoice>;

/// Parses entries `cluster:type:count`, separated by commas. A later entry for the same cluster
/// replaces an earlier one; empty entries are dropped. Types 3 and 4 take an op type instead of a
/// cluster, type 5 a module; neither has a final `+`. `Gelu:1` and `Dropout:0` are the form of ONNX
/// Runtime's first version. For any other text, throws a usage Error worded like ONNX Runtime's.
RecomputeConfig parse_config(const std::string& text);

/// Adds the entries of one --plan argument: config text, or `@FILE` for a file that holds config
/// text or a JSON list of config strings. Throws a usage Error for invalid text, and an input Error
/// for an invalid file.
void add_config_argument(const std::string& argument, RecomputeConfig& config);

std::string to_string(const std::string& cluster, const ClusterChoice& choice);
std::string to_string(const RecomputeConfig& config);

/// The names of the regions in `config`. A region is a module that PyTorch runs again.
std::set<std::string> regions_in(const RecomputeConfig& config);

/// The entries that copy tensors to the host.
RecomputeConfig offloads_in(const RecomputeConfig& config);

/// The entries that ONNX Runtime understands.
RecomputeConfig reference_part(const RecomputeConfig& config);
/// The entries that ONNX Runtime does not understand.
RecomputeConfig own_part(const RecomputeConfig& config);

// Shell blocks that select plans in ONNX Runtime. `comments` become comment lines.

/// The block for versions that take the config string itself.
std::string environment_block(const RecomputeConfig& config, const RecomputeSearchOptions& search,
                              const std::vector<std::string>& comments);
/// The block for versions that read the config from a file. @param path path of the config file
std::string environment_block(const std::string& path, const std::vector<std::string>& comments);
/// The block that selects all plans of a level.
std::string environment_block(int level, const std::vector<std::string>& comments);

/// The config as a JSON list of its entries, the form of a config file. Throws an input Error for a
/// cluster that is not valid UTF-8, which JSON cannot hold.
std::string config_list(const RecomputeConfig& config);
/// Whether a text is a JSON list of strings.
bool is_config_list(const std::string& text);

}  // namespace stashscope
