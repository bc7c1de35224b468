// Operators with subgraphs, whose output types `infer_shapes` derives from the subgraphs, and
// operators on sequences, whose output types the model declares.

#include "core/ops/families/control_flow.h"

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

bool is_control_flow(const Node& node) {
  return node.domain.empty() &&
         (node.op_type == "If" || node.op_type == "Loop" || node.op_type == "Scan");
}

bool is_yield(const Node& node) {
  return node.domain == microsoft_domain && node.op_type == "YieldOp";
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
  const std::pair<const char*, Operands> flows[] = {
      {"If", "cond:bool -> outputs*"},
      {"Loop", "M?:int64[0..1] cond?:bool[0..1] v_initial*:value -> outputs*"},
      {"Scan",
       {{1, "sequence_lens?:int64 states_and_scan_inputs+:value -> outputs*"},
        {9, "states_and_scan_inputs+:value -> outputs*"}}},
  };
  for (const auto& [type, operands] : flows) {
    registry.add({.type = type,
                  .versions = {1, 8, 9, 11, 13, 16, 19, 21, 23},
                  .operands = operands,
                  .flops = no_flops});
  }
  const std::pair<const char*, const char*> sequences[] = {
      {"SequenceConstruct", "inputs+ -> sequence"},
      {"SequenceEmpty", "-> sequence"},
      {"SequenceAt", "sequence:value position:index[0..1] -> tensor"},
      {"SequenceInsert", "sequence:value tensor position?:index[0..1] -> sequence"},
      {"SplitToSequence", "input split?:index[0..1] -> sequence"},
      {"ConcatFromSequence", "sequence:value -> result"},
  };
  for (const auto& [type, operands] : sequences) {
    registry.add({.type = type, .versions = {11}, .operands = operands, .flops = no_flops});
  }
}

}  // namespace stashscope
