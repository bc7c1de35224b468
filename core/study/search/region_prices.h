#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/study/search/plan_evaluator.h"
#include "core/study/step/study.h"

namespace stashscope {

/// Returns the exact peak and time of a configuration.
using RegionTrial = std::function<PlanOutcome(const RecomputeConfig&)>;

/// Chooses the regions of a captured step that run again, and the outputs that these regions keep,
/// so that the step fits a budget. A byte that is live at the peak gets a price in seconds. At a
/// given price, each module chooses on its own what costs least: to run again as a whole, to run
/// again with some outputs kept, or to leave the choice to the modules inside it. The search finds
/// the lowest price at which the step fits. Then it gives as many modules as possible the choice
/// that they make at the next lower price. If another node becomes the peak, bytes that are live
/// there get a price, too. The estimates that guide the search ignore the memory that a region
/// needs while it runs again, but the peak and time of every result are computed exactly. Refers to
/// the study.
class RegionPrices {
 public:
  RegionPrices(const Study& study, RegionTrial trial, std::function<bool()> is_over);
  RegionPrices(Study&& study, RegionTrial trial, std::function<bool()> is_over) = delete;

  /// Tries configurations with the trial function, which alone receives the results.
  /// @param peak_node returns the node at the peak of a configuration
  void search(std::int64_t budget_bytes,
              const std::function<NodeId(const RecomputeConfig&)>& peak_node);

 private:
  /// The plans of a cluster, such as `h.*` or `h.*[keep mm]`.
  struct Entry {
    std::string name;
    std::vector<const NodePlan*> plans;
    double seconds = 0;
    bool frees_outputs = false;
    double relief = 0;  ///< bytes freed at the priced nodes, on average
  };
  /// The clusters of the same modules, which exclude each other.
  struct Group {
    std::string modules;
    std::vector<Entry> entries;
    std::vector<std::size_t> inside;  ///< groups whose modules lie inside the modules of this group
    bool is_inside = false;
  };
  /// The group `reading` reads outputs of the group `freeing`. Entries of `freeing` that free
  /// outputs exclude all entries of `reading`.
  struct Conflict {
    std::size_t freeing = 0;
    std::size_t reading = 0;
  };
  /// The entries that a choice must not use.
  struct Limits {
    /// By group: whether the choice must use no entry of the group.
    std::vector<bool> has_no_entry;
    /// By group: whether the choice must use no entry that frees outputs.
    std::vector<bool> keeps_outputs;
  };
  /// By group: index of the entry that is on, or -1 if no entry is on.
  using Choice = std::vector<int>;
  /// In each group, the first modules take the entry of the expensive choice `dear`, the others the
  /// entry of the choice `cheap`.
  struct Mixture {
    Choice dear;
    Choice cheap;
    /// By group: number of modules that take the entry of `dear`.
    std::vector<std::size_t> of_dear;
  };

  void add_groups();
  void add_conflicts();
  void set_relief(const std::vector<NodeId>& nodes);
  double relief_at(const NodePlan& plan, NodeId node) const;
  double cost_of(std::size_t group, double price, const Limits& limits, Choice& choice) const;
  double choose(double price, const Limits& limits, Choice& choice) const;
  Choice choose(double price) const;
  const Conflict* conflict_in(const Choice& choice) const;
  std::size_t modules(std::size_t group, int entry) const;
  RecomputeConfig config_of(const Mixture& mixture) const;
  bool fits(const Choice& choice);
  bool fits(const Mixture& mixture);
  std::optional<Mixture> cheapest_prices();
  void take_back(Mixture& mixture);
  double seconds_between(const Mixture& mixture, std::size_t group) const;

  const Study& study_;
  RegionTrial trial_;
  std::function<bool()> is_over_;
  std::int64_t budget_ = 0;
  std::vector<Group> groups_;
  std::vector<Conflict> conflicts_;
};

}  // namespace stashscope
