#pragma once

#include <array>
#include <memory>

#include "core/memory/tensor_bands.h"
#include "core/study/reserved/reserved_memory.h"
#include "core/study/step/study.h"
#include "ui/memory/curve_place.h"

namespace stashscope::ui {

/// Live bytes over the slots of one variant, ready to be drawn at any zoom.
struct MemoryCurve {
  CurveExtremes bytes;
  StepClock clock;
  std::size_t forward_slots = 0;  ///< 0: there is no backward pass
  std::int64_t peak_bytes = 0;
  std::size_t peak_slot = 0;
};
using SharedCurve = std::shared_ptr<const MemoryCurve>;

/// The curve of a variant that the user pinned.
struct PinnedCurve {
  SharedCurve curve;
  std::size_t slot = 0;  ///< index of the curve's colour
};

/// The memory of the current variant, tensor by tensor.
struct TensorStack {
  TensorBands bands;
  IdVector<BufferId, Band> band_of;
};

/// Everything that the memory view draws. Copying is cheap, because copies share the curves.
struct MemoryCurves {
  /// Study of the current variant, for names; may be null.
  std::shared_ptr<const Study> study;
  SharedCurve current;
  SharedCurve baseline;
  SharedCurve measured;             ///< null: not measured
  SharedCurve with_workspace;       ///< `measured` plus workspace; null: no workspace was measured
  std::int64_t reserved_bytes = 0;  ///< most bytes that the run's allocator held; 0: unknown
  SharedCurve predicted_reserved;   ///< what the allocator reserves; null: no allocator is chosen
  std::vector<PinnedCurve> pinned;
  /// The upper edge of each band, in bytes by slot. The bands are stacked.
  std::shared_ptr<const std::array<CurveExtremes, band_count>> band_edges;
  std::shared_ptr<const TensorStack> tensors;  ///< null until tensors are shown

  bool empty() const { return current == nullptr || current->bytes.empty(); }
};

SharedCurve curve_of(const Study& study, const Variant& variant);

/// The curve of the current variant of a pinned study. Uses the times of the shown study if both
/// studies have the same nodes and sizes.
SharedCurve pinned_curve_of(const Study& pinned, const Study& shown);

/// The reserved memory of the current variant, over the slots and times of its curve.
SharedCurve reserved_curve_of(const MemoryCurve& current, const ReservedMemory& memory);

/// The curves of a study, without pinned variants and without predicted reserved memory. Empty if
/// the study is null.
/// @param measured measurement of the current variant; may be null
/// @param previous earlier curves; the result shares those that did not change
MemoryCurves curves_of(std::shared_ptr<const Study> study, const Measurement* measured,
                       const MemoryCurves& previous = {});

/// The tensors of the current variant of a study.
std::shared_ptr<const TensorStack> tensors_of(const Study& study);

/// Maps the slots of a curve to the axis of the current curve.
CurvePlace place_of(const MemoryCurves& curves, const MemoryCurve& curve, AxisUnit unit);

/// Length of the axis on which all curves have room: the number of slots of the current curve, or
/// the milliseconds of the slowest curve.
double length_of(const MemoryCurves& curves, AxisUnit unit);

/// The highest point of all curves in bytes, at least 1. Includes reserved memory if it is drawn.
std::int64_t highest_of(const MemoryCurves& curves);

/// Whether reserved memory is drawn as a line. It is not drawn if the line would lie far above the
/// curves and flatten them.
bool shows_reserved(const MemoryCurves& curves);
/// The same for `predicted_reserved`.
bool shows_predicted_reserved(const MemoryCurves& curves);

}  // namespace stashscope::ui
