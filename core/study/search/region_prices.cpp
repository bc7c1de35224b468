#include "core/study/search/region_prices.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/recompute/region_clusters.h"
#include "core/recompute/regions.h"
#include "core/study/step/plan_effects.h"

namespace stashscope {

namespace {

std::string modules_of(const std::string& cluster) { return cluster.substr(0, cluster.find('[')); }

bool is_inside(const std::string& inner, const std::string& outer) {
  return inner.size() > outer.size() && inner.starts_with(outer) && inner[outer.size()] == '.';
}

/// Whether a region of `freeing` overlaps the region with the same index in `others`, or the region
/// with the next index, which may read outputs of the region of `freeing`.
bool exclude(const std::vector<const NodePlan*>& freeing,
             const std::vector<const NodePlan*>& others) {
  for (std::size_t k = 0; k < freeing.size(); ++k) {
    for (std::size_t near = k; near < std::min(k + 2, others.size()); ++near) {
      if (overlap(*freeing[k]->region, *others[near]->region)) return true;
    }
  }
  return false;
}

/// The node before which the region runs again to make the outputs of `maker`.
NodeId trigger_of(const Region& region, NodeId maker) {
  for (const RegionCall& call : region.calls) {
    if (maker >= call.first && maker.index() < call.end) return call.trigger;
  }
  return region.calls.front().trigger;
}

}  // namespace

RegionPrices::RegionPrices(const Study& study, RegionTrial trial, std::function<bool()> is_over)
    : study_(study), trial_(std::move(trial)), is_over_(std::move(is_over)) {
  add_groups();
  add_conflicts();
}

void RegionPrices::add_groups() {
  const PlanCostInput input = plan_cost_input(study_);
  std::map<std::string, std::size_t> places;
  for (const NodePlan& plan : study_.opportunities->plans) {
    if (is_pinned(study_.pinned, plan.node)) continue;
    const std::string modules = modules_of(plan.cluster);
    const auto [place, is_new] = places.try_emplace(modules, groups_.size());
    if (is_new) groups_.push_back({modules, {}, {}});
    auto& entries = groups_[place->second].entries;
    auto entry = std::ranges::find(entries, plan.cluster, &Entry::name);
    if (entry == entries.end()) {
      entry = entries.insert(entry, {plan.cluster, {}, 0, plan.region->frees_outputs});
    }
    entry->plans.push_back(&plan);
    entry->seconds += strategy_of(plan.type).cost(plan, input).seconds;
  }
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    std::optional<std::size_t> outer;
    for (std::size_t j = 0; j < groups_.size(); ++j) {
      const bool is_around = is_inside(groups_[i].modules, groups_[j].modules);
      const bool is_closer = !outer || groups_[j].modules.size() > groups_[*outer].modules.size();
      if (is_around && is_closer) outer = j;
    }
    groups_[i].is_inside = outer.has_value();
    if (outer) groups_[*outer].inside.push_back(i);
  }
}

void RegionPrices::add_conflicts() {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const auto& entries = groups_[i].entries;
    const auto freeing = std::ranges::find(entries, true, &Entry::frees_outputs);
    if (freeing == entries.end()) continue;
    for (std::size_t j = 0; j < groups_.size(); ++j) {
      const std::string& modules = groups_[j].modules;
      if (i == j || is_inside(modules, groups_[i].modules)) continue;
      if (is_inside(groups_[i].modules, modules)) continue;
      const auto& others = groups_[j].entries.front().plans;
      if (exclude(freeing->plans, others)) conflicts_.push_back({i, j});
    }
  }
}

double RegionPrices::relief_at(const NodePlan& plan, NodeId node) const {
  const Timeline& timeline = study_.baseline->timeline;
  const Region& region = *plan.region;
  double bytes = 0;
  const auto add = [&](ValueId value, bool is_held) {
    const NodeId maker = study_.graph().value(value).producer;
    const BufferId id = timeline.buffer_of[value];
    if (!id.valid() || maker > node || trigger_of(region, maker) <= node) return;
    const Buffer& buffer = timeline.buffers[id];
    const bool is_alive = node.index() <= buffer.last_slot;
    if (is_alive != is_held) bytes += static_cast<double>(is_held ? -buffer.bytes : buffer.bytes);
  };
  for (const ValueId value : region.freed) add(value, false);
  for (const ValueId value : region.held) add(value, true);
  return bytes;
}

void RegionPrices::set_relief(const std::vector<NodeId>& nodes) {
  for (Group& group : groups_) {
    for (Entry& entry : group.entries) {
      entry.relief = 0;
      for (const NodePlan* const plan : entry.plans) {
        for (const NodeId node : nodes) entry.relief += relief_at(*plan, node);
      }
      entry.relief /= static_cast<double>(nodes.size());
    }
  }
}

/// Chooses an entry for the group and entries for the groups inside it. Returns the cost of the
/// choice at this price.
double RegionPrices::cost_of(std::size_t group, double price, const Limits& limits,
                             Choice& choice) const {
  double best = 0;
  for (const std::size_t inner : groups_[group].inside) {
    best += cost_of(inner, price, limits, choice);
  }
  int taken = -1;
  const auto& entries = groups_[group].entries;
  for (std::size_t i = 0; i < entries.size() && !limits.has_no_entry[group]; ++i) {
    if (limits.keeps_outputs[group] && entries[i].frees_outputs) continue;
    const double cost = entries[i].seconds - price * entries[i].relief;
    if (cost >= best) continue;
    best = cost;
    taken = static_cast<int>(i);
  }
  choice[group] = taken;
  return best;
}

/// Sets `choice` to the cheapest choice under the limits, and returns its cost.
double RegionPrices::choose(double price, const Limits& limits, Choice& choice) const {
  choice.assign(groups_.size(), -1);
  double cost = 0;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (!groups_[i].is_inside) cost += cost_of(i, price, limits, choice);
  }
  // A module inside a module that runs again is not a region of its own.
  const std::function<void(std::size_t)> leave_out = [&](std::size_t group) {
    for (const std::size_t inner : groups_[group].inside) {
      choice[inner] = -1;
      leave_out(inner);
    }
  };
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (choice[i] >= 0) leave_out(i);
  }
  return cost;
}

const RegionPrices::Conflict* RegionPrices::conflict_in(const Choice& choice) const {
  const auto found = std::ranges::find_if(conflicts_, [&](const Conflict& each) {
    const int freeing = choice[each.freeing];
    return freeing >= 0 && choice[each.reading] >= 0 &&
           groups_[each.freeing].entries[static_cast<std::size_t>(freeing)].frees_outputs;
  });
  return found == conflicts_.end() ? nullptr : &*found;
}

/// The cheapest choice that is found at this price and has no conflict. Resolves each conflict by a
/// limit on one of its two groups: the group on which the limit costs less.
RegionPrices::Choice RegionPrices::choose(double price) const {
  const std::vector<bool> none(groups_.size(), false);
  Limits limits{none, none};
  Choice choice;
  choose(price, limits, choice);
  while (const Conflict* const conflict = conflict_in(choice)) {
    Limits without_reading = limits;
    limits.keeps_outputs[conflict->freeing] = true;
    without_reading.has_no_entry[conflict->reading] = true;
    Choice other;
    const double cost_of_other = choose(price, without_reading, other);
    if (choose(price, limits, choice) <= cost_of_other) continue;
    choice = std::move(other);
    limits = std::move(without_reading);
  }
  return choice;
}

std::size_t RegionPrices::modules(std::size_t group, int entry) const {
  return entry < 0 ? 0 : groups_[group].entries[static_cast<std::size_t>(entry)].plans.size();
}

RecomputeConfig RegionPrices::config_of(const Mixture& mixture) const {
  RecomputeConfig config;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const auto add = [&](int entry, std::size_t count) {
      if (entry < 0 || count == 0) return;
      const bool is_all = count >= modules(i, entry);
      config[groups_[i].entries[static_cast<std::size_t>(entry)].name] = {
          PlanType::region, is_all ? -1 : static_cast<int>(count)};
    };
    const int dear = mixture.dear[i];
    const int cheap = mixture.cheap[i];
    if (dear == cheap) {
      add(dear, modules(i, dear));
      continue;
    }
    // If two entries cover the same module, the entry that is listed earlier takes the module.
    const std::size_t all = std::max(modules(i, dear), modules(i, cheap));
    const std::size_t of_dear = mixture.of_dear[i];
    const bool is_cheap_first = cheap >= 0 && cheap < dear;
    add(dear, is_cheap_first && of_dear > 0 ? modules(i, dear) : of_dear);
    add(cheap, is_cheap_first ? all - std::min(all, of_dear) : (of_dear < all ? all : 0));
  }
  return config;
}

bool RegionPrices::fits(const Mixture& mixture) {
  return trial_(config_of(mixture)).peak_bytes <= budget_;
}

bool RegionPrices::fits(const Choice& choice) { return fits(Mixture{choice, choice, {}}); }

/// The choices at the lowest price at which the step fits, and at the highest price at which the
/// step does not fit. Nothing if the step fits at no price.
std::optional<RegionPrices::Mixture> RegionPrices::cheapest_prices() {
  constexpr double least_seconds = 1e-12;
  double low = 0;
  double high = 0;
  for (const Group& group : groups_) {
    for (const Entry& entry : group.entries) {
      if (entry.relief <= 0) continue;
      const double price = (entry.seconds + least_seconds) / entry.relief;
      low = low == 0 ? price : std::min(low, price);
      high = std::max(high, price);
    }
  }
  if (high == 0) return std::nullopt;
  low = std::log(low / 2);
  high = std::log(high * 1000);
  Mixture found{choose(std::exp(high)), Choice(groups_.size(), -1), {}};
  if (!fits(found.dear)) return std::nullopt;
  constexpr int halvings = 24;
  for (int i = 0; i < halvings && !is_over_(); ++i) {
    const double middle = (low + high) / 2;
    const Choice choice = choose(std::exp(middle));
    const bool is_enough = choice == found.dear || (choice != found.cheap && fits(choice));
    (is_enough ? high : low) = middle;
    (is_enough ? found.dear : found.cheap) = choice;
  }
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    found.of_dear.push_back(std::max(modules(i, found.dear[i]), modules(i, found.cheap[i])));
  }
  return found;
}

double RegionPrices::seconds_between(const Mixture& mixture, std::size_t group) const {
  const auto seconds = [&](int entry) {
    return entry < 0 ? 0 : groups_[group].entries[static_cast<std::size_t>(entry)].seconds;
  };
  return seconds(mixture.dear[group]) - seconds(mixture.cheap[group]);
}

/// Gives the cheap choice to as many modules as possible, first in the groups in which this choice
/// saves most time.
void RegionPrices::take_back(Mixture& mixture) {
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (mixture.dear[i] != mixture.cheap[i]) changed.push_back(i);
  }
  std::ranges::stable_sort(changed, std::greater(),
                           [&](std::size_t i) { return seconds_between(mixture, i); });
  for (const std::size_t group : changed) {
    std::size_t least = 0;
    std::size_t enough = mixture.of_dear[group];
    while (least < enough && !is_over_()) {
      mixture.of_dear[group] = least + (enough - least) / 2;
      const bool is_enough = fits(mixture);
      (is_enough ? enough : least) =
          is_enough ? mixture.of_dear[group] : mixture.of_dear[group] + 1;
    }
    mixture.of_dear[group] = enough;
  }
}

void RegionPrices::search(std::int64_t budget_bytes,
                          const std::function<NodeId(const RecomputeConfig&)>& peak_node) {
  budget_ = budget_bytes;
  constexpr std::size_t most_nodes = 6;
  std::vector<NodeId> nodes = {peak_node({})};
  while (!is_over_()) {
    set_relief(nodes);
    std::optional<Mixture> mixture = cheapest_prices();
    if (mixture) take_back(*mixture);
    const Choice all = choose(1e30);
    const NodeId peak = peak_node(mixture ? config_of(*mixture) : config_of({all, all, {}}));
    if (nodes.size() >= most_nodes || std::ranges::find(nodes, peak) != nodes.end()) return;
    nodes.push_back(peak);
  }
}

}  // namespace stashscope
