#pragma once

#include <string>

#include "core/study/arena/step_arena.h"

namespace stashscope {

/// A static arena as a chart: slots run to the right, offsets run upwards. Each tensor and each
/// workspace is a rectangle in the colour of its band. Areas without a rectangle are free, or their
/// rectangles are too small to be drawn (`left_out`). A dashed line shows the load bound.
struct ArenaChart {
  std::string svg;
  std::size_t left_out = 0;  ///< number of smaller rectangles that are not drawn
};

/// @param variant the variant of the study's step that the arena belongs to
/// @param most limit on the rectangles; those with the largest areas are drawn
ArenaChart arena_chart(const Study& study, const Variant& variant, const StepArena& arena,
                       std::size_t most);

}  // namespace stashscope
