#pragma once

#include <memory>
#include <vector>

#include "core/schedule/fusion/fusions.h"
#include "core/study/step/study.h"

namespace stashscope {

/// How the nodes of a variant are ordered and grouped for any sizes: by a rule, or as given.
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
  CopySchedule copies = {};  ///< copies that overlap with nodes; empty: no copy overlaps
};

/// Computes the variants of a study for other sizes without computing another study. The graph, the
/// plans and the dataflow stay the same. A planned or searched order and its groups stay the same,
/// too. An order by rule, its groups and the timeline are those of a study with these sizes. So are
/// the places of copies that overlap.
class StepResizer {
 public:
  /// Refers to the study.
  StepResizer(const Study& study, Progress progress);
  StepResizer(Study&& study, Progress progress) = delete;

  ScheduleSpec baseline() const;
  ScheduleSpec current() const;

  /// The sizes with one value for all of the dimensions. Throws a usage Error for values that the
  /// model rejects, and an input Error for sizes that exceed 64 bits.
  std::shared_ptr<const Sizes> sizes_with(const std::vector<Dimension>& dimensions,
                                          std::int64_t value) const;

  /// The variant with this schedule and other sizes; its copies overlap if the study's do. Throws
  /// an input Error if all tensors together are larger than 1 EB, and a cancelled Error when
  /// cancelled.
  ResizedStep resize(const ScheduleSpec& schedule, std::shared_ptr<const Sizes> sizes) const;

  /// The input of order strategies for these sizes.
  OrderInput order_input(const ScheduleSpec& schedule, const Sizes& sizes) const;

 private:
  void overlap(const OrderInput& step, ResizedStep& resized) const;

  const Study& study_;
  Progress progress_;
  UpdateMemory update_;
};

}  // namespace stashscope
