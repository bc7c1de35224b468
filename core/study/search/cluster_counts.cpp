#include "core/study/search/cluster_counts.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/recompute/strategy.h"
#include "core/study/step/plan_effects.h"

namespace stashscope {

namespace {

/// An estimate of the share of the copies' time for which nodes wait. Assumes that all plans are
/// on, and that the link copies in both directions for as long as nodes run.
double exposed_share(const Study& study, const std::vector<const NodePlan*>& plans,
                     const PlanCostInput& input) {
  const NodeTimes& nodes = study.times->seconds;
  const double hidden = 2 * std::accumulate(nodes.begin(), nodes.end(), 0.0);
  double copying = 0;  // in both directions
  for (const NodePlan* const plan : plans) {
    if (plan->type != PlanType::offload) continue;
    copying += strategy_of(plan->type).cost(*plan, input).seconds;
  }
  return copying <= hidden ? 0 : 1 - hidden / copying;
}

}  // namespace

ClusterOptions::ClusterOptions(const Study& study, const std::vector<PlanType>& evictions,
                               CopyTimes copies)
    : graph_(study.graph()) {
  const Opportunities& found = *study.opportunities;
  std::vector<const NodePlan*> plans;
  for (const NodePlan& plan : found.plans) plans.push_back(&plan);
  for (const NodePlan& plan : found.extensions) {
    if (std::ranges::find(evictions, plan.type) != evictions.end()) plans.push_back(&plan);
  }
  std::ranges::stable_sort(
      plans, {}, [&](const NodePlan* plan) { return found.position[plan->node.index()]; });
  const PlanCostInput input = plan_cost_input(study);
  const bool is_hidden = copies == CopyTimes::as_chosen && study.choices.plans.overlaps_copies;
  const double exposed = is_hidden ? exposed_share(study, plans, input) : 1;
  std::map<std::string, std::size_t> places;
  for (const NodePlan* const plan : plans) {
    const auto [place, is_new] = places.try_emplace(plan->cluster, clusters_.size());
    if (is_new) clusters_.push_back({plan->cluster, {}});
    auto& options = clusters_[place->second].options;
    auto option = std::ranges::find(options, plan->type, &Option::type);
    if (option == options.end()) option = options.insert(option, {plan->type, {}});
    const bool pinned = is_pinned(study.pinned, plan->node);
    const double seconds = pinned ? 0 : strategy_of(plan->type).cost(*plan, input).seconds;
    const bool copies_tensor = plan->type == PlanType::offload;
    option->occurrences.push_back({plan, copies_tensor ? exposed * seconds : seconds, pinned});
  }
  if (graph_.data().captured) find_rivals();
}

void ClusterOptions::find_rivals() {
  std::map<std::string, std::vector<std::uint32_t>> of_modules;
  for (std::uint32_t i = 0; i < size(); ++i) {
    const std::string& name = clusters_[i].name;
    of_modules[name.substr(0, name.find('['))].push_back(i);
  }
  for (const auto& [modules, clusters] : of_modules) {
    if (clusters.size() < 2) continue;
    for (const std::uint32_t i : clusters) clusters_[i].rivals = clusters;
  }
}

Counts ClusterOptions::counts_of(const RecomputeConfig& config) const {
  Counts counts = none();
  for (std::size_t i = 0; i < size(); ++i) {
    const auto choice = config.find(clusters_[i].name);
    if (choice == config.end()) continue;
    const auto& options = clusters_[i].options;
    const auto option = std::ranges::find(options, choice->second.type, &Option::type);
    if (option == options.end()) continue;
    counts[i].option = static_cast<std::uint32_t>(option - options.begin());
    const int chosen = choice->second.count;
    const std::uint32_t all = most(i, counts[i].option);
    counts[i].count = chosen < 0 ? all : std::min(all, static_cast<std::uint32_t>(chosen));
  }
  return counts;
}

RecomputeConfig ClusterOptions::config_of(const Counts& counts) const {
  RecomputeConfig config;
  for (std::size_t i = 0; i < size(); ++i) {
    const auto [option, count] = counts[i];
    if (count == 0) continue;
    const bool is_all = count == most(i, counts[i].option);
    config[clusters_[i].name] = {clusters_[i].options[option].type,
                                 is_all ? -1 : static_cast<int>(count)};
  }
  return config;
}

std::uint32_t ClusterOptions::most(std::size_t cluster, std::uint32_t option) const {
  return static_cast<std::uint32_t>(clusters_[cluster].options[option].occurrences.size());
}

double ClusterOptions::seconds(std::size_t cluster, ClusterCount count) const {
  const auto& occurrences = clusters_[cluster].options[count.option].occurrences;
  double sum = 0;
  for (std::uint32_t i = 0; i < count.count; ++i) sum += occurrences[i].seconds;
  return sum;
}

ClusterOptions::Step ClusterOptions::step_down(std::size_t cluster, ClusterCount from,
                                               const Timeline& timeline,
                                               std::int64_t excess) const {
  const auto& occurrences = clusters_[cluster].options[from.option].occurrences;
  Step step{from, cluster, 0};
  std::int64_t freed = 0;
  double taken = 0;
  for (; step.to.count < occurrences.size() && freed < excess; ++step.to.count) {
    const Occurrence& next = occurrences[step.to.count];
    if (next.is_pinned) continue;
    freed += bytes_at_peak(graph_, timeline, *next.plan);
    taken += next.seconds;
  }
  constexpr double least_seconds = 1e-12;  // views take no time to run again
  step.bytes_of_a_second = static_cast<double>(freed) / (taken + least_seconds);
  return step;
}

std::vector<Counts> ClusterOptions::steps_down(const Counts& counts, const Timeline& timeline,
                                               std::int64_t excess) const {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::uint32_t option = 0; option < clusters_[i].options.size(); ++option) {
      if (counts[i].count > 0 && counts[i].option != option) continue;
      steps.push_back(step_down(i, {option, counts[i].count}, timeline, excess));
    }
  }
  std::erase_if(steps, [](const Step& each) { return each.bytes_of_a_second <= 0; });
  std::ranges::stable_sort(steps, std::greater(), &Step::bytes_of_a_second);
  std::vector<Counts> results;
  for (const Step& step : steps) {
    results.push_back(counts);
    results.back()[step.cluster] = step.to;
  }
  return results;
}

std::vector<std::size_t> ClusterOptions::by_seconds(const Counts& counts) const {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < size(); ++i) {
    if (counts[i].count > 0) used.push_back(i);
  }
  std::ranges::stable_sort(used, std::greater(),
                           [&](std::size_t i) { return seconds(i, counts[i]); });
  return used;
}

/// Tries `counts` with more occurrences of one cluster other than `but`: all of them, or one more.
/// Returns whether a variant was accepted. If so, `counts` becomes this variant; otherwise,
/// `counts` stays unchanged.
bool ClusterOptions::raise(Counts& counts, std::size_t but, const Accepts& accepts) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const std::uint32_t before = counts[i].count;
    const std::uint32_t all = most(i, counts[i].option);
    if (i == but || before == all) continue;
    for (const std::uint32_t count : {all, before + 1}) {
      counts[i].count = count;
      if (accepts(counts)) return true;
      if (before + 1 == all) break;
    }
    counts[i].count = before;
  }
  return false;
}

std::optional<Counts> ClusterOptions::first_exchange(const Counts& counts,
                                                     const Accepts& accepts) const {
  Counts variant = counts;
  if (raise(variant, size(), accepts)) return variant;
  const std::vector<std::size_t> used = by_seconds(counts);
  const auto is_found = [&](std::size_t but) {
    return accepts(variant) || raise(variant, but, accepts);
  };
  for (const std::size_t i : used) {
    variant[i].count = counts[i].count - 1;
    if (is_found(i)) return variant;
    variant[i].count = 0;
    if (counts[i].count > 1 && is_found(i)) return variant;
    variant[i] = counts[i];
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    for (std::size_t j = i + 1; j < used.size(); ++j) {
      variant[used[i]].count = variant[used[j]].count = 0;
      if (is_found(used[i])) return variant;
      variant[used[j]] = counts[used[j]];
    }
    variant[used[i]] = counts[used[i]];
  }
  return std::nullopt;
}

/// Lowers the count of a random used cluster. In three of four cases, also raises the count of a
/// random cluster.
void ClusterOptions::exchange(Counts& counts, SearchRandom& random) const {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < size(); ++i) {
    if (counts[i].count > 0) used.push_back(i);
  }
  const auto below = [&](std::size_t count) {
    return random.below(static_cast<std::uint32_t>(count));
  };
  if (!used.empty()) {
    ClusterCount& lowered = counts[used[below(used.size())]];
    lowered.count -= 1 + random.below(lowered.count);
    if (random.below(4) == 0) return;
  }
  const std::size_t other = below(size());
  ClusterCount& raised = counts[other];
  const std::uint32_t more = most(other, raised.option) - raised.count;
  if (more > 0) raised.count += 1 + random.below(more);
}

void ClusterOptions::change(Counts& counts, SearchRandom& random) const {
  if (graph_.data().captured && random.below(2) == 0) {
    exchange(counts, random);
    return;
  }
  const auto pick = [&] { return random.below(static_cast<std::uint32_t>(size())); };
  const std::uint32_t i = pick();
  const auto resize = [&](std::uint32_t cluster, bool up) {
    ClusterCount& each = counts[cluster];
    const std::uint32_t all = most(cluster, each.option);
    const std::uint32_t by = 1 + random.below(1 + all / 4);
    each.count = up ? std::min(all, each.count + by) : each.count - std::min(each.count, by);
  };
  const auto& rivals = clusters_[i].rivals;
  if (!rivals.empty() && random.below(2) == 0) {
    const std::uint32_t by = std::min(counts[i].count, 1 + random.below(1 + counts[i].count / 2));
    const std::uint32_t rival = rivals[random.below(static_cast<std::uint32_t>(rivals.size()))];
    counts[i].count -= by;
    counts[rival].count = std::min(most(rival, counts[rival].option), counts[rival].count + by);
    return;
  }
  switch (random.below(4)) {
    case 0:
      resize(i, random.below(2) == 0);
      break;
    case 1:
      counts[i].count = random.below(most(i, counts[i].option) + 1);
      break;
    case 2: {
      counts[i] = {random.below(options(i)), 0};
      counts[i].count = random.below(2) * most(i, counts[i].option);
      break;
    }
    default:
      resize(i, false);
      resize(pick(), true);
  }
}

}  // namespace stashscope
