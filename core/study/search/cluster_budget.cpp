#include "core/study/search/cluster_budget.h"

#include <algorithm>
#include <map>

#include "core/study/choices/host_limit.h"
#include "core/study/search/cluster_counts.h"
#include "core/study/search/planning_basis.h"
#include "core/study/search/region_prices.h"
#include "core/study/step/plan_effects.h"

namespace stashscope {

namespace {

class ClusterAnnealer {
 public:
  ClusterAnnealer(const Study& study, const Choices& base, std::int64_t budget_bytes,
                  const SearchLimit& limit, const Progress& progress, ParetoFront& archive,
                  const OnPlan& on_plan, const ClusterSearch& how,
                  CopyTimes copies = CopyTimes::as_chosen)
      : study_(study),
        base_(base),
        kept_(how.evictions.empty() ? kept_by_planners(study.choices.plans.config)
                                    : RecomputeConfig()),
        options_(study, how.evictions, copies),
        evaluator_(study, how.peak_of, copies),
        budget_(budget_bytes),
        clock_(limit, progress),
        progress_(progress),
        random_(limit.seed),
        archive_(archive),
        on_plan_(on_plan),
        starts_(how.starts) {}

  std::int64_t run() {
    const Counts none = options_.none();
    fit_kept_to_host();
    evaluate(none);
    if (best_outcome_.peak_bytes > budget_ && options_.size() > 0) {
      evaluate(options_.counts_of(study_.config));
      for (const RecomputeConfig& start : starts_) evaluate(options_.counts_of(start));
      if (study_.graph().data().captured) price_regions();
      trim(greedy(none));
      for (const bool with_compromise : {false, true}) {
        trim(options_.counts_of(config_of_all(*study_.opportunities, with_compromise)));
      }
      if (study_.graph().data().captured) {
        refine(none);
      } else {
        anneal(best_, 1);
        trim(best_);
      }
      drop_useless();
    }
    return evaluations_;
  }

 private:
  bool is_over() const { return clock_.used(evaluations_) >= 1; }

  /// Lowers the counts of the offloads that every configuration has, until they keep no more on the
  /// host than allowed. Other entries stay.
  void fit_kept_to_host() {
    if (!study_.choices.times.host_memory) return;
    const PlanOutcome all = evaluator_.evaluate(kept_);
    if (keeps_host(all)) return;
    archive_.leave_out(all);
    const RecomputeConfig offloads = offloads_in(kept_);
    for (const auto& entry : offloads) kept_.erase(entry.first);
    for (const auto& [cluster, choice] : offloads) keep_within_host(cluster, choice);
  }

  /// Adds an entry that offloads tensors, with the largest count that the host has room for.
  void keep_within_host(const std::string& cluster, ClusterChoice choice) {
    const auto is_of_entry = [&](const NodePlan& plan) {
      return plan.type == choice.type && plan.cluster == cluster;
    };
    const auto fits_with = [&](int count) {
      kept_[cluster] = {choice.type, count, choice.of_operator};
      return keeps_host(evaluator_.evaluate(kept_));
    };
    if (fits_with(choice.count)) return;
    const auto all = std::ranges::count_if(study_.opportunities->extensions, is_of_entry);
    int enough = 0;
    int too_many = choice.count < 0 ? static_cast<int>(all) : choice.count;
    while (enough + 1 < too_many) {
      const int middle = enough + (too_many - enough) / 2;
      (fits_with(middle) ? enough : too_many) = middle;
    }
    kept_.erase(cluster);
    if (enough > 0) kept_[cluster] = {choice.type, enough, choice.of_operator};
  }

  RecomputeConfig config_of(const Counts& counts) const {
    RecomputeConfig config = kept_;
    config.merge(options_.config_of(counts));
    return config;
  }

  /// Leaves out the entries of regions without an applied plan. A plan of a region is not applied
  /// if another region contains its modules.
  RecomputeConfig without_idle_regions(RecomputeConfig config) const {
    if (!study_.graph().data().captured) return config;
    const PlanCounts taken =
        count_plans(select_plans(*study_.opportunities, config, study_.pinned));
    std::erase_if(config, [&](const auto& entry) {
      return entry.second.type == PlanType::region &&
             !taken.contains({entry.first, PlanType::region});
    });
    return config;
  }

  const PlanOutcome& evaluate(const Counts& counts) {
    const auto [known, is_new] = outcomes_.try_emplace(counts);
    if (is_new) {
      known->second = evaluator_.evaluate(config_of(counts));
      ++evaluations_;
      note(counts, known->second);
    }
    return known->second;
  }

  bool keeps_host(const PlanOutcome& outcome) const {
    return stashscope::keeps_host(study_.choices, outcome.host_bytes);
  }

  bool fits(const PlanOutcome& outcome) const {
    return outcome.peak_bytes <= budget_ && keeps_host(outcome);
  }

  /// @pre both keep the host's memory, or neither does
  bool is_better(const PlanOutcome& a, const PlanOutcome& b) const {
    if (fits(a) != fits(b)) return fits(a);
    return fits(a) ? a.extra_seconds < b.extra_seconds : a.peak_bytes < b.peak_bytes;
  }

  void note(const Counts& counts, const PlanOutcome& outcome) {
    if (!keeps_host(outcome)) {
      archive_.leave_out(outcome);
      return;
    }
    if (best_.empty() || is_better(outcome, best_outcome_)) {
      best_ = counts;
      best_outcome_ = outcome;
    }
    if (archive_.has_as_good(outcome.peak_bytes, outcome.extra_seconds)) return;
    Choices choices = with_clusters(base_, without_idle_regions(config_of(counts)));
    ParetoPoint point{in_order_for_host(study_, std::move(choices)), outcome.peak_bytes,
                      outcome.extra_seconds, outcome.host_bytes};
    if (on_plan_) on_plan_(point);
    archive_.add(std::move(point));
  }

  /// Adds plans until the budget is met or no change lowers the peak.
  Counts greedy(Counts counts) {
    std::int64_t peak = evaluate(counts).peak_bytes;
    while (peak > budget_ && !is_over()) {
      const Timeline timeline = evaluator_.timeline(config_of(counts));
      std::vector<Counts> steps = options_.steps_down(counts, timeline, peak - budget_);
      const auto lower = std::ranges::find_if(steps, [&](Counts& each) {
        if (is_over()) return false;
        each = within_host(counts, std::move(each));
        return evaluate(each).peak_bytes < peak;
      });
      if (lower == steps.end()) break;
      counts = *lower;
      peak = evaluate(counts).peak_bytes;
    }
    return counts;
  }

  /// The counts `to`, in which one cluster has a higher count than in `from`. Lowers this count as
  /// far as needed for the plans to keep no more on the host than allowed.
  /// @pre the plans of `from` keep no more than allowed
  Counts within_host(const Counts& from, Counts to) {
    if (keeps_host(evaluate(to))) return to;
    const auto changed = std::ranges::mismatch(from, to);
    std::uint32_t enough = changed.in1->option == changed.in2->option ? changed.in1->count : 0;
    std::uint32_t too_many = changed.in2->count;
    while (enough + 1 < too_many && !is_over()) {
      changed.in2->count = enough + (too_many - enough) / 2;
      (keeps_host(evaluate(to)) ? enough : too_many) = changed.in2->count;
    }
    changed.in2->count = enough;
    return to;
  }

  /// Removes plans that the budget does not need, the most expensive plans first.
  void trim(Counts counts) {
    if (!fits(evaluate(counts))) return;
    for (const std::size_t cluster : options_.by_seconds(counts)) {
      std::uint32_t enough = counts[cluster].count;
      std::uint32_t least = 0;
      while (least < enough && !is_over()) {
        const std::uint32_t middle = least + (enough - least) / 2;
        counts[cluster].count = middle;
        const bool is_enough = fits(evaluate(counts));
        (is_enough ? enough : least) = is_enough ? middle : middle + 1;
      }
      counts[cluster].count = enough;
    }
  }

  /// Drops single clusters as long as the budget stays met without them; the cheapest result wins.
  /// Not bound by the limit, because `trim` can miss such clusters: `trim` stops at the limit, and
  /// its bisection assumes that fewer occurrences never lower the peak.
  void drop_useless() {
    Counts before;
    do {
      before = best_;
      for (std::size_t cluster = 0; cluster < before.size(); ++cluster) {
        if (before[cluster].count == 0) continue;
        if (best_outcome_.peak_bytes > budget_ || progress_.cancelled()) return;
        Counts without = before;
        without[cluster] = {};
        evaluate(without);
      }
    } while (best_ != before);
  }

  void price_regions() {
    RegionPrices prices(
        study_, [&](const RecomputeConfig& config) { return evaluate(options_.counts_of(config)); },
        [&] { return clock_.used(evaluations_) >= 0.6; });
    prices.search(budget_, [&](const RecomputeConfig& config) {
      return evaluator_.peak_node(config_of(options_.counts_of(config)));
    });
  }

  /// Anneals and exchanges in turn. Every second round starts without plans, to find configurations
  /// far from those that the other searches found.
  void refine(const Counts& none) {
    constexpr int rounds = 8;
    for (int round = 1; round <= rounds; ++round) {
      const double from = clock_.used(evaluations_);
      const double until = from + (1 - from) / (rounds + 1 - round);
      const Counts found = anneal(round % 2 == 0 ? none : best_, from + 0.6 * (until - from));
      exchange(found, until);
      trim(best_);
    }
  }

  /// Exchanges counts between clusters (`first_exchange`) as long as the result is better.
  /// @param until the share of the limit at which the exchanges end
  void exchange(Counts state, double until) {
    while (true) {
      bool is_spent = false;
      auto better = options_.first_exchange(state, [&](const Counts& next) {
        is_spent = clock_.used(evaluations_) >= until;
        return is_spent || is_better(evaluate(next), evaluate(state));
      });
      if (is_spent || !better) return;
      state = *std::move(better);
    }
  }

  /// For a captured step, nearly only the peak counts until a plan fits, because cheap plans that
  /// barely exceed the budget would trap the search.
  double energy(const PlanOutcome& outcome, double penalty) const {
    const auto excess =
        static_cast<double>(std::max<std::int64_t>(0, outcome.peak_bytes - budget_));
    const bool has_plan = best_outcome_.peak_bytes <= budget_;
    if (has_plan || !study_.graph().data().captured) {
      return outcome.extra_seconds + penalty * excess;
    }
    return 0.001 * outcome.extra_seconds + 0.1 * penalty * excess;
  }

  /// Stops when the share `until` of the limit is used. Returns the best state that was visited.
  /// @param until from 0 to 1
  Counts anneal(Counts state, double until) {
    Counts best = state;
    const PlanOutcome all =
        evaluate(options_.counts_of(config_of_all(*study_.opportunities, true)));
    const double scale = std::max({all.extra_seconds, best_outcome_.extra_seconds, 1e-12});
    const Cooling cooling{0.05 * scale, 0.0002 * scale};
    const double penalty = 10 * scale / static_cast<double>(std::max<std::int64_t>(1, budget_));
    const double from = clock_.used(evaluations_);
    constexpr std::int64_t most_known = 100'000;  // ends a search that meets only known states
    for (std::int64_t move = 0; move < most_known && !is_over(); ++move) {
      const double used = clock_.used(evaluations_);
      if (used >= until) break;
      const double temperature = cooling.at((used - from) / (until - from));
      Counts next = state;
      options_.change(next, random_);
      if (next == state || !keeps_host(evaluate(next))) continue;
      const double most_energy =
          energy(evaluate(state), penalty) + accepted_rise(temperature, random_);
      if (energy(evaluate(next), penalty) > most_energy) continue;
      state = next;
      if (is_better(evaluate(state), evaluate(best))) best = state;
    }
    return best;
  }

  const Study& study_;
  const Choices& base_;
  RecomputeConfig kept_;  ///< entries that every configuration has
  ClusterOptions options_;
  PlanEvaluator evaluator_;
  std::int64_t budget_;
  SearchClock clock_;
  const Progress& progress_;
  SearchRandom random_;
  ParetoFront& archive_;
  const OnPlan& on_plan_;
  const std::vector<RecomputeConfig>& starts_;
  std::map<Counts, PlanOutcome> outcomes_;
  Counts best_;
  PlanOutcome best_outcome_;
  std::int64_t evaluations_ = 0;
};

/// Whether the search may choose or keep copies that overlap with nodes.
bool may_overlap(const Study& study, const ClusterSearch& how) {
  if (!study.choices.plans.overlaps_copies || study.graph().data().captured) return false;
  return std::ranges::find(how.evictions, PlanType::offload) != how.evictions.end() ||
         !offloads_in(study.choices.plans.config).empty();
}

}  // namespace

std::int64_t search_clusters(const Study& study, const Choices& base, std::int64_t budget_bytes,
                             const SearchLimit& limit, const Progress& progress,
                             ParetoFront& archive, const OnPlan& on_plan,
                             const ClusterSearch& how) {
  if (!may_overlap(study, how)) {
    return ClusterAnnealer(study, base, budget_bytes, limit, progress, archive, on_plan, how).run();
  }
  SearchLimit part = limit;
  part.seconds *= 0.5;
  ParetoFront serial;
  const OnPlan no_report;
  const std::int64_t evaluations = ClusterAnnealer(study, base, budget_bytes, part, progress,
                                                   serial, no_report, how, CopyTimes::serial)
                                       .run();
  ClusterSearch further = how;
  if (!serial.points().empty()) {
    further.starts.push_back(serial.best(budget_bytes).choices.plans.config);
  }
  return std::max(
      evaluations,
      ClusterAnnealer(study, base, budget_bytes, part, progress, archive, on_plan, further).run());
}

Choices with_clusters(Choices choices, const RecomputeConfig& config) {
  choices.plans.config = config;
  choices.plans.search = effective_search_options(choices.plans);
  choices.plans.level = 0;
  forget_planned(choices);
  return choices;
}

}  // namespace stashscope
