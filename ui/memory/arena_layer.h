#pragma once

#include <QImage>
#include <memory>
#include <vector>

#include "core/study/arena/step_arena.h"
#include "ui/memory/tensor_colours.h"

namespace stashscope::ui {

/// The arena of the current variant with what is needed to draw it. Copying is cheap.
struct ArenaPicture {
  std::shared_ptr<const StepArena> arena;  ///< null: there is none to show
  /// The look of each piece of the arena. Set if there is an arena.
  std::shared_ptr<const std::vector<BlockLook>> looks;
  MemoryCurves curves;  ///< of the variant

  bool empty() const { return arena == nullptr || arena->pieces.empty() || curves.empty(); }
};

/// The slot that is drawn in a column of pixels. If the column covers two or more slots, this is
/// the slot with the most live bytes.
/// @param left, right positions of the edges of the column on an axis of slots
std::size_t shown_slot(const CurveExtremes& live_bytes, double left, double right);

/// The picture inside the plot: each tensor as a rectangle, free memory hatched. A column of pixels
/// shows the tensors of one slot, so rectangles can cover each other only where a tensor is less
/// than a pixel high. The time to draw grows with the numbers of tensors and pixels.
/// @pre the picture is not empty
struct ArenaLayer {
  const ArenaPicture& picture;
  MemoryLook::Colouring colouring = MemoryLook::Colouring::lifetime;
  const StepAxis& axis;
  std::int64_t top = 1;  ///< bytes at the upper edge
  const Theme& theme;

  /// @param size in device pixels, @param ratio device pixels for each pixel of the widget
  QImage draw(const QSize& size, double ratio) const;
};

}  // namespace stashscope::ui
