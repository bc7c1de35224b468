#include "core/schedule/fusion/acyclic_groups.h"

namespace stashscope {

namespace {

/// Adds merges as long as the peak does not rise. Tries many merges at once; if together they raise
/// the peak, tries each half separately.
class MemoryAwareFusion {
 public:
  explicit MemoryAwareFusion(const FusionInput& input)
      : input_(input),
        topology_(input.step.dataflow.topology),
        order_(input.order.kind == OrderKind::search ? order_strategies()[0] : input.order),
        nodes_(input),
        peak_(timeline_in(input.step, order_, {}).peak_bytes) {}

  FusedGroups groups() {
    take(without_cycles(dataflow_merges(input_, nodes_)));
    take(without_cycles(horizontal_merges(input_, nodes_)));
    return with({});
  }

 private:
  /// Drops the merges that would close a cycle together with the merges taken so far. `take` halves
  /// merges with a cycle among them again and again, and each half without a cycle costs the
  /// computation of a whole order and timeline.
  std::vector<Merge> without_cycles(const std::vector<Merge>& merges) const {
    AcyclicGroups groups(nodes_, topology_);
    for (const auto& [a, b] : taken_) groups.merge(a, b);
    std::vector<Merge> kept;
    for (const auto& [a, b] : merges) {
      if (groups.merge(a, b)) kept.emplace_back(a, b);
    }
    return kept;
  }

  void take(std::span<const Merge> merges) {
    if (merges.empty()) return;
    input_.step.progress.update(0.7, "fusions");
    const FusedGroups tried = with(merges);
    if (does_no_harm(tried)) {
      taken_.insert(taken_.end(), merges.begin(), merges.end());
    } else if (merges.size() > 1) {
      take(merges.first(merges.size() / 2));
      take(merges.subspan(merges.size() / 2));
    }
  }

  FusedGroups with(std::span<const Merge> more) const {
    GroupBuilder builder(nodes_, topology_);
    for (const auto& [a, b] : taken_) builder.merge(a, b);
    for (const auto& [a, b] : more) builder.merge(a, b);
    return builder.groups();
  }

  bool does_no_harm(const FusedGroups& groups) {
    if (!has_order(topology_, groups)) return false;
    const std::int64_t peak = timeline_in(input_.step, order_, groups).peak_bytes;
    if (peak > peak_) return false;
    peak_ = peak;
    return true;
  }

  const FusionInput& input_;
  const Topology& topology_;
  const OrderStrategy& order_;
  FusableNodes nodes_;
  std::int64_t peak_;
  std::vector<Merge> taken_;
};

}  // namespace

FusedGroups memory_aware_groups(const FusionInput& input) {
  return MemoryAwareFusion(input).groups();
}

}  // namespace stashscope
