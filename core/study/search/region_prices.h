#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/study/search/plan_evaluator.h"
#include "core/study/step/study.h"

namespace stashscope {

/// Tells the exact peak and time of a configuration.
using RegionTrial = std::function<PlanEvaluator::Outcome(const RecomputeConfig&)>;

/// Searches the regions of a captured step, and what these keep, for a budget. A byte that lives at
/// the peak gets a price in seconds. For a price, each module on its own takes what costs least:
/// run again as a whole, with some outputs kept, or leave it to the modules inside it. The search
/// finds the lowest price at which the step fits, and then takes back as many modules as possible
/// to what they do at the next lower price. Where another node becomes the peak, bytes that live
/// there get a price, too. The sums that guide the search leave out that a region that runs again
/// needs memory itself; every result is tried exactly. Refers to the study.
class RegionPrices {
 public:
  RegionPrices(const Study& study, RegionTrial trial, std::function<bool()> is_over);
  RegionPrices(Study&& study, RegionTrial trial, std::function<bool()> is_over) = delete;

  /// @param timeline tells the timeline of a configuration
  void search(std::int64_t budget_bytes,
              const std::function<NodeId(const RecomputeConfig&)>& peak_node);

 private:
  /// The plans of a cluster, such as `h.*` or `h.*[keep mm]`.
  struct Entry {
    std::string name;
    std::vector<const NodePlan*> plans;
    double seconds = 0;
    double relief = 0;  ///< bytes freed at the priced nodes, on average
  };
  /// The clusters of the same modules, which exclude each other.
  struct Group {
    std::string modules;
    std::vector<Entry> entries;
    std::vector<std::size_t> inside;  ///< groups of modules inside these
    bool is_inside = false;
  };
  /// By group: the entry that is on, or -1.
  using Choice = std::vector<int>;
  /// Of each group, the first modules have the entry of `dear`, the others that of `cheap`.
  struct Mixture {
    Choice dear;
    Choice cheap;
    std::vector<std::size_t> of_dear;  ///< number of modules
  };

  void add_groups();
  void set_relief(const std::vector<NodeId>& nodes);
  double relief_at(const NodePlan& plan, NodeId node) const;
  double cost_of(std::size_t group, double price, Choice& choice) const;
  Choice choose(double price) const;
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
};

}  // namespace stashscope
