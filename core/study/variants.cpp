#include "core/study/variants.h"

#include <numeric>

#include "core/memory/workspace.h"
#include "core/schedule/orders.h"
#include "core/study/plan_effects.h"

namespace stashscope {

namespace {

Timeline timeline_in(const OrderStrategy& strategy, const Prepared& prepared, const Sizes& sizes,
                     const UpdateMemory& update, const Dataflow& dataflow) {
  auto order = strategy.order({*prepared.step.graph, dataflow, prepared.step.boundary});
  Timeline timeline =
      make_timeline(dataflow, prepared.rules, sizes.bytes, std::move(order), update);
  add_workspace(timeline, dataflow, sizes.workspace);
  return timeline;
}

/// The bands of a timeline; what its live bytes have beyond its buffers is workspace.
std::vector<BandBytes> bands_of(const Prepared& prepared, const Dataflow& dataflow,
                                const Timeline& timeline, std::size_t forward) {
  std::vector<BandBytes> bands =
      bands_by_step(dataflow, prepared.rules, timeline, forward, prepared.step.boundary.yield);
  for (std::size_t step = 0; step < bands.size(); ++step) {
    const std::int64_t buffers =
        std::accumulate(bands[step].begin(), bands[step].end(), std::int64_t{0});
    of(bands[step], Band::workspace) += timeline.live_bytes[step] - buffers;
  }
  return bands;
}

}  // namespace

std::shared_ptr<const Variant> make_variant(const Prepared& prepared, const Sizes& sizes,
                                            const UpdateMemory& update, Dataflow dataflow,
                                            const std::string& order) {
  const Graph& graph = *prepared.step.graph;
  auto variant = std::make_shared<Variant>(Variant{std::move(dataflow), {}, 0, 0, 0, {}});
  variant->timeline = timeline_in(find_order(order), prepared, sizes, update, variant->dataflow);
  const PlanCost added = added_cost(graph, sizes, variant->dataflow);
  variant->flops = std::accumulate(sizes.work.flops.begin(), sizes.work.flops.end(), added.flops);
  variant->transfer_bytes = added.transfer_bytes;
  variant->forward_steps =
      forward_steps(variant->timeline.order, forward_ends(graph, prepared.step.boundary));
  variant->bands = bands_of(prepared, variant->dataflow, variant->timeline, variant->forward_steps);
  return variant;
}

std::vector<OrderRow> order_rows(const Prepared& prepared, const Sizes& sizes,
                                 const UpdateMemory& update, const Variant& current,
                                 const std::string& chosen) {
  std::vector<OrderRow> rows;
  for (const OrderStrategy& strategy : order_strategies()) {
    const std::int64_t peak =
        strategy.name == chosen
            ? current.timeline.peak_bytes
            : timeline_in(strategy, prepared, sizes, update, current.dataflow).peak_bytes;
    rows.push_back({std::string(strategy.name), std::string(strategy.description), peak});
  }
  return rows;
}

}  // namespace stashscope
