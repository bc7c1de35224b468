#pragma once

#include <QPainter>

#include "ui/graph/camera.h"
#include "ui/graph/graph_scene.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

/// Which details are left out where they are hard to see.
enum class Detail : unsigned char {
  screen,  ///< as many as needed to paint a frame quickly
  print,   ///< none
};

/// Paints the edges and the stash edges of a scene. If there are too many lines to paint a frame
/// quickly, edges become straight and only the largest stash edges keep their width.
class CurvePainter {
 public:
  /// @param seen visible part of the picture; lines outside it are skipped
  CurvePainter(const GraphScene& scene, const Camera& camera, const Theme& theme,
               const layout::Rect& seen, Detail detail);

  void paint(QPainter& painter, Strength strength) const;

 private:
  using Indices = std::vector<std::uint32_t>;

  void paint_stash_edges(QPainter& painter, Strength strength) const;
  void paint_edges(QPainter& painter, Strength strength) const;
  void paint_thin_stash_edges(QPainter& painter, Strength strength, std::size_t first) const;
  void paint_straight_edges(QPainter& painter, Strength strength) const;
  void paint_stash_edge(QPainter& painter, const layout::StashEdge& stash_edge,
                        Strength strength) const;
  void paint_arrow(QPainter& painter, const layout::Curve& curve) const;
  QColor edge_colour(Strength strength) const;
  QColor stash_edge_colour(const layout::StashEdge& stash_edge, Strength strength) const;
  const Indices& seen_edges(Strength strength) const {
    return edges_[static_cast<std::size_t>(strength)];
  }
  const Indices& seen_stash_edges(Strength strength) const {
    return bridges_[static_cast<std::size_t>(strength)];
  }

  const layout::Drawing& drawing_;
  const Camera& camera_;
  const Theme& theme_;
  const Detail detail_;
  std::array<Indices, 3> edges_;    // visible edges by strength
  std::array<Indices, 3> bridges_;  // visible stash edges by strength
};

QColor with_alpha(QColor colour, double alpha);

/// Opacity factor of faded items.
constexpr double faded_opacity = 0.18;

}  // namespace stashscope::ui
