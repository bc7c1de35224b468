#include "ui/memory/memory_curves.h"

#include <algorithm>

#include "core/study/facts/step_tensors.h"
#include "core/study/step/plan_effects.h"

namespace stashscope::ui {

namespace {

/// Reserved memory above this multiple of the highest peak is not drawn.
constexpr std::int64_t most_reserved_in_sight = 2;
/// The same for predicted reserved memory. The multiple is larger, because a step that needs little
/// memory leaves most of its segments free.
constexpr std::int64_t most_predicted_in_sight = 4;

using BandEdges = std::array<CurveExtremes, band_count>;

MemoryCurve with_peak(MemoryCurve curve) {
  if (curve.bytes.empty()) return curve;
  const Stretch whole{0, curve.bytes.size()};
  curve.peak_slot = curve.bytes.highest(whole);
  curve.peak_bytes = curve.bytes[curve.peak_slot];
  return curve;
}

/// A curve over the slots of a measurement.
/// @param bytes live bytes by slot, with or without workspace
SharedCurve measured_curve(const Variant& variant, const Measurement& measured,
                           std::vector<std::int64_t> bytes) {
  const std::size_t forward_slots = std::min(variant.forward_slots, bytes.size());
  return std::make_shared<const MemoryCurve>(with_peak(
      {CurveExtremes(std::move(bytes)), StepClock(measured.node_seconds), forward_slots}));
}

void add_measured(MemoryCurves& curves, const Variant& variant, const Measurement& measured) {
  if (measured.live_bytes.empty()) return;
  curves.measured = measured_curve(variant, measured, measured.live_bytes);
  curves.reserved_bytes = measured.peak_reserved_bytes;
  if (measured.workspace_bytes.empty()) return;
  curves.with_workspace = measured_curve(variant, measured, with_workspace(measured));
}

std::shared_ptr<const BandEdges> edges_of(const Variant& variant) {
  auto edges = std::make_shared<BandEdges>();
  for (std::size_t i = 0; i < band_count; ++i) {
    (*edges)[i] = CurveExtremes(stacked(variant.bands, static_cast<Band>(i)));
  }
  return edges;
}

/// The number of forward slots; without a backward pass, the number of all slots.
double boundary_of(const MemoryCurve& curve) {
  return static_cast<double>(curve.forward_slots > 0 ? curve.forward_slots : curve.bytes.size());
}

template <class Visit>
void for_each_curve(const MemoryCurves& curves, const Visit& visit) {
  for (const SharedCurve& each :
       {curves.current, curves.baseline, curves.measured, curves.with_workspace}) {
    if (each != nullptr) visit(*each);
  }
  for (const PinnedCurve& each : curves.pinned) visit(*each.curve);
}

SharedCurve timed_curve(const Study& study, const Variant& variant, const StepTimes& times) {
  return std::make_shared<const MemoryCurve>(with_peak(
      {CurveExtremes(variant.timeline.live_bytes),
       StepClock(seconds_by_step(study, variant, times.seconds)), variant.forward_slots}));
}

std::int64_t highest_peak(const MemoryCurves& curves) {
  std::int64_t highest = 1;
  for_each_curve(curves,
                 [&](const MemoryCurve& curve) { highest = std::max(highest, curve.peak_bytes); });
  return highest;
}

}  // namespace

SharedCurve curve_of(const Study& study, const Variant& variant) {
  return timed_curve(study, variant, *study.times);
}

SharedCurve pinned_curve_of(const Study& pinned, const Study& shown) {
  const bool same_nodes = pinned.prepared->fingerprint == shown.prepared->fingerprint &&
                          pinned.sizes->bytes == shown.sizes->bytes;
  return timed_curve(pinned, *pinned.current, same_nodes ? *shown.times : *pinned.times);
}

SharedCurve reserved_curve_of(const MemoryCurve& current, const ReservedMemory& memory) {
  return std::make_shared<const MemoryCurve>(
      with_peak({CurveExtremes(memory.by_slot), current.clock, current.forward_slots}));
}

MemoryCurves curves_of(std::shared_ptr<const Study> study, const Measurement* measured,
                       const MemoryCurves& previous) {
  MemoryCurves curves;
  if (study == nullptr) return curves;
  const Study* const before = previous.study.get();
  const bool same_times = before != nullptr && before->times == study->times;
  const bool same_variant = before != nullptr && before->current == study->current;
  const bool same_baseline = same_times && before->baseline == study->baseline;
  curves.baseline = same_baseline ? previous.baseline : curve_of(*study, *study->baseline);
  curves.current =
      same_variant && same_times ? previous.current : curve_of(*study, *study->current);
  curves.band_edges = same_variant ? previous.band_edges : edges_of(*study->current);
  if (same_variant) curves.tensors = previous.tensors;
  if (measured != nullptr) add_measured(curves, *study->current, *measured);
  curves.study = std::move(study);
  return curves;
}

std::shared_ptr<const TensorStack> tensors_of(const Study& study) {
  const Variant& variant = *study.current;
  return std::make_shared<const TensorStack>(
      TensorStack{TensorBands(variant.timeline), band_of_buffers(study, variant)});
}

CurvePlace place_of(const MemoryCurves& curves, const MemoryCurve& curve, AxisUnit unit) {
  if (unit == AxisUnit::time) return CurvePlace(curve.clock);
  const MemoryCurve& shown = *curves.current;
  return CurvePlace(StepAlignment{boundary_of(shown), static_cast<double>(shown.bytes.size()),
                                  boundary_of(curve), static_cast<double>(curve.bytes.size())});
}

double length_of(const MemoryCurves& curves, AxisUnit unit) {
  if (curves.empty()) return 1;
  if (unit == AxisUnit::steps) return static_cast<double>(curves.current->bytes.size());
  double longest = 0;
  for_each_curve(
      curves, [&](const MemoryCurve& curve) { longest = std::max(longest, curve.clock.total()); });
  return longest > 0 ? longest : 1;
}

std::int64_t highest_of(const MemoryCurves& curves) {
  std::int64_t highest = highest_peak(curves);
  if (shows_reserved(curves)) highest = std::max(highest, curves.reserved_bytes);
  if (shows_predicted_reserved(curves)) {
    highest = std::max(highest, curves.predicted_reserved->peak_bytes);
  }
  return highest;
}

bool shows_reserved(const MemoryCurves& curves) {
  return curves.reserved_bytes > 0 &&
         curves.reserved_bytes / most_reserved_in_sight <= highest_peak(curves);
}

bool shows_predicted_reserved(const MemoryCurves& curves) {
  return curves.predicted_reserved != nullptr &&
         curves.predicted_reserved->peak_bytes / most_predicted_in_sight <= highest_peak(curves);
}

}  // namespace stashscope::ui
