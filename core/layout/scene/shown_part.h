#pragma once

#include "core/layout/scene/drawing.h"

namespace stashscope::layout {

/// Stashed activations between two groups, as one curve.
struct StashBundle {
  Curve curve;               ///< from border to border
  std::vector<Curve> twigs;  ///< from the boxes inside the groups to the ends of the curve
  Rect bounds;               ///< bounds of the curve and the twigs
  std::uint32_t from = 0;    ///< box of a group, or of a node outside of all groups
  std::uint32_t to = 0;
  std::vector<std::uint32_t> stash_edges;  ///< indices into the drawing's stash edges
  std::vector<std::uint32_t> stashes;      ///< indices into the drawing's stashes, each once
  std::int64_t bytes = 0;                  ///< each stash counts once
  bool is_turn = false;
};

/// The part of a drawing that is shown at some zoom. An open box whose inside would be too small to
/// be read is shown as a block, without its inside.
struct ShownPart {
  std::vector<std::uint8_t> boxes;   ///< by box: 1 if it is shown
  std::vector<std::uint8_t> leaves;  ///< by box: 1 if it is shown without an inside
  std::vector<std::uint8_t> edges;   ///< by edge: 1 if it is shown
  std::vector<StashBundle> bundles;  ///< most bytes first

  /// The innermost box that is shown around a box: the box itself, or a block.
  std::uint32_t shown_around(const Drawing& drawing, std::uint32_t box) const;
};

/// By box: the median height of the boxes directly inside; 0 for closed boxes.
std::vector<double> inner_heights(const Drawing& drawing);

/// @param inner_height the result of `inner_heights`
/// @param least smallest readable height of a box; an open box is shown as a block if the median
/// height of the boxes directly inside is below `least`
ShownPart shown_part(const Drawing& drawing, const std::vector<double>& inner_height, double least);

/// The bundle nearest to a point within `reach`; nullopt if all are farther away.
std::optional<std::uint32_t> bundle_at(const ShownPart& shown, Point point, double reach);

/// The nodes of all stash edges of a bundle (`nodes_of_stash_edge`), ascending.
std::vector<NodeId> nodes_of_bundle(const Drawing& drawing, const StashBundle& bundle);

}  // namespace stashscope::layout
