#include "core/study/exports/node_data.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/study/choices/node_names.h"
#include "core/study/facts/group_memory.h"

namespace stashscope {

namespace {

using nlohmann::json;
using Results = std::map<std::string, std::int64_t>;  // by node

Results live_results(const Study& study) {
  const Variant& variant = *study.current;
  Results results;
  for (std::size_t slot = 0; slot < variant.timeline.order.size(); ++slot) {
    const NodeId origin = variant.dataflow.origin(variant.timeline.order[slot]);
    std::int64_t& bytes = results[shown_name(study.graph(), variant.dataflow, origin)];
    bytes = std::max(bytes, variant.timeline.live_bytes[slot]);
  }
  return results;
}

Results stashed_results(const Study& study) {
  const Variant& variant = *study.current;
  const IdVector<NodeId, NodeMemory> memory = memory_of_nodes(study);
  Results results;
  for (const NodeId node : variant.timeline.order) {
    const NodeId origin = variant.dataflow.origin(node);
    results[shown_name(study.graph(), variant.dataflow, origin)] += memory[node].stashed_bytes;
  }
  return results;
}

}  // namespace

std::string node_data(const Study& study, NodeDataKind kind) {
  const bool is_live = kind == NodeDataKind::live;
  json results = json::object();
  for (const auto& [name, bytes] : is_live ? live_results(study) : stashed_results(study)) {
    results[to_valid_utf8(name)] = {{"value", bytes}};
  }
  const std::string& graph = study.model->data().name;
  const json data = {{"name", is_live ? "live bytes" : "stashed bytes"},
                     {"results", results},
                     {"gradient",
                      {{{"stop", 0}, {"bgColor", "#fff7ec"}},
                       {{"stop", 1}, {"bgColor", "#b30000"}, {"textColor", "white"}}}}};
  return json({{to_valid_utf8(graph.empty() ? "main" : graph), data}}).dump(2) + "\n";
}

}  // namespace stashscope
