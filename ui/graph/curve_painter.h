#pragma once

#include <QPainter>

#include "ui/graph/camera.h"
#include "ui/graph/graph_scene.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

/// Paints the edges of a scene, and the curves of its stashed activations, which are bundled
/// between groups. If there are too many lines to paint a frame quickly, edges become straight and
/// only the largest bundles have a width that shows their bytes.
class CurvePainter {
 public:
  /// @param seen visible part of the picture; lines outside it are skipped
  CurvePainter(const GraphScene& scene, const Camera& camera, const Theme& theme,
               const layout::Rect& seen, Detail detail);

  void paint(QPainter& painter, Strength strength) const;

 private:
  using Indices = std::vector<std::uint32_t>;

  void paint_bundles(QPainter& painter, Strength strength) const;
  void paint_bundle(QPainter& painter, const layout::StashBundle& bundle, Strength strength) const;
  void paint_thin_bundles(QPainter& painter, Strength strength, std::size_t first) const;
  void paint_strong_stash_edges(QPainter& painter) const;
  void paint_edges(QPainter& painter, Strength strength) const;
  void paint_straight_edges(QPainter& painter, Strength strength) const;
  void paint_arrow(QPainter& painter, const layout::Curve& curve) const;
  QColor edge_colour(Strength strength) const;
  QColor stash_colour(bool is_turn, Strength strength) const;
  double width_of(std::int64_t bytes, bool is_turn) const;
  const Indices& seen_edges(Strength strength) const {
    return edges_[static_cast<std::size_t>(strength)];
  }
  const Indices& seen_bundles(Strength strength) const {
    return bundles_[static_cast<std::size_t>(strength)];
  }

  const GraphScene& scene_;
  const layout::Drawing& drawing_;
  const Camera& camera_;
  const Theme& theme_;
  const Detail detail_;
  const layout::Rect seen_;
  std::array<Indices, 3> edges_;    // visible edges by strength
  std::array<Indices, 3> bundles_;  // visible bundles by strength
};

QColor with_alpha(QColor colour, double alpha);

/// Opacity factor of faded items.
constexpr double faded_opacity = 0.18;

}  // namespace stashscope::ui
