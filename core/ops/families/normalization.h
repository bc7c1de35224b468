#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// Whether a BatchNormalization normalizes by the statistics of the batch, not by the running
/// statistics. Before version 14, it does so if it has more than one output.
/// @param opset of the default domain
bool batch_norm_trains(const Node& node, std::int64_t opset);

}  // namespace stashscope
