#include "ui/graph/graph_painter.h"

#include "ui/charts/data_colours.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// Boxes lower than this many pixels have square corners.
constexpr double round_pixels = 14;
constexpr double corner = 4;
/// The widest border of a box.
constexpr double border_width = 2;
/// If more frames than this are visible, all frames have square corners.
constexpr std::size_t most_round_frames = 40;
/// Boxes inside a block that are lower than this many pixels are left out.
constexpr double least_inside_pixels = 1.5;
/// The share of a box's own colour in its patch inside a block; the rest is the background colour.
constexpr double inside_share = 0.45;

/// Mixes two colours: `share` of `colour`, the rest of `background`.
QColor mixed(const QColor& colour, const QColor& background, double share) {
  const auto mix = [share](int a, int b) { return qRound(a * share + b * (1 - share)); };
  return {mix(colour.red(), background.red()), mix(colour.green(), background.green()),
          mix(colour.blue(), background.blue())};
}

}  // namespace

GraphPainter::GraphPainter(const GraphScene& scene, const Camera& camera, const Theme& theme,
                           std::optional<std::uint32_t> hovered, Detail detail)
    : scene_(scene),
      drawing_(scene.drawing()),
      camera_(camera),
      theme_(theme),
      hovered_(hovered),
      detail_(detail) {}

void GraphPainter::paint(QPainter& painter, const QRectF& screen, const GraphTexts& texts) const {
  seen_ = from_qt(camera_.to_picture(screen));
  painter.fillRect(screen, theme_.canvas);
  painter.setRenderHint(QPainter::Antialiasing);
  paint_frames(painter);
  const CurvePainter curves(scene_, camera_, theme_, seen_, detail_);
  for (const Strength strength : {Strength::faded, Strength::normal, Strength::strong}) {
    curves.paint(painter, strength);
  }
  paint_boxes(painter, texts);
  paint_inside_of_blocks(painter);
  paint_labels(painter, texts.labels);
  paint_captions(painter, texts.captions);
}

/// Each frame differs a little more from the canvas than the frame around it. Frames are opaque,
/// because blending many frames takes too long.
QColor GraphPainter::frame_colour(std::size_t index) const {
  double background = 1;
  for (std::uint32_t at = static_cast<std::uint32_t>(index); at != layout::outside;
       at = drawing_.boxes[at].parent) {
    background *= theme_.dark ? 0.90 : 0.93;
  }
  const double share = (1 - background) * (scene_.is_faded(index) ? faded_opacity : 1);
  return mixed(theme_.muted, theme_.canvas, share);
}

void GraphPainter::paint_frames(QPainter& painter) const {
  std::vector<std::size_t> frames;
  for (std::size_t i = 0; i < drawing_.boxes.size(); ++i) {
    const bool is_frame = !scene_.is_leaf(i);
    if (is_frame && drawing_.boxes[i].rect.intersects(seen_)) frames.push_back(i);
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
    // The frame is clipped to the visible part, because painting outside the screen takes time.
    const QRectF seen = rect.intersected(camera_.to_screen(to_qt(seen_)).adjusted(-2, -2, 2, 2));
    painter.fillRect(seen.toAlignedRect(), pen.color());
    painter.fillRect(seen.toAlignedRect().adjusted(1, 1, -1, -1), frame_colour(index));
  }
}

void GraphPainter::paint_boxes(QPainter& painter, const GraphTexts& texts) const {
  const double patch = least_box_height();
  for (std::size_t i = 0; i < drawing_.boxes.size(); ++i) {
    const layout::DrawnBox& box = drawing_.boxes[i];
    if (!scene_.is_drawn(i) || !scene_.is_leaf(i) || !box.rect.intersects(seen_)) continue;
    QRectF rect = camera_.to_screen(to_qt(box.rect));
    const auto wider = texts.right_edges.find(static_cast<std::uint32_t>(i));
    if (wider != texts.right_edges.end()) rect.setRight(wider->second);
    if (scene_.is_faded(i)) painter.setOpacity(faded_opacity);
    if (rect.height() < patch && detail_ == Detail::screen) {
      paint_patch(painter, i, rect);
    } else {
      paint_box(painter, i, rect);
    }
    if (scene_.is_faded(i)) painter.setOpacity(1);
  }
}

/// Paints the boxes inside a block as patches of their colours, so that a large block does not look
/// empty.
void GraphPainter::paint_inside_of_blocks(QPainter& painter) const {
  for (std::size_t i = 0; i < drawing_.boxes.size(); ++i) {
    const layout::DrawnBox& box = drawing_.boxes[i];
    if (scene_.is_drawn(i) || box.is_open() || !box.rect.intersects(seen_)) continue;
    const QRectF rect = camera_.to_screen(to_qt(box.rect));
    if (rect.height() < least_inside_pixels) continue;
    const double share = scene_.is_faded(i) ? faded_opacity * inside_share : inside_share;
    painter.fillRect(
        rect.toAlignedRect(),
        mixed(seen_colour(scene_.colour(i).value_or(theme_.muted), theme_), theme_.surface, share));
  }
}

QPen GraphPainter::border_of(std::size_t index) const {
  const layout::DrawnBox& box = drawing_.boxes[index];
  const Mark mark = scene_.mark_of(index);
  if (mark == Mark::selected) return {theme_.accent, border_width};
  if (mark == Mark::part) return {theme_.accent, 1.4};
  if (hovered_ == index) return {theme_.muted, 1.4};
  const bool recomputed = box.shows.node.valid() && box.clones > 0;
  return recomputed ? QPen(theme_.accent, 1, Qt::DashLine) : QPen(theme_.line, 1);
}

void GraphPainter::paint_box(QPainter& painter, std::size_t index, const QRectF& rect) const {
  paint_body(painter, index, rect);
  paint_strip(painter, index, rect);
}

void GraphPainter::paint_body(QPainter& painter, std::size_t index, const QRectF& rect) const {
  const Mark mark = scene_.mark_of(index);
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
  const QRectF all = strip_place(rect, camera_.zoom);
  double y = all.y();
  for (const auto& [colour, share] :
       layout::strip_of(drawing_, scene_.content(index), scene_.colouring())) {
    painter.fillRect(QRectF(all.x(), y, all.width(), share * all.height()),
                     seen_colour(to_qt(colour), theme_));
    y += share * all.height();
  }
}

void GraphPainter::paint_patch(QPainter& painter, std::size_t index, const QRectF& rect) const {
  painter.fillRect(rect.toAlignedRect(),
                   seen_colour(scene_.colour(index).value_or(theme_.line), theme_));
  if (scene_.mark_of(index) == Mark::none) return;
  painter.setPen(QPen(theme_.accent, 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(rect.adjusted(-1, -1, 1, 1));
}

void GraphPainter::paint_labels(QPainter& painter, const std::vector<GraphLabel>& labels) const {
  int pixels = 0;
  for (const GraphLabel& label : labels) {
    if (label.pixels != pixels) painter.setFont(graph_font(label.pixels));
    pixels = label.pixels;
    if (scene_.is_faded(label.box)) painter.setOpacity(faded_opacity);
    paint_background(painter, label);
    const bool is_title = label.kind == LabelKind::title || label.kind == LabelKind::beside;
    painter.setPen(is_title ? theme_.text : theme_.muted);
    painter.drawText(label.rect, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, label.text);
    if (scene_.is_faded(label.box)) painter.setOpacity(1);
  }
}

/// Paints a background behind a text that may cover lines or patches.
void GraphPainter::paint_background(QPainter& painter, const GraphLabel& label) const {
  const bool is_inside = label.kind == LabelKind::title || label.kind == LabelKind::line;
  if (is_inside && detail_ == Detail::screen) {
    // The text covers patches of what is inside a block.
    if (!drawing_.boxes[label.box].is_open()) return;
    painter.fillRect(label.rect.toAlignedRect(), with_alpha(theme_.surface, 0.85));
  } else if (label.kind == LabelKind::heading) {
    painter.fillRect(label.rect.toAlignedRect(), frame_colour(label.box));
  } else if (label.kind == LabelKind::beside) {
    const bool is_selected = scene_.mark_of(label.box) == Mark::selected;
    painter.fillRect(label.rect.toAlignedRect(), is_selected
                                                     ? mixed(theme_.accent, theme_.surface, 0.20)
                                                     : with_alpha(theme_.canvas, 0.8));
  }
}

void GraphPainter::paint_captions(QPainter& painter, const std::vector<Caption>& captions) const {
  painter.setFont(detail_ == Detail::print ? graph_font(title_pixels * camera_.zoom)
                                           : caption_font(title_pixels));
  for (const Caption& caption : captions) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(with_alpha(theme_.canvas, 0.85));
    painter.drawRoundedRect(caption.rect, corner, corner);
    painter.setPen(theme_.muted);
    painter.drawText(caption.rect, Qt::AlignCenter, caption.text);
  }
}

}  // namespace stashscope::ui
