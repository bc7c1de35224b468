#include "core/study/step/study.h"

#include <algorithm>

#include "core/passes/gradients.h"
#include "core/study/step/moved_order.h"

namespace stashscope {

const WhatIfResult* what_if_result(const Study& study, std::string_view name) {
  const std::vector<WhatIfResult>& results = study.prepared->step.what_ifs;
  const auto found = std::ranges::find(results, name, &WhatIfResult::name);
  return found == results.end() ? nullptr : &*found;
}

std::vector<std::string> titles_of_what_ifs(const Study& study) {
  std::vector<std::string> titles;
  for (const WhatIfResult& each : study.prepared->step.what_ifs) {
    if (each.changed > 0) titles.push_back(find_what_if(each.name).words(each.value));
  }
  return titles;
}

bool can_change_graph(const Study& study) {
  return study.times->measured == 0 && !study.model->data().captured && !has_backward(*study.model);
}

NodeCounts node_counts(const Study& study) {
  const auto nodes = static_cast<std::int64_t>(study.graph().nodes().size());
  const auto forward = static_cast<std::int64_t>(study.opportunities->forward_nodes);
  return forward > 0 ? NodeCounts{forward, nodes - forward} : NodeCounts{nodes, 0};
}

std::vector<OrderRow> order_rows(const Study& study) {
  std::vector<OrderRow> rows = study.ordered->rows;
  if (is_moved(study)) {
    const std::int64_t peak = study.current->timeline.peak_bytes;
    rows.insert(rows.begin(),
                {moved_order, "with the user's moves", peak, {}, {}, {}, OrderOrigin::moves});
  }
  return rows;
}

std::vector<ClusterRow> cluster_rows(const Study& study) {
  return cluster_table(study.graph(), *study.opportunities, study.config, study.applied);
}

double extra_flops(const Study& study) { return study.current->flops - study.baseline->flops; }

double extra_percent(const Study& study) {
  return study.baseline->flops == 0 ? 0 : 100 * extra_flops(study) / study.baseline->flops;
}

std::vector<MemoryPhase> memory_phases(const Variant& variant) {
  const Timeline& timeline = variant.timeline;
  return memory_phases(timeline.live_bytes, timeline.idle_bytes, variant.forward_slots);
}

BandBytes peak_bands(const Variant& variant) {
  return variant.bands.empty() ? BandBytes{} : variant.bands[variant.timeline.peak_slot];
}

std::string peak_node(const Study& study, const Variant& variant) {
  const Timeline& timeline = variant.timeline;
  if (timeline.order.empty()) return "";
  return name_of(study.graph(), variant.dataflow, timeline.order[timeline.peak_slot]);
}

std::string peak_symbolic(const Study& study, const Variant& variant) {
  try {
    const Expr bytes = symbolic_bytes(study.graph(), variant.dataflow, variant.timeline,
                                      variant.timeline.peak_slot);
    return to_string(bytes, study.graph().symbols());
  } catch (const ExpressionTooLarge&) {
    return "";
  }
}

}  // namespace stashscope
