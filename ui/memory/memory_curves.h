#pragma once

#include <array>
#include <memory>

#include "core/memory/tensor_bands.h"
#include "core/study/step/study.h"
#include "ui/memory/curve_place.h"

namespace stashscope::ui {

/// Live bytes over the steps of one variant, ready to be drawn at any zoom.
struct MemoryCurve {
  CurveExtremes bytes;
  StepClock clock;
  std::size_t forward_slots = 0;  ///< 0: there is no backward pass
  std::int64_t peak_bytes = 0;
  std::size_t peak_slot = 0;
};
using SharedCurve = std::shared_ptr<const MemoryCurve>;

/// A variant that the user keeps in sight.
struct PinnedCurve {
  SharedCurve curve;
  std::size_t slot = 0;  ///< tells its colour
};

/// The memory of the current variant tensor by tensor.
struct TensorStack {
  TensorBands bands;
  IdVector<BufferId, Band> band_of;
};

/// All that the memory view draws. Cheap to copy where nothing is changed.
struct MemoryCurves {
  /// Of the current variant, for the names of what is drawn; may be null.
  std::shared_ptr<const Study> study;
  SharedCurve current;
  SharedCurve baseline;
  SharedCurve measured;             ///< null: nothing was measured
  SharedCurve with_workspace;       ///< the same and scratch memory on top; null: there was none
  std::int64_t reserved_bytes = 0;  ///< most that the allocator of the run held; 0: not known
  std::vector<PinnedCurve> pinned;
  /// By band its upper edge in the stack.
  std::shared_ptr<const std::array<CurveExtremes, band_count>> band_edges;
  std::shared_ptr<const TensorStack> tensors;  ///< null until they are to be seen

  bool empty() const { return current == nullptr || current->bytes.empty(); }
};

SharedCurve curve_of(const Study& study, const Variant& variant);

/// The current variant of a study that is not shown any more, beside one that is: by the times of
/// the latter where both are about the same nodes.
SharedCurve pinned_curve_of(const Study& pinned, const Study& shown);

/// @param measured of the current variant; may be null
/// @param previous lends what stays the same
MemoryCurves curves_of(std::shared_ptr<const Study> study, const Measurement* measured,
                       const MemoryCurves& previous = {});

/// The tensors of the current variant. @pre study is not null
std::shared_ptr<const TensorStack> tensors_of(const Study& study);

/// Where a curve lies on the axis of the current one.
CurvePlace place_of(const MemoryCurves& curves, const MemoryCurve& curve, AxisUnit unit);

/// How long the axis is that holds all curves: steps of the current one, or milliseconds of the
/// slowest.
double length_of(const MemoryCurves& curves, AxisUnit unit);

/// The most bytes of any curve, at least 1; and what was reserved where that is in sight.
std::int64_t highest_of(const MemoryCurves& curves);

/// Whether there is a line for what was reserved. Far above the curves it would press them flat.
bool shows_reserved(const MemoryCurves& curves);

}  // namespace stashscope::ui
