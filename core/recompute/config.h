#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/recompute/plan.h"

namespace stashscope {

/// What the user asks for a cluster.
struct ClusterChoice {
  PlanType type = PlanType::recompute;
  int count = -1;  ///< the first so many occurrences in execution order; -1: all
  /// The form of the feature's first version: the key is an operator, meant is every cluster whose
  /// entry is of that type.
  bool of_operator = false;

  friend bool operator==(const ClusterChoice&, const ClusterChoice&) = default;
};

/// Choices by cluster id.
using RecomputeConfig = std::map<std::string, ClusterChoice>;

/// Entries `cluster:type:count`, separated by commas; later ones replace earlier ones of the same
/// cluster, empty ones are dropped. Types 3 and 4 take an op type, which unlike a cluster does not
/// end in `+`. `Gelu:1` and `Dropout:0` are the form of the feature's first version. Throws a usage
/// Error in the reference's words.
RecomputeConfig parse_config(const std::string& text);

/// Adds the entries of one --plan argument: config text, or `@FILE` with such text or with a JSON
/// list of such strings.
void add_config_argument(const std::string& argument, RecomputeConfig& config);

std::string to_string(const std::string& cluster, const ClusterChoice& choice);
std::string to_string(const RecomputeConfig& config);

/// The entries that the reference understands (others).
RecomputeConfig reference_part(const RecomputeConfig& config);
RecomputeConfig own_part(const RecomputeConfig& config);

/// The shell block that switches the configuration on in the reference runtime.
/// @param comments one line each
std::string environment_block(const RecomputeConfig& config, const RecomputeSearchOptions& search,
                              const std::vector<std::string>& comments);

}  // namespace stashscope
