#include "core/planner/cost_bound.h"

#include <algorithm>
#include <cmath>

#include "core/planner/moment_cut.h"
#include "core/schedule/minimal/order_bound.h"

namespace stashscope {

namespace {

/// Counts the minimum cuts of a search in moves, the unit of `SearchLimit::moves`.
class CutCounter {
 public:
  CutCounter(const TaskGraph& graph, const SearchLimit& limit, const Progress& progress)
      : clock_(limit, progress),
        moves_of_a_cut_(static_cast<std::int64_t>(2 * graph.tasks() + graph.items())) {}

  void count() { moves_ += moves_of_a_cut_; }
  bool is_over() const { return clock_.used(moves_) >= 1; }

 private:
  SearchClock clock_;
  std::int64_t moves_of_a_cut_;
  std::int64_t moves_ = 0;
};

/// The largest bound of one moment over all prices. As a function of the price, the bound is
/// concave and made of straight lines. The search therefore keeps a line that rises and one that
/// falls, and tries the price at which they meet.
class PriceSearch {
 public:
  PriceSearch(const MomentCut& cut, CutCounter& counter) : cut_(cut), counter_(counter) {}

  /// @param price to try first, above 0
  /// @param enough a bound that is known; the search ends early if this moment seems to stay below
  double largest(double price, double enough) {
    take(price);
    if (best_ < promising * enough) return best_;
    for (int tries = 0; tries < most_tries && !counter_.is_over(); ++tries) {
      if (rises_ == 0) {
        take(falls_ / step);
      } else if (falls_ == 0) {
        take(rises_ * step);
      } else if (!take_meeting_price()) {
        break;
      }
    }
    return best_;
  }
  /// The price of the largest bound.
  double price() const { return best_price_; }

 private:
  static constexpr int most_tries = 24;
  static constexpr double promising = 0.8;
  static constexpr double step = 8;  ///< factor between prices until both lines are known

  void take(double price) {
    counter_.count();
    const PricedBound found = cut_.at(price);
    if (found.extra_cost > best_ || best_price_ == 0) best_price_ = price;
    best_ = std::max(best_, found.extra_cost);
    (found.slope > 0 ? rises_ : falls_) = price;
    (found.slope > 0 ? rising_ : falling_) = found;
  }

  /// Returns whether the price at which the lines meet may have a larger bound.
  bool take_meeting_price() {
    const double slopes = rising_.slope - falling_.slope;
    const double price = (falling_.extra_cost - rising_.extra_cost + rising_.slope * rises_ -
                          falling_.slope * falls_) /
                         slopes;
    const double most = rising_.extra_cost + rising_.slope * (price - rises_);
    const bool is_between = price > rises_ && price < falls_;
    if (!is_between || most <= best_ * (1 + 1e-6)) return false;
    take(price);
    return true;
  }

  const MomentCut& cut_;
  CutCounter& counter_;
  double rises_ = 0;  ///< a price at which the bound rises, as `rising_` says; 0: not known
  double falls_ = 0;
  PricedBound rising_;
  PricedBound falling_;
  double best_ = 0;
  double best_price_ = 0;
};

/// The largest cost per byte over all items: the cost of the item's maker divided by the item's
/// bytes; 0 if no item has bytes and a maker with a cost.
double largest_price(const TaskGraph& graph) {
  double most = 0;
  for (const ItemId item : IdRange<ItemId>(graph.items())) {
    if (graph.bytes[item] == 0) continue;
    most = std::max(most, static_cast<double>(graph.cost[graph.maker[item]]) /
                              static_cast<double>(graph.bytes[item]));
  }
  return most;
}

}  // namespace

std::int64_t recompute_cost_bound(const TaskGraph& graph, std::span<const TaskId> order,
                                  std::int64_t budget_bytes, const SearchLimit& limit,
                                  const Progress& progress, const EvictionCosts& evictions) {
  double price = largest_price(graph);
  double extra = 0;
  if (price > 0) {
    const SequenceMemory memory = memory_of(graph, order);
    CutCounter counter(graph, limit, progress);
    for (const std::size_t slot : slots_by_live_bytes(memory)) {
      if (memory.live_bytes[slot] <= budget_bytes || counter.is_over()) break;
      const MomentCut cut(graph, order[slot], budget_bytes, evictions);
      if (!cut.fits()) continue;
      PriceSearch search(cut, counter);
      const double found = search.largest(price, extra);
      if (found <= extra) continue;
      extra = found;
      price = search.price();
    }
  }
  // Costs are integers, so the bound rounds up; a small tolerance covers rounding errors.
  return cost_of_all(graph) + static_cast<std::int64_t>(std::ceil(extra * (1 - 1e-9) - 1e-6));
}

}  // namespace stashscope
