#include "ui/graph/graph_painter.h"

#include <QCoreApplication>

#include "core/layout/colour_map.h"
#include "ui/models/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// Texts are never smaller than this many pixels: titles keep it while the box has room for them,
/// everything else is left out below it.
constexpr double readable_pixels = 8;
/// Texts that do not shrink with their box are cut to what fits, but not to less than this.
constexpr double least_text_width = 24;
/// Boxes lower than this many pixels are patches of colour.
constexpr double patch_pixels = 9;
/// More curves than this are drawn without smoothing, to keep a frame short.
constexpr std::size_t smooth_curves = 1500;
constexpr double arrow_length = 6;
constexpr double arrow_zoom = 0.45;
constexpr double corner = 4;

QString tr(const char* text) { return QCoreApplication::translate("GraphPainter", text); }

layout::Rect from_qt(const QRectF& r) { return {r.x(), r.y(), r.width(), r.height()}; }

QColor with_alpha(QColor colour, double alpha) {
  colour.setAlphaF(static_cast<float>(alpha));
  return colour;
}

}  // namespace

QColor lifetime_colour(double share) {
  const layout::Rgb colour = layout::lifetime_colour(share);
  return {colour.red, colour.green, colour.blue};
}

GraphPainter::GraphPainter(const GraphScene& scene, const Camera& camera, const Theme& theme,
                           std::optional<std::uint32_t> hovered)
    : scene_(scene), drawing_(scene.drawing()), camera_(camera), theme_(theme), hovered_(hovered) {}

void GraphPainter::paint(QPainter& painter, const QRectF& screen) const {
  seen_ = from_qt(camera_.to_picture(screen));
  painter.fillRect(screen, theme_.canvas);
  painter.setRenderHint(QPainter::Antialiasing);
  paint_frames(painter);
  paint_bridges(painter, false);
  paint_edges(painter, false);
  paint_bridges(painter, true);
  paint_edges(painter, true);
  paint_boxes(painter);
  paint_captions(painter, screen);
}

bool GraphPainter::is_seen(const layout::Rect& bounds) const { return bounds.intersects(seen_); }

QColor GraphPainter::mixed(const QColor& colour, double share) const {
  const auto mix = [share](int a, int b) { return qRound(a * share + b * (1 - share)); };
  return {mix(colour.red(), theme_.surface.red()), mix(colour.green(), theme_.surface.green()),
          mix(colour.blue(), theme_.surface.blue())};
}

void GraphPainter::paint_frames(QPainter& painter) const {
  for (std::size_t i = 0; i < drawing_.boxes.size(); ++i) {
    const layout::DrawnBox& box = drawing_.boxes[i];
    if (!box.is_open() || !is_seen(box.rect)) continue;
    const QRectF rect = camera_.to_screen(to_qt(box.rect));
    painter.setPen(hovered_ == i ? QPen(theme_.accent) : QPen(theme_.line));
    painter.setBrush(with_alpha(theme_.muted, theme_.dark ? 0.10 : 0.07));
    painter.drawRoundedRect(rect, corner, corner);
    paint_frame_title(painter, i, rect);
  }
}

void GraphPainter::paint_frame_title(QPainter& painter, std::size_t index,
                                     const QRectF& rect) const {
  const double pixels = title_pixels * camera_.zoom;
  if (pixels < readable_pixels) return;
  painter.setFont(graph_font(pixels));
  painter.setPen(theme_.muted);
  const double margin = 10 * camera_.zoom;
  const QRectF line(rect.x() + margin, rect.y(), rect.width() - 2 * margin,
                    layout::open_header * camera_.zoom);
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, u"▾ "_s + scene_.titles[index]);
}

bool GraphPainter::touches_selection(std::uint32_t from, std::uint32_t to) const {
  return scene_.marks[from] == Mark::selected || scene_.marks[to] == Mark::selected;
}

void GraphPainter::paint_bridges(QPainter& painter, bool strong) const {
  painter.save();
  painter.translate(camera_.offset);
  painter.scale(camera_.zoom, camera_.zoom);
  painter.setBrush(Qt::NoBrush);
  for (std::size_t i = 0; i < drawing_.bridges.size(); ++i) {
    const layout::Bridge& bridge = drawing_.bridges[i];
    if (touches_selection(bridge.from, bridge.to) != strong || !is_seen(bridge.bounds)) continue;
    const double share =
        drawing_.most_bridge_bytes > 0
            ? static_cast<double>(bridge.bytes) / static_cast<double>(drawing_.most_bridge_bytes)
            : 0;
    QPen pen(with_alpha(theme_.stash, strong ? 0.95 : 0.30),
             std::max(1 / camera_.zoom, bridge.is_turn ? 1 : 1 + 7 * share));
    if (bridge.is_turn) pen.setColor(strong ? theme_.accent : theme_.muted);
    painter.setPen(pen);
    painter.drawPath(scene_.bridges[i]);
  }
  painter.restore();
}

void GraphPainter::paint_edges(QPainter& painter, bool strong) const {
  const QColor colour = strong ? theme_.accent : with_alpha(theme_.muted, 0.75);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, drawing_.edges.size() < smooth_curves);
  painter.translate(camera_.offset);
  painter.scale(camera_.zoom, camera_.zoom);
  QPen pen(colour, strong ? 2 : 1);
  pen.setCosmetic(true);
  for (std::size_t i = 0; i < drawing_.edges.size(); ++i) {
    const layout::DrawnEdge& edge = drawing_.edges[i];
    if (touches_selection(edge.from, edge.to) != strong || !is_seen(edge.bounds)) continue;
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(scene_.edges[i]);
    if (camera_.zoom < arrow_zoom) continue;
    painter.setBrush(colour);
    paint_arrow(painter, edge.curve);
  }
  painter.restore();
}

/// A small head at the end, in the direction in which the curve arrives.
void GraphPainter::paint_arrow(QPainter& painter, const layout::Curve& curve) const {
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

void GraphPainter::paint_boxes(QPainter& painter) const {
  for (std::size_t i = 0; i < drawing_.boxes.size(); ++i) {
    const layout::DrawnBox& box = drawing_.boxes[i];
    if (!box.is_open() && is_seen(box.rect)) paint_box(painter, i);
  }
}

QPen GraphPainter::border_of(std::size_t index) const {
  const layout::DrawnBox& box = drawing_.boxes[index];
  if (scene_.marks[index] == Mark::selected) return {theme_.accent, 2};
  if (scene_.marks[index] == Mark::part) return {theme_.accent, 1.4};
  if (hovered_ == index) return {theme_.muted, 1.4};
  const bool recomputed = box.shows.node.valid() && box.clones > 0;
  return recomputed ? QPen(theme_.accent, 1, Qt::DashLine) : QPen(theme_.line, 1);
}

void GraphPainter::paint_box(QPainter& painter, std::size_t index) const {
  const layout::DrawnBox& box = drawing_.boxes[index];
  const QRectF rect = camera_.to_screen(to_qt(box.rect));
  if (rect.height() < patch_pixels) return paint_patch(painter, box, rect);
  const Mark mark = scene_.marks[index];
  painter.setPen(border_of(index));
  painter.setBrush(mark == Mark::none ? theme_.surface
                                      : mixed(theme_.accent, mark == Mark::selected ? 0.20 : 0.10));
  painter.drawRoundedRect(rect, corner, corner);
  if (box.heat >= 0) {
    const double z = camera_.zoom;
    painter.setPen(Qt::NoPen);
    painter.setBrush(lifetime_colour(box.heat));
    painter.drawRoundedRect(
        QRectF(rect.x() + 4 * z, rect.y() + 4 * z, 6 * z, rect.height() - 8 * z), 2 * z, 2 * z);
  }
  paint_texts(painter, index, rect);
}

void GraphPainter::paint_patch(QPainter& painter, const layout::DrawnBox& box,
                               const QRectF& rect) const {
  const auto index = static_cast<std::size_t>(&box - drawing_.boxes.data());
  const bool marked = scene_.marks[index] != Mark::none;
  const QColor fill = box.heat >= 0 ? lifetime_colour(box.heat) : theme_.line;
  painter.fillRect(rect, fill);
  if (!marked) return;
  painter.setPen(QPen(theme_.accent, 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(rect.adjusted(-1, -1, 1, 1));
}

void GraphPainter::paint_texts(QPainter& painter, std::size_t index, const QRectF& rect) const {
  const double z = camera_.zoom;
  const bool has_detail = !scene_.details[index].isEmpty() && detail_pixels * z >= readable_pixels;
  const QRectF inner = rect.adjusted(16 * z, 4 * z, -4 * z, -4 * z);
  painter.setPen(theme_.text);
  if (title_pixels * z >= readable_pixels) {
    painter.setFont(graph_font(title_pixels * z));
    painter.drawText(inner, Qt::AlignLeft | (has_detail ? Qt::AlignTop : Qt::AlignVCenter),
                     scene_.titles[index]);
  } else {
    paint_small_title(painter, index, rect);
  }
  if (!has_detail) return;
  painter.setFont(graph_font(detail_pixels * z));
  painter.setPen(theme_.muted);
  painter.drawText(inner, Qt::AlignLeft | Qt::AlignBottom, scene_.details[index]);
}

void GraphPainter::paint_small_title(QPainter& painter, std::size_t index,
                                     const QRectF& rect) const {
  const double inset = std::max(6.0, 14 * camera_.zoom);
  const QRectF line = rect.adjusted(inset, -1, -2, 1);
  if (line.width() < least_text_width || rect.height() < readable_pixels + 1) return;
  painter.setFont(graph_font(readable_pixels));
  painter.drawText(
      line, Qt::AlignLeft | Qt::AlignVCenter,
      painter.fontMetrics().elidedText(shown(drawing_.boxes[index].title), Qt::ElideRight,
                                       static_cast<int>(line.width())));
}

/// Names the two columns at the upper edge of the screen, wherever the picture is moved.
void GraphPainter::paint_captions(QPainter& painter, const QRectF& screen) const {
  painter.setFont(caption_font(title_pixels));
  const double high = painter.fontMetrics().height() + 4;
  const double wide = 7 * high;
  painter.setPen(theme_.muted);
  const std::array<QString, 2> names = {tr("Forward ↓"), tr("Backward ↑")};
  for (std::size_t side = 0; side < names.size(); ++side) {
    const QRectF column = camera_.to_screen(to_qt(drawing_.columns[side]));
    if (column.width() <= 0) continue;
    const double y = std::max(screen.y() + 8, column.y() - 6 - high);
    const QRectF line(column.center().x() - wide / 2, y, wide, high);
    painter.setPen(Qt::NoPen);
    painter.setBrush(with_alpha(theme_.canvas, 0.85));
    painter.drawRoundedRect(line.adjusted(36, -1, -36, 1), corner, corner);
    painter.setPen(theme_.muted);
    painter.drawText(line, Qt::AlignCenter, names[side]);
  }
}

}  // namespace stashscope::ui
