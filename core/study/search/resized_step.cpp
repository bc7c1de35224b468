#include "core/study/search/resized_step.h"

#include <cmath>

#include "core/base/error.h"
#include "core/study/choices/effective_update.h"
#include "core/study/edits/edits.h"
#include "core/study/step/fusion_table.h"
#include "core/study/step/moved_order.h"
#include "core/study/step/overlapped_step.h"
#include "core/study/step/sizes.h"
#include "core/study/step/variants.h"

namespace stashscope {

namespace {

/// Rejects sums of bytes above 1 EB. Larger sums could overflow 64 bits and look small.
void check_total(const Dataflow& dataflow, const Sizes& sizes) {
  constexpr double most = 1e18;
  double total = 0;
  for (const ValueId id : IdRange<ValueId>(dataflow.topology.values())) {
    total += static_cast<double>(stored_bytes(dataflow, sizes.bytes, id));
  }
  for (const std::int64_t each : sizes.workspace) total += std::abs(static_cast<double>(each));
  if (total > most) fail_input("", "all tensors together are larger than 1 EB");
}

}  // namespace

StepResizer::StepResizer(const Study& study, Progress progress)
    : study_(study),
      progress_(std::move(progress)),
      update_(update_memory(study.graph(), study.prepared->step.parameters,
                            effective_update(study.graph(), study.choices.update))) {}

ScheduleSpec StepResizer::baseline() const {
  const Variant& variant = *study_.baseline;
  return {variant.dataflow, nullptr, variant.timeline.order, variant.groups};
}

ScheduleSpec StepResizer::current() const {
  const Variant& variant = *study_.current;
  const OrderStrategy* const strategy = study_.order ? &find_order(*study_.order) : nullptr;
  const bool has_rule =
      strategy != nullptr && strategy->kind != OrderKind::search && !study_.graph().data().captured;
  if (has_rule) return {variant.dataflow, strategy};
  if (variant.copies.empty()) {
    return {variant.dataflow, nullptr, variant.timeline.order, variant.groups};
  }
  // The current order has the copies where they start with the study's sizes. With other sizes,
  // they start elsewhere, so this is the order before the copies were placed.
  MovedOrder serial = with_moves(study_.graph(), variant.dataflow, variant.groups,
                                 study_.ordered->nodes, study_.choices.order.moves);
  return {variant.dataflow, nullptr, std::move(serial.nodes), variant.groups};
}

std::shared_ptr<const Sizes> StepResizer::sizes_with(const std::vector<Dimension>& dimensions,
                                                     std::int64_t value) const {
  Choices choices = study_.choices;
  for (const Dimension& each : dimensions) {
    choices = with_dimension(study_, std::move(choices), each, value);
  }
  return sizes_under(*study_.prepared, choices.dims);
}

OrderInput StepResizer::order_input(const ScheduleSpec& schedule, const Sizes& sizes) const {
  return stashscope::order_input(*study_.prepared, sizes, update_, schedule.dataflow, progress_);
}

ResizedStep StepResizer::resize(const ScheduleSpec& schedule,
                                std::shared_ptr<const Sizes> sizes) const {
  ResizedStep resized{std::move(sizes), {}, schedule.groups};
  check_total(schedule.dataflow, *resized.sizes);
  const OrderInput step = order_input(schedule, *resized.sizes);
  if (schedule.rule == nullptr) {
    resized.timeline = timeline_in(step, schedule.order, schedule.groups);
  } else {
    resized.groups = chosen_groups(step, study_.order, study_.choices.fusion);
    MovedOrder moved =
        with_moves(study_.graph(), schedule.dataflow, resized.groups,
                   nodes_in(step, *schedule.rule, resized.groups), study_.choices.order.moves);
    resized.timeline = timeline_in(step, std::move(moved.nodes), resized.groups);
  }
  overlap(step, resized);
  return resized;
}

void StepResizer::overlap(const OrderInput& step, ResizedStep& resized) const {
  if (!has_overlap(study_.choices, step.dataflow)) return;
  const NodeTimes times = profile_times(study_, *resized.sizes);
  OverlappedStep placed = overlapped(step, resized.timeline, resized.groups,
                                     {resized.sizes->bytes, times, copy_rates(study_)});
  resized.timeline = std::move(placed.timeline);
  resized.copies = std::move(placed.copies);
}

}  // namespace stashscope
