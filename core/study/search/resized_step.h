#pragma once

#include <memory>
#include <vector>

#include "core/schedule/fusion/fusions.h"
#include "core/study/step/study.h"

namespace stashscope {

/// How the nodes of a variant come into an order whatever their sizes.
struct ScheduleSpec {
  const Dataflow& dataflow;
  const OrderStrategy* rule = nullptr;  ///< null: `order` and `groups` are given
  std::vector<NodeId> order = {};
  FusedGroups groups = {};
};

/// A variant of the step with other sizes.
struct ResizedStep {
  std::shared_ptr<const Sizes> sizes;
  Timeline timeline;
  FusedGroups groups;
};

/// Gives the variants of a study other sizes without a study of its own: graph, plans and dataflow
/// stay; order by rule, groups and timeline are those of a study with these sizes. An order that
/// was planned or searched for is kept.
class StepResizer {
 public:
  /// Refers to the study.
  StepResizer(const Study& study, Progress progress);
  StepResizer(Study&& study, Progress progress) = delete;

  ScheduleSpec baseline() const;
  ScheduleSpec current() const;

  /// The sizes with one value for all of the dimensions. Throws a usage Error for values that the
  /// model does not take, an input Error for sizes that do not fit into 64 bits.
  std::shared_ptr<const Sizes> sizes_with(const std::vector<Dimension>& dimensions,
                                          std::int64_t value) const;

  /// Throws an input Error where all tensors together are larger than 1 EB, and when cancelled.
  ResizedStep resize(const ScheduleSpec& schedule, std::shared_ptr<const Sizes> sizes) const;

  /// What order strategies see of it.
  OrderInput order_input(const ScheduleSpec& schedule, const Sizes& sizes) const;

 private:
  const Study& study_;
  Progress progress_;
  UpdateMemory update_;
};

}  // namespace stashscope
