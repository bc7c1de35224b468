#include "ui/graph/graph_painter.h"

#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// Minimum size of texts in pixels. Smaller texts are left out, except titles of boxes: they are
/// drawn at this size while the box has room.
constexpr double readable_pixels = 8;
/// Titles drawn at the minimum size are elided only if at least this many pixels remain.
constexpr double least_text_width = 24;
/// Boxes lower than this many pixels are painted as patches of colour.
constexpr double patch_pixels = 9;
/// Boxes lower than this many pixels have square corners.
constexpr double round_pixels = 14;
constexpr double corner = 4;
/// If more frames than this are visible, all frames have square corners.
constexpr std::size_t most_round_frames = 40;

/// Mixes two colours: `share` of `colour`, the rest of `ground`.
QColor mixed(const QColor& colour, const QColor& ground, double share) {
  const auto mix = [share](int a, int b) { return qRound(a * share + b * (1 - share)); };
  return {mix(colour.red(), ground.red()), mix(colour.green(), ground.green()),
          mix(colour.blue(), ground.blue())};
}

}  // namespace

GraphPainter::GraphPainter(const GraphScene& scene, const Camera& camera, const Theme& theme,
                           std::optional<std::uint32_t> hovered, Detail detail)
    : scene_(scene),
      drawing_(scene.drawing()),
      camera_(camera),
      theme_(theme),
      hovered_(hovered),
      detail_(detail),
      title_font_(graph_font(title_pixels * camera.zoom)),
      detail_font_(graph_font(detail_pixels * camera.zoom)),
      small_font_(graph_font(readable_pixels)) {}

void GraphPainter::paint(QPainter& painter, const QRectF& screen) const {
  seen_ = from_qt(camera_.to_picture(screen));
  painter.fillRect(screen, theme_.canvas);
  painter.setRenderHint(QPainter::Antialiasing);
  paint_frames(painter);
  const CurvePainter curves(scene_, camera_, theme_, seen_, detail_);
  for (const Strength strength : {Strength::faded, Strength::normal, Strength::strong}) {
    curves.paint(painter, strength);
  }
  paint_boxes(painter);
}

/// Each frame differs a little more from the canvas than the frame around it. Frames are opaque,
/// because blending many frames takes too long.
QColor GraphPainter::frame_colour(std::size_t index) const {
  double ground = 1;
  for (std::uint32_t at = static_cast<std::uint32_t>(index); at != layout::outside;
       at = drawing_.boxes[at].parent) {
    ground *= theme_.dark ? 0.90 : 0.93;
  }
  const double share = (1 - ground) * (scene_.is_faded(index) ? faded_opacity : 1);
  return mixed(theme_.muted, theme_.canvas, share);
}

void GraphPainter::paint_frames(QPainter& painter) const {
  std::vector<std::size_t> frames;
  for (std::size_t i = 0; i < drawing_.boxes.size(); ++i) {
    const layout::DrawnBox& box = drawing_.boxes[i];
    if (box.is_open() && box.rect.intersects(seen_)) frames.push_back(i);
  }
  const bool has_time = detail_ == Detail::print || frames.size() <= most_round_frames;
  for (const std::size_t i : frames) paint_frame(painter, i, has_time);
}

void GraphPainter::paint_frame(QPainter& painter, std::size_t index, bool is_round) const {
  const QRectF rect = camera_.to_screen(to_qt(drawing_.boxes[index].rect));
  const QPen pen(hovered_ == index ? theme_.accent
                                   : mixed(theme_.line, theme_.canvas,
                                           scene_.is_faded(index) ? faded_opacity : 1));
  if (is_round) {
    painter.setPen(pen);
    painter.setBrush(frame_colour(index));
    painter.drawRoundedRect(rect, corner, corner);
  } else {
    // Clipped to the visible part, because painting outside the screen takes time.
    const QRectF seen = rect.intersected(camera_.to_screen(to_qt(seen_)).adjusted(-2, -2, 2, 2));
    painter.fillRect(seen.toAlignedRect(), pen.color());
    painter.fillRect(seen.toAlignedRect().adjusted(1, 1, -1, -1), frame_colour(index));
  }
  if (scene_.is_faded(index)) painter.setOpacity(faded_opacity);
  paint_frame_title(painter, index, rect);
  painter.setOpacity(1);
}

void GraphPainter::paint_frame_title(QPainter& painter, std::size_t index,
                                     const QRectF& rect) const {
  if (title_pixels * camera_.zoom < readable_pixels) return;
  painter.setFont(title_font_);
  painter.setPen(theme_.muted);
  const double margin = 10 * camera_.zoom;
  const QRectF line(rect.x() + margin, rect.y(), rect.width() - 2 * margin,
                    layout::open_header * camera_.zoom);
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, u"▾ "_s + scene_.title(index));
}

void GraphPainter::paint_boxes(QPainter& painter) const {
  for (std::size_t i = 0; i < drawing_.boxes.size(); ++i) {
    const layout::DrawnBox& box = drawing_.boxes[i];
    if (box.is_open() || !box.rect.intersects(seen_)) continue;
    const QRectF rect = camera_.to_screen(to_qt(box.rect));
    if (scene_.is_faded(i)) painter.setOpacity(faded_opacity);
    if (rect.height() < patch_pixels && detail_ == Detail::screen) {
      paint_patch(painter, i, rect);
    } else {
      paint_box(painter, i, rect);
    }
    if (scene_.is_faded(i)) painter.setOpacity(1);
  }
}

QPen GraphPainter::border_of(std::size_t index) const {
  const layout::DrawnBox& box = drawing_.boxes[index];
  const Mark mark = scene_.marks()[index];
  if (mark == Mark::selected) return {theme_.accent, 2};
  if (mark == Mark::part) return {theme_.accent, 1.4};
  if (hovered_ == index) return {theme_.muted, 1.4};
  const bool recomputed = box.shows.node.valid() && box.clones > 0;
  return recomputed ? QPen(theme_.accent, 1, Qt::DashLine) : QPen(theme_.line, 1);
}

void GraphPainter::paint_box(QPainter& painter, std::size_t index, const QRectF& rect) const {
  paint_body(painter, index, rect);
  paint_strip(painter, index, rect);
  paint_texts(painter, index, rect);
}

void GraphPainter::paint_body(QPainter& painter, std::size_t index, const QRectF& rect) const {
  const Mark mark = scene_.marks()[index];
  painter.setPen(border_of(index));
  painter.setBrush(mark == Mark::none ? theme_.surface
                                      : mixed(theme_.accent, theme_.surface,
                                              mark == Mark::selected ? 0.20 : 0.10));
  if (rect.height() < round_pixels) {
    painter.drawRect(rect);
  } else {
    painter.drawRoundedRect(rect, corner, corner);
  }
}

void GraphPainter::paint_strip(QPainter& painter, std::size_t index, const QRectF& rect) const {
  if (!scene_.colour(index)) return;
  const double z = camera_.zoom;
  const QRectF all(rect.x() + 4 * z, rect.y() + 4 * z, 6 * z, rect.height() - 8 * z);
  double y = all.y();
  for (const auto& [colour, share] :
       layout::strip_of(drawing_, drawing_.boxes[index], scene_.colouring())) {
    painter.fillRect(QRectF(all.x(), y, all.width(), share * all.height()), to_qt(colour));
    y += share * all.height();
  }
}

void GraphPainter::paint_patch(QPainter& painter, std::size_t index, const QRectF& rect) const {
  painter.fillRect(rect.toAlignedRect(), scene_.colour(index).value_or(theme_.line));
  if (scene_.marks()[index] == Mark::none) return;
  painter.setPen(QPen(theme_.accent, 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(rect.adjusted(-1, -1, 1, 1));
}

void GraphPainter::paint_texts(QPainter& painter, std::size_t index, const QRectF& rect) const {
  const double z = camera_.zoom;
  const bool has_detail = detail_pixels * z >= readable_pixels && !scene_.detail(index).isEmpty();
  const QRectF inner = rect.adjusted(16 * z, 4 * z, -4 * z, -4 * z);
  painter.setPen(theme_.text);
  if (title_pixels * z >= readable_pixels) {
    painter.setFont(title_font_);
    painter.drawText(inner, Qt::AlignLeft | (has_detail ? Qt::AlignTop : Qt::AlignVCenter),
                     scene_.title(index));
  } else {
    paint_small_title(painter, index, rect);
  }
  if (!has_detail) return;
  painter.setFont(detail_font_);
  painter.setPen(theme_.muted);
  painter.drawText(inner, Qt::AlignLeft | Qt::AlignBottom, scene_.detail(index));
}

void GraphPainter::paint_small_title(QPainter& painter, std::size_t index,
                                     const QRectF& rect) const {
  const double inset = std::max(6.0, 14 * camera_.zoom);
  const QRectF line = rect.adjusted(inset, -1, -2, 1);
  if (rect.height() < readable_pixels + 1) return;
  painter.setFont(small_font_);
  const QString title = shown(drawing_.boxes[index].title);
  const QString text =
      painter.fontMetrics().elidedText(title, Qt::ElideRight, static_cast<int>(line.width()));
  // In a narrow box, a name is drawn only if it fits without eliding.
  if (line.width() < least_text_width && text != title) return;
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, text);
}

void GraphPainter::paint_captions(QPainter& painter, const std::vector<Caption>& captions) const {
  for (const Caption& caption : captions) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(with_alpha(theme_.canvas, 0.85));
    painter.drawRoundedRect(caption.rect, corner, corner);
    painter.setPen(theme_.muted);
    painter.drawText(caption.rect, Qt::AlignCenter, caption.text);
  }
}

}  // namespace stashscope::ui
