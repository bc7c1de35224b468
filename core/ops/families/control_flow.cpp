// Operators with subgraphs, and operators on sequences. Their output types are taken from the
// model's declarations.

#include "core/ops/families/control_flow.h"

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

bool is_control_flow(const Node& node) {
  return node.domain.empty() &&
         (node.op_type == "If" || node.op_type == "Loop" || node.op_type == "Scan");
}

std::vector<Subgraph> subgraphs_of(const Node& node) {
  std::vector<Subgraph> found;
  for (const char* name : {"then_branch", "else_branch", "body"}) {
    if (!node.attributes.has(name)) continue;
    if (Subgraph body = node.attributes.subgraph(name)) found.push_back(std::move(body));
  }
  return found;
}

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
