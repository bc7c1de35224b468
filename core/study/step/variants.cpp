#include "core/study/step/variants.h"

#include <algorithm>
#include <numeric>

#include "core/graph/captured_step.h"
#include "core/memory/step_peak.h"
#include "core/study/step/plan_effects.h"

namespace stashscope {

namespace {

/// The bands of a timeline. Live bytes that belong to no buffer are workspace.
std::vector<BandBytes> bands_of(const PreparedStep& prepared, const Dataflow& dataflow,
                                const Timeline& timeline, std::size_t forward) {
  std::vector<BandBytes> bands =
      bands_by_slot(dataflow, prepared.rules, timeline, forward, prepared.step.boundary.yield);
  for (std::size_t step = 0; step < bands.size(); ++step) {
    const std::int64_t buffers =
        std::accumulate(bands[step].begin(), bands[step].end(), std::int64_t{0});
    of(bands[step], Band::workspace) += timeline.live_bytes[step] - buffers;
  }
  return bands;
}

}  // namespace

std::shared_ptr<const Variant> make_variant(const PreparedStep& prepared, const Sizes& sizes,
                                            Dataflow dataflow, Timeline timeline,
                                            FusedGroups groups, CopySchedule copies) {
  const Graph& graph = *prepared.step.graph;
  auto variant = std::make_shared<Variant>(Variant{std::move(dataflow),
                                                   std::move(timeline),
                                                   0,
                                                   0,
                                                   0,
                                                   0,
                                                   {},
                                                   std::move(groups),
                                                   std::move(copies)});
  const PlanCost added = added_cost(graph, sizes, variant->dataflow);
  variant->flops = std::accumulate(sizes.work.flops.begin(), sizes.work.flops.end(), added.flops);
  variant->transfer_bytes = added.transfer_bytes;
  variant->forward_slots =
      forward_slots(variant->timeline.order, forward_ends(graph, prepared.step.boundary));
  const CapturedStep* const captured = graph.data().captured.get();
  const std::size_t updates =
      captured == nullptr ? 0 : graph.nodes().size() - captured->nodes_until_update();
  variant->update_slot = variant->timeline.order.size() - updates;
  variant->bands = bands_of(prepared, variant->dataflow, variant->timeline, variant->forward_slots);
  variant->host_bytes =
      host_peak_bytes(variant->dataflow, sizes.bytes, variant->timeline.order, variant->copies);
  return variant;
}

OrderInput order_input(const PreparedStep& prepared, const Sizes& sizes, const UpdateMemory& update,
                       const Dataflow& dataflow, const Progress& progress) {
  const Graph& graph = *prepared.step.graph;
  return {graph,
          dataflow,
          forward_ends(graph, prepared.step.boundary),
          {prepared.rules, sizes.bytes, update, sizes.workspace},
          progress};
}

namespace {

/// Fills the table strategy by strategy and keeps the chosen order.
class OrderTable {
 public:
  OrderTable(const OrderInput& input, const std::optional<std::string>& chosen,
             const std::vector<OrderRow>& known)
      : input_(input),
        chosen_(chosen ? &find_order(*chosen) : nullptr),
        known_(known),
        peaks_(input.dataflow, input.memory) {}

  OrderedStep fill(const std::vector<NodeId>& planned) {
    if (!planned.empty()) add_planned(planned);
    for (const OrderStrategy& strategy : order_strategies()) add(strategy);
    return std::move(step_);
  }

 private:
  void add_planned(const std::vector<NodeId>& order) {
    step_.rows.push_back({planned_order,
                          "as planned for a budget",
                          peaks_.of(order),
                          {},
                          {},
                          {},
                          OrderOrigin::sequence});
    if (chosen_ == nullptr) step_.nodes = order;
  }

  void add(const OrderStrategy& strategy) {
    OrderRow row{std::string(strategy.name), std::string(strategy.description), {}, {}, {}, {}};
    if (strategy.kind == OrderKind::best_of) {
      row.peak_bytes = best_peak_;
      row.taken = best_name_;
    } else if (strategy.kind == OrderKind::search && &strategy != chosen_) {
      const auto known = std::ranges::find(known_, row.name, &OrderRow::name);
      if (known != known_.end()) row = *known;
    } else {
      run(strategy, row);
    }
    step_.rows.push_back(std::move(row));
  }

  std::vector<NodeId> order_of(const OrderStrategy& strategy, OrderRow& row) const {
    if (strategy.search == nullptr) return strategy.order(input_);
    SearchedOrder found = strategy.search(input_);
    row.bound_bytes = found.bound_bytes;
    row.method = found.method;
    return std::move(found.nodes);
  }

  void run(const OrderStrategy& strategy, OrderRow& row) {
    std::vector<NodeId> order = order_of(strategy, row);
    const std::int64_t peak = peaks_.of(order);
    row.peak_bytes = peak;
    const bool is_best =
        strategy.kind == OrderKind::rule && (best_name_.empty() || peak < best_peak_);
    if (is_best) {
      best_peak_ = peak;
      best_name_ = strategy.name;
    }
    const bool is_best_of = chosen_ != nullptr && chosen_->kind == OrderKind::best_of;
    if (&strategy == chosen_ || (is_best && is_best_of)) step_.nodes = std::move(order);
  }

  const OrderInput& input_;
  const OrderStrategy* chosen_;  ///< null: the planned order
  const std::vector<OrderRow>& known_;
  StepPeak peaks_;
  OrderedStep step_;
  std::int64_t best_peak_ = 0;
  std::string best_name_;
};

}  // namespace

OrderedStep in_chosen_order(const OrderInput& step, const FusedGroups& groups,
                            const std::optional<std::string>& chosen,
                            const std::vector<OrderRow>& known,
                            const std::vector<NodeId>& planned) {
  if (groups.empty()) return OrderTable(step, chosen, known).fill(planned);
  const FusedStep fused = fuse(step.graph, step.dataflow, step.memory.rules, groups);
  OrderedStep ordered = OrderTable(fused_input(step, fused, groups), chosen, known).fill({});
  ordered.nodes = with_members(step.dataflow, groups, ordered.nodes);
  return ordered;
}

}  // namespace stashscope
