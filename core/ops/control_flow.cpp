// Operators with subgraphs, and those on sequences. Their types are taken as the model declares
// them.

#include "core/ops/families.h"
#include "core/ops/rules.h"

namespace stashscope {

void add_control_flow_ops(OpRegistry& registry) {
  for (const char* type : {"If", "Loop", "Scan"}) {
    registry.add({.type = type, .versions = {1, 8, 9, 11, 13, 16, 19, 21, 23}, .flops = no_flops});
  }
  for (const char* type : {"SequenceConstruct", "SequenceEmpty", "SequenceAt", "SequenceInsert",
                           "SplitToSequence", "ConcatFromSequence"}) {
    registry.add({.type = type, .versions = {11}, .flops = no_flops});
  }
}

}  // namespace stashscope
