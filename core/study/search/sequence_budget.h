#pragma once

#include "core/planner/cost_bound.h"
#include "core/planner/sequence_plan.h"
#include "core/schedule/orders/orders.h"
#include "core/study/search/budget.h"
#include "core/study/step/planned_step.h"

namespace stashscope {

/// A study's step without plans as the input of sequence searches. Refers to the study.
class SequenceProblem {
 public:
  SequenceProblem(const Study& study, const Progress& progress);
  SequenceProblem(Study&& study, const Progress& progress) = delete;

  const TaskGraph& graph() const { return tasks_.graph; }
  /// Searches for the cheapest sequence within the budget. @pre the grain of the request is not
  /// `cluster`
  BudgetedSequence search(const BudgetRequest& request, const Progress& progress,
                          const BetterSequence& on_better) const;

  /// The study's choices with `sequence` as planned sequence, and the peak and time of this
  /// sequence.
  ParetoPoint point(std::span<const TaskId> sequence) const;
  /// The sequence in which a variant's nodes run. Nothing if the variant has added nodes other than
  /// clones, if the grain cannot express the sequence, or if the sequence runs a node too often,
  /// such as a pinned node.
  std::optional<std::vector<TaskId>> sequence_of(const Variant& variant,
                                                 PlanGranularity grain) const;

  /// Lower bound on the seconds that any plan within the budget adds to the step without plans.
  /// @param evictions types of evicting plans that a plan within the budget may also have
  double least_extra_seconds(std::int64_t budget_bytes, const SearchLimit& limit,
                             const Progress& progress,
                             const std::vector<PlanType>& evictions = {}) const;
  /// Lower bound on the peak of any plan that runs nodes again.
  StepPeakBound floor(const SearchLimit& limit, const Progress& progress) const;
  /// Lower bound on the peak of any plan, even of one that evicts tensors.
  std::int64_t floor_with_evictions() const;

 private:
  BudgetedSequence search_nodes(std::int64_t budget_bytes, const SearchLimit& limit,
                                const Progress& progress, const BetterSequence& on_better) const;
  BudgetedSequence search_freely(std::int64_t budget_bytes, const SearchLimit& limit,
                                 const Progress& progress, const BetterSequence& on_better) const;
  std::vector<TaskId> chosen_order(const OrderInput& step) const;
  /// The step with all figures estimated from below. Lower bounds for this step also hold for the
  /// exact step.
  StepTasks tasks_below() const;
  /// The least costs of evicting outputs of tasks, in picoseconds.
  EvictionCosts eviction_costs(const std::vector<PlanType>& evictions,
                               const StepTasks& tasks) const;
  StepMemory memory() const;

  const Study& study_;
  UpdateMemory update_;
  StepTasks tasks_;
  std::vector<std::vector<TaskId>> starts_;  ///< orders to start from, the chosen order first
};

}  // namespace stashscope
