#pragma once

#include "core/schedule/orders/orders.h"
#include "core/study/search/budget.h"
#include "core/study/step/study.h"

namespace stashscope {

/// Whether the study's order is the result of a search.
bool is_order_searched(const Study& study);

/// The choices with the default order in place of a searched order; for intermediate studies.
Choices without_search(const Study& study, Choices choices);

/// The given choices, which have other plans than the study. If these plans offload tensors and the
/// memory of the host is limited, the default order replaces a searched order: a searched order may
/// keep more on the host than the default order, with which PlanEvaluator computes.
Choices in_order_for_host(const Study& study, Choices choices);

/// Whose peak counts: that of the step, or that of the steps after a captured step (later_steps.h).
enum class PeakOf : std::uint8_t { step, later_steps };

/// `as_chosen`: copies of offloaded tensors overlap with nodes if the choices say so. `serial`:
/// nodes wait for every copy.
enum class CopyTimes : std::uint8_t { as_chosen, serial };

/// Computes the effect of other plans by cluster on a study's step, without a study of these plans:
/// the peak, the time that the plans add, and the bytes that they keep on the host. The default
/// order replaces a searched or planned order. The order search also starts from the default order,
/// so the peak of a searched order is never above the peak computed here. Refers to the study.
class PlanEvaluator {
 public:
  explicit PlanEvaluator(const Study& study, PeakOf peak_of = PeakOf::step,
                         CopyTimes copies = CopyTimes::as_chosen);
  explicit PlanEvaluator(Study&& study, PeakOf peak_of = PeakOf::step,
                         CopyTimes copies = CopyTimes::as_chosen) = delete;

  PlanOutcome evaluate(const RecomputeConfig& config) const;
  Timeline timeline(const RecomputeConfig& config) const;
  /// The graph's own node at the peak. If an added node is at the peak, the next of the graph's own
  /// nodes in the order.
  NodeId peak_node(const RecomputeConfig& config) const;

 private:
  /// The outcome of a step whose copies overlap.
  PlanOutcome with_overlap(const OrderInput& step, const OrderStrategy& order,
                           const FusedGroups& groups) const;

  const Study& study_;
  PeakOf peak_of_;
  CopyTimes copies_;
  UpdateMemory update_;
  std::string order_;
  NodeTimes predicted_;  ///< decide when copies start; empty if copies do not overlap
};

}  // namespace stashscope
