#include "ui/graph/curve_painter.h"

#include <QPainterPath>
#include <cmath>

namespace stashscope::ui {

namespace {

/// If more edges of one strength than this are visible, the screen shows them as straight lines.
constexpr std::size_t most_smooth_edges = 600;
/// Of the visible bundles of one strength, only this many, the largest ones, have a width that
/// shows their bytes.
constexpr std::size_t most_wide_bundles = 48;
/// Once this many thin lines are drawn, further small bundles and twigs are left out. A twig joins
/// a box to the end of a bundle.
constexpr std::size_t most_thin_lines = 6000;
constexpr int thin_parts = 8;
/// While at most `most_smooth_twigs` twigs are in view, each thin curve has this many straight
/// parts. With fewer parts, the bends between the parts would be visible.
constexpr int smooth_parts = 32;
constexpr std::size_t most_smooth_twigs = 100;
/// Straight edges shorter than this many pixels are left out, because their boxes nearly touch.
constexpr double least_edge = 2;
constexpr double arrow_length = 6;
constexpr double arrow_zoom = 0.45;

QPainterPath path_of(const layout::Curve& curve) {
  QPainterPath path(to_qt(curve.front()));
  for (std::size_t i = 1; i + 2 < curve.size(); i += 3) {
    path.cubicTo(to_qt(curve[i]), to_qt(curve[i + 1]), to_qt(curve[i + 2]));
  }
  return path;
}

/// During the lifetime of this object, the painter uses the coordinates of the picture.
class InPicture {
 public:
  InPicture(QPainter& painter, const Camera& camera) : painter_(painter) {
    painter_.save();
    painter_.translate(camera.offset);
    painter_.scale(camera.zoom, camera.zoom);
    painter_.setBrush(Qt::NoBrush);
  }
  ~InPicture() { painter_.restore(); }
  InPicture(const InPicture&) = delete;
  InPicture& operator=(const InPicture&) = delete;

 private:
  QPainter& painter_;
};

/// Draws thin lines in one call and without antialiasing.
void draw_lines(QPainter& painter, const std::vector<QLineF>& lines, const QColor& colour) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(QPen(colour, 0));
  painter.drawLines(lines.data(), static_cast<int>(lines.size()));
  painter.restore();
}

}  // namespace

QColor with_alpha(QColor colour, double alpha) {
  colour.setAlphaF(static_cast<float>(alpha));
  return colour;
}

CurvePainter::CurvePainter(const GraphScene& scene, const Camera& camera, const Theme& theme,
                           const layout::Rect& seen, Detail detail)
    : scene_(scene),
      drawing_(scene.drawing()),
      camera_(camera),
      theme_(theme),
      detail_(detail),
      seen_(seen) {
  for (std::uint32_t i = 0; i < drawing_.edges.size(); ++i) {
    if (scene.shown().edges[i] == 0 || !drawing_.edges[i].bounds.intersects(seen)) continue;
    edges_[static_cast<std::size_t>(scene.edge_strength(i))].push_back(i);
  }
  const auto& bundles = scene.shown().bundles;
  for (std::uint32_t i = 0; i < bundles.size(); ++i) {
    if (!bundles[i].bounds.intersects(seen)) continue;
    bundles_[static_cast<std::size_t>(scene.bundle_strength(bundles[i]))].push_back(i);
  }
}

void CurvePainter::paint(QPainter& painter, Strength strength) const {
  paint_bundles(painter, strength);
  if (strength == Strength::strong) paint_strong_stash_edges(painter);
  if (detail_ == Detail::screen && seen_edges(strength).size() > most_smooth_edges) {
    paint_straight_edges(painter, strength);
  } else {
    paint_edges(painter, strength);
  }
}

QColor CurvePainter::stash_colour(bool is_turn, Strength strength) const {
  const bool strong = strength == Strength::strong;
  if (is_turn) {
    return strong ? theme_.accent
                  : with_alpha(theme_.muted, strength == Strength::faded ? faded_opacity : 1);
  }
  const double share = strength == Strength::faded ? 0.2 : 1;
  return with_alpha(theme_.stash, strong ? 0.95 : share * theme_.stash_opacity);
}

double CurvePainter::width_of(std::int64_t bytes, bool is_turn) const {
  const std::int64_t most = scene_.shown().bundles.front().bytes;
  const double share = most > 0 ? static_cast<double>(bytes) / static_cast<double>(most) : 0;
  return std::max(1 / camera_.zoom, is_turn ? 1 : 1 + 7 * share);
}

QColor CurvePainter::edge_colour(Strength strength) const {
  if (strength == Strength::strong) return theme_.accent;
  return with_alpha(theme_.muted, strength == Strength::faded ? 0.75 * faded_opacity : 0.75);
}

void CurvePainter::paint_bundles(QPainter& painter, Strength strength) const {
  const Indices& seen = seen_bundles(strength);
  const std::size_t wide =
      detail_ == Detail::print ? seen.size() : std::min(seen.size(), most_wide_bundles);
  paint_thin_bundles(painter, strength, wide);
  const InPicture in_picture(painter, camera_);
  for (std::size_t i = wide; i-- > 0;) {
    paint_bundle(painter, scene_.shown().bundles[seen[i]], strength);
  }
}

void CurvePainter::paint_bundle(QPainter& painter, const layout::StashBundle& bundle,
                                Strength strength) const {
  const QColor colour = stash_colour(bundle.is_turn, strength);
  painter.setPen(QPen(colour, width_of(bundle.bytes, bundle.is_turn)));
  painter.drawPath(path_of(bundle.curve));
}

/// Paints the bundles from index `first` to the last, and the twigs of all bundles, as thin lines.
void CurvePainter::paint_thin_bundles(QPainter& painter, Strength strength,
                                      std::size_t first) const {
  const Indices& seen = seen_bundles(strength);
  std::size_t twigs = 0;
  for (const std::uint32_t i : seen) twigs += scene_.shown().bundles[i].twigs.size();
  const int parts = twigs <= most_smooth_twigs ? smooth_parts : thin_parts;
  std::vector<QLineF> lines;
  const auto add = [&](const layout::Curve& curve) {
    const auto points = layout::flattened(curve, parts);
    for (std::size_t k = 1; k < points.size(); ++k) {
      lines.emplace_back(camera_.to_screen(to_qt(points[k - 1])),
                         camera_.to_screen(to_qt(points[k])));
    }
  };
  const auto has_room = [&] { return detail_ == Detail::print || lines.size() < most_thin_lines; };
  for (std::size_t i = first; i < seen.size() && has_room(); ++i) {
    add(scene_.shown().bundles[seen[i]].curve);
  }
  for (std::size_t i = 0; i < seen.size() && has_room(); ++i) {
    for (const layout::Curve& twig : scene_.shown().bundles[seen[i]].twigs) {
      if (layout::bounds_of(twig).intersects(seen_)) add(twig);
    }
  }
  if (!lines.empty()) draw_lines(painter, lines, stash_colour(false, strength));
}

/// Paints the curves of the selection's stashed activations one by one, over their bundles.
void CurvePainter::paint_strong_stash_edges(QPainter& painter) const {
  const InPicture in_picture(painter, camera_);
  for (std::uint32_t i = 0; i < drawing_.stash_edges.size(); ++i) {
    const layout::StashEdge& edge = drawing_.stash_edges[i];
    const bool is_shown = scene_.is_drawn(edge.from) && scene_.is_drawn(edge.to);
    if (!is_shown || !edge.bounds.intersects(seen_)) continue;
    if (scene_.stash_edge_strength(i) != Strength::strong) continue;
    const QColor colour = stash_colour(edge.is_turn, Strength::strong);
    painter.setPen(QPen(colour, width_of(edge.bytes, edge.is_turn)));
    painter.drawPath(path_of(edge.curve));
  }
}

void CurvePainter::paint_straight_edges(QPainter& painter, Strength strength) const {
  std::vector<QLineF> lines;
  for (const std::uint32_t edge : seen_edges(strength)) {
    const layout::Curve& curve = drawing_.edges[edge].curve;
    for (std::size_t i = 0; i + 3 < curve.size(); i += 3) {
      const QLineF line(camera_.to_screen(to_qt(curve[i])), camera_.to_screen(to_qt(curve[i + 3])));
      if (std::abs(line.dx()) + std::abs(line.dy()) >= least_edge) lines.push_back(line);
    }
  }
  draw_lines(painter, lines, edge_colour(strength));
}

void CurvePainter::paint_edges(QPainter& painter, Strength strength) const {
  const QColor colour = edge_colour(strength);
  const InPicture in_picture(painter, camera_);
  QPen pen(colour, strength == Strength::strong ? 2 : 1);
  pen.setCosmetic(true);
  for (const std::uint32_t edge : seen_edges(strength)) {
    const layout::Curve& curve = drawing_.edges[edge].curve;
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path_of(curve));
    if (camera_.zoom < arrow_zoom) continue;
    painter.setBrush(colour);
    paint_arrow(painter, curve);
  }
}

/// Paints an arrow head at the end of a curve, in the final direction of the curve.
void CurvePainter::paint_arrow(QPainter& painter, const layout::Curve& curve) const {
  const QPointF tip = to_qt(curve.back());
  QPointF from = to_qt(curve[curve.size() - 2]);
  if (from == tip) from = to_qt(curve.front());
  const QPointF along = tip - from;
  const double length = std::hypot(along.x(), along.y());
  if (length <= 0) return;
  const QPointF unit = along / length;
  const QPointF across(-unit.y() * arrow_length / 2.4, unit.x() * arrow_length / 2.4);
  const QPointF base = tip - unit * arrow_length;
  painter.setPen(Qt::NoPen);
  painter.drawPolygon(QPolygonF({tip, base + across, base - across}));
}

}  // namespace stashscope::ui
