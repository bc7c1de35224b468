#pragma once

#include <string>
#include <vector>

#include "core/recompute/clusters.h"

namespace stashscope {

/// The list of plans in ONNX Runtime's form: status, config, frequency, saving in bytes, saving in
/// the model's dimension names.
std::string plan_table_text(const std::vector<PlanRow>& rows);

/// The table of clusters as the version of ONNX Runtime with these rules prints it.
/// @param config the user's configuration, for the headline
std::string cluster_table_text(const Graph& graph, const std::vector<ClusterRow>& rows,
                               const RecomputeConfig& config, const ReferenceRules& rules);

}  // namespace stashscope
