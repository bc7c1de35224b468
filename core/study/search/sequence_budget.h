#pragma once

#include "core/planner/sequence_plan.h"
#include "core/schedule/orders/orders.h"
#include "core/study/search/budget.h"
#include "core/study/step/planned_step.h"

namespace stashscope {

/// A study's step without plans, as searches for sequences see it. Refers to the study.
class SequenceProblem {
 public:
  SequenceProblem(const Study& study, const Progress& progress);
  SequenceProblem(Study&& study, const Progress& progress) = delete;

  const TaskGraph& graph() const { return tasks_.graph; }
  /// The cheapest sequence that is found. @pre grain is not cluster
  BudgetedSequence search(const BudgetRequest& request, const Progress& progress,
                          const BetterSequence& on_better) const;

  /// The choices with a sequence, and what they lead to.
  ParetoPoint point(std::span<const TaskId> sequence) const;
  /// The sequence in which a variant's nodes run; nothing where it has other nodes than the step's
  /// own and clones of them, or where it is none of the grain's.
  std::optional<std::vector<TaskId>> sequence_of(const Variant& variant,
                                                 PlanGranularity grain) const;

  /// What every plan costs at least, in seconds beyond the step without plans.
  double least_extra_seconds(std::int64_t budget_bytes, const SearchLimit& limit,
                             const Progress& progress) const;
  StepPeakBound floor(const SearchLimit& limit, const Progress& progress) const;

 private:
  BudgetedSequence search_nodes(std::int64_t budget_bytes, const SearchLimit& limit,
                                const Progress& progress, const BetterSequence& on_better) const;
  BudgetedSequence search_freely(std::int64_t budget_bytes, const SearchLimit& limit,
                                 const Progress& progress, const BetterSequence& on_better) const;
  std::vector<TaskId> chosen_order(const OrderInput& step) const;
  /// The step with nothing in it larger than it is: what is proven of it holds for the step.
  StepTasks tasks_below() const;
  StepMemory memory() const;

  const Study& study_;
  UpdateMemory update_;
  StepTasks tasks_;
  std::vector<std::vector<TaskId>> starts_;  ///< the chosen order first
};

}  // namespace stashscope
