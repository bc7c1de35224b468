#include "ui/graph/label_placer.h"

#include <QFontMetricsF>
#include <cmath>

#include "ui/theme/text_size.h"

namespace stashscope::ui {

namespace {

/// Font sizes on the screen in pixels, at the normal text size.
constexpr double least_pixels = 8;
constexpr double title_least_pixels = 9;  // titles in boxes
constexpr double preferred_pixels = 10;
constexpr double most_pixels = 15;
constexpr double inner_pixels = 13;
/// Largest font size of a title, as a share of the height that is available for the title.
constexpr double font_share = 0.9;
constexpr double line_height = 1.25;  // as a multiple of the font size
constexpr double line_share = 11.0 / 12.0;
/// Maximum numbers of texts, so that a frame is painted quickly.
constexpr std::size_t most_labels = 500;
constexpr std::size_t most_beside = 150;
constexpr double heading_step = 24;
constexpr double beside_gap = 4;
/// A title may make its box wider by this many pixels, at the normal text size.
constexpr double most_widening = 90;
constexpr double behind_title = 5;  // pixels between a title and the edge of its widened box
/// A click hits the mark of a title up to this many pixels away from it.
constexpr double mark_reach = 5;

class LabelPlacer {
 public:
  LabelPlacer(const GraphScene& scene, const Camera& camera, const QRectF& room,
              const LabelOptions& options)
      : scene_(scene),
        drawing_(scene.drawing()),
        camera_(camera),
        room_(room),
        is_print_(options.detail == Detail::print),
        scale_(is_print_ ? 1 : text_scale()),
        keep_free_(options.keep_free),
        boxes_(room),
        labels_(room) {
    add_boxes(boxes_, scene, camera);
    if (keep_free_) {
      boxes_.add(*keep_free_);
      labels_.add(*keep_free_);
    }
  }

  GraphTexts place(const std::optional<std::uint32_t>& hovered) {
    // Inner boxes come first, so a selected node comes before the block around it.
    for (auto i = static_cast<std::uint32_t>(drawing_.boxes.size()); i-- > 0;) {
      if (scene_.mark_of(i) == Mark::selected && scene_.is_drawn(i)) place_selected(i);
    }
    if (hovered && scene_.is_drawn(*hovered)) {
      place_box(*hovered, true);
      placed_.push_back(*hovered);
    }
    for (const std::uint32_t box : scene_.by_rank()) {
      if (!is_print_ && texts_.labels.size() >= most_labels) break;
      if (scene_.is_drawn(box)) place_box(box, may_be_beside(box));
    }
    for (const GraphLabel& label : texts_.labels) boxes_.add(label.rect);
    texts_.captions = place_captions(
        drawing_, camera_, boxes_,
        is_print_ ? graph_font(title_pixels * camera_.zoom) : caption_font(title_pixels));
    return std::move(texts_);
  }

 private:
  QRectF on_screen(std::uint32_t box) const {
    return camera_.to_screen(to_qt(drawing_.boxes[box].rect));
  }
  bool is_frame(std::uint32_t box) const { return !scene_.is_leaf(box); }
  /// Whether the title may stand beside the box. This is allowed for blocks, for nodes, and for
  /// boxes that lie in no group.
  bool may_be_beside(std::uint32_t box) const {
    const layout::DrawnBox& drawn = drawing_.boxes[box];
    return drawn.is_open() || drawn.shows.node.valid() || drawn.parent == layout::outside;
  }

  /// The font size of titles at this zoom, the same for all boxes.
  double wanted_pixels() const {
    const double natural = title_pixels * camera_.zoom * scene_.picture().text_scale;
    if (is_print_) return natural;
    const double most = most_pixels * std::max(scale_, scene_.picture().text_scale);
    return std::clamp(natural, title_least_pixels * scale_, most);
  }
  double least() const { return is_print_ ? 0 : least_pixels * scale_; }

  void place_selected(std::uint32_t box) {
    const QRectF rect = on_screen(box);
    if (!rect.intersects(room_)) return;
    placed_.push_back(box);
    if (is_frame(box)) {
      place_heading(box, rect);
    } else if (!place_inside(box, rect) && !place_beside(box, rect)) {
      place_over(box, rect);
    }
  }

  void place_box(std::uint32_t box, bool try_beside) {
    const QRectF rect = on_screen(box);
    if (!rect.intersects(room_)) return;
    if (std::find(placed_.begin(), placed_.end(), box) != placed_.end()) return;
    if (is_frame(box)) return place_heading(box, rect);
    if (place_inside(box, rect) || !try_beside || tried_beside_ >= most_beside) return;
    ++tried_beside_;
    place_beside(box, rect);
  }

  /// The part of a box that can hold text and is in view.
  QRectF inner_of(std::uint32_t box, const QRectF& rect) const {
    const QRectF strip = strip_place(rect, camera_.zoom);
    const double gap = std::min(6 * camera_.zoom, 8.0);
    const double left = scene_.colour(box) ? strip.right() + gap : rect.left() + gap + 2;
    const QRectF inner(QPointF(left, rect.top()), QPointF(rect.right() - gap / 2, rect.bottom()));
    return is_print_ ? inner : inner.intersected(room_.adjusted(4, 0, -4, 0));
  }

  bool add(std::uint32_t box, LabelKind kind, double pixels, const QRectF& rect,
           const QString& text) {
    if (!is_print_ && !labels_.is_free(rect)) return false;
    labels_.add(rect);
    texts_.labels.push_back({box, kind, qRound(pixels), rect, text});
    return true;
  }

  /// A title with its font size.
  struct SizedTitle {
    const TextForms::Form* form = nullptr;
    double pixels = 0;
  };

  /// The area that a box gains if its right edge moves to the right of its title.
  static QRectF widening(const QRectF& rect, double title_end) {
    return {QPointF(rect.right() + 1, rect.top()),
            QPointF(title_end + behind_title + 1, rect.bottom())};
  }

  /// Whether the box can become as wide as its whole title without covering anything or leaving
  /// the frame of its group.
  bool can_widen(std::uint32_t box, const QRectF& rect, double title_end) const {
    const QRectF gained = widening(rect, title_end);
    if (gained.width() > most_widening * scale_ || gained.width() <= 0) return false;
    const std::uint32_t parent = drawing_.boxes[box].parent;
    if (parent != layout::outside && gained.right() >= on_screen(parent).right()) return false;
    return boxes_.is_free(gained) && labels_.is_free(gained);
  }

  /// Makes the box wider if its title does not fit into it.
  void widen(std::uint32_t box, const QRectF& rect, double title_end) {
    if (is_print_ || title_end <= rect.right()) return;
    texts_.right_edges[box] = title_end + behind_title;
    boxes_.add(widening(rect, title_end));
  }

  /// The form of a box's title that is placed inside the box: the whole title at the size of all
  /// titles, the whole title in a smaller font, or a shortened title. The box of a node may become
  /// wider for its whole title.
  SizedTitle title_of(std::uint32_t box, const QRectF& rect, const QRectF& inner) const {
    const TextForms& title = scene_.texts(box).title;
    const double pixels = std::min(wanted_pixels(), font_share * inner.height());
    if (pixels < least() || inner.width() <= 0 || title.forms.empty()) return {};
    const TextForms::Form* const whole = &title.forms.front();
    const TextForms::Form* const form = title.within(inner.width(), pixels);
    if (form == whole || is_print_) return {form, pixels};
    const bool is_node = drawing_.boxes[box].shows.node.valid();
    if (is_node && can_widen(box, rect, inner.left() + whole->width * pixels / title_pixels)) {
      return {whole, pixels};
    }
    const double smaller = std::max(least(), 0.8 * pixels);
    const TextForms::Form* const found = title.within(inner.width(), smaller);
    return {found, found == form ? pixels : smaller};
  }

  /// Places the title inside a box, with as many lines below it as fit. Returns false if there
  /// is no room for the title.
  bool place_inside(std::uint32_t box, const QRectF& rect) {
    const QRectF inner = inner_of(box, rect);
    const BoxTexts::Texts& texts = scene_.texts(box);
    const auto [form, wanted] = title_of(box, rect, inner);
    if (form == nullptr) return false;
    const double pixels = pixels_for_lines(texts, wanted, inner.height());
    const double title_height = line_height * pixels;
    const auto lines = lines_within(texts, inner.width(), line_share * pixels,
                                    inner.height() - title_height - 2 * camera_.zoom);
    const double below = line_height * line_share * pixels;
    double y = inner.center().y() - (title_height + static_cast<double>(lines.size()) * below) / 2;
    const double width = form->width * pixels / title_pixels;
    if (!add(box, LabelKind::title, pixels, {inner.left(), y, width, title_height}, form->text)) {
      return false;
    }
    widen(box, rect, inner.left() + width);
    y += title_height;
    for (const TextForms::Form* const line : lines) {
      const double line_width = line->width * line_share * pixels / title_pixels;
      add(box, LabelKind::line, line_share * pixels, {inner.left(), y, line_width, below},
          line->text);
      y += below;
    }
    return true;
  }

  /// The font size of the title: a little less than `pixels` if that makes room for a line below
  /// the title, otherwise `pixels`.
  double pixels_for_lines(const BoxTexts::Texts& texts, double pixels, double height) const {
    const double with_line = (height - 2 * camera_.zoom) / (line_height * (1 + line_share));
    const bool is_better = !texts.lines.empty() && with_line < pixels &&
                           with_line >= 0.8 * pixels && line_share * with_line >= least();
    return is_better && !is_print_ ? std::floor(with_line) : pixels;
  }

  std::vector<const TextForms::Form*> lines_within(const BoxTexts::Texts& texts, double width,
                                                   double pixels, double height) const {
    std::vector<const TextForms::Form*> lines;
    if (pixels < least()) return lines;
    for (const TextForms& line : texts.lines) {
      if (static_cast<double>(lines.size() + 1) * line_height * pixels > height) break;
      if (const auto* const form = line.within(width, pixels)) lines.push_back(form);
    }
    return lines;
  }

  /// Places the title beside, above or below a box, where it covers nothing. Tries the outer side
  /// of the box's column first. Returns false if there is no such place.
  bool place_beside(std::uint32_t box, const QRectF& rect) {
    const double pixels = preferred_pixels * scale_;
    const bool is_forward = drawing_.boxes[box].shows.side == layout::Side::forward;
    for (const TextForms::Form& form : scene_.texts(box).title.forms) {
      const QSizeF size(form.width * pixels / title_pixels + 6, line_height * pixels);
      const double y = rect.center().y() - size.height() / 2;
      const double x = rect.center().x() - size.width() / 2;
      const QPointF left(rect.left() - beside_gap - size.width(), y);
      const QPointF right(rect.right() + beside_gap, y);
      for (const QPointF& place :
           {is_forward ? left : right, is_forward ? right : left,
            QPointF(x, rect.top() - size.height() - 1), QPointF(x, rect.bottom() + 1)}) {
        const QRectF found(place, size);
        if (!boxes_.is_free(found) || !labels_.is_free(found)) continue;
        return add(box, LabelKind::beside, pixels, found, form.text);
      }
    }
    return false;
  }

  /// The place of a title. If it overlaps the place that must stay free, the nearest place in the
  /// room that does not, if there is one.
  QRectF off_kept_free(const QRectF& title) const {
    if (!keep_free_ || !title.intersects(*keep_free_)) return title;
    const QRectF kept = keep_free_->adjusted(-1, -1, 1, 1);
    QPointF nearest;
    for (const QPointF& move :
         {QPointF(kept.left() - title.right(), 0), QPointF(kept.right() - title.left(), 0),
          QPointF(0, kept.top() - title.bottom()), QPointF(0, kept.bottom() - title.top())}) {
      if (!room_.adjusted(-0.5, -0.5, 0.5, 0.5).contains(title.translated(move))) continue;
      if (nearest.isNull() || move.manhattanLength() < nearest.manhattanLength()) nearest = move;
    }
    return title.translated(nearest);
  }

  /// Places the title of the selected box on the middle of the box. The title may stick out of the
  /// box and cover what is around it, because the selected box must always have its title. Only the
  /// place that must stay free is not covered: there, nobody could read the title.
  void place_over(std::uint32_t box, const QRectF& rect) {
    const double pixels = preferred_pixels * scale_;
    const TextForms::Form* const form = scene_.texts(box).title.within(room_.width() - 8, pixels);
    if (form == nullptr) return;
    QRectF place(QPointF(), QSizeF(form->width * pixels / title_pixels + 6, line_height * pixels));
    place.moveCenter(rect.intersected(room_).center());
    place.moveLeft(std::clamp(place.left(), room_.left(), room_.right() - place.width()));
    place.moveTop(std::clamp(place.top(), room_.top(), room_.bottom() - place.height()));
    add(box, LabelKind::beside, pixels, off_kept_free(place), form->text);
  }

  /// Places the title of an open box in the strip above its inside. If this strip is too low or out
  /// of view, places the title at the upper edge of the visible part of the box, where it covers
  /// nothing.
  void place_heading(std::uint32_t box, const QRectF& rect) {
    const double z = camera_.zoom;
    const QRectF seen = is_print_ ? rect : rect.intersected(room_);
    const QRectF strip(rect.left(), rect.top(), rect.width(), layout::open_header * z);
    const TextForms& forms = scene_.texts(box).heading;
    const double pixels = std::min(wanted_pixels(), font_share * strip.height());
    if (pixels >= least() && (is_print_ || strip.top() >= room_.top())) {
      const QRectF line(seen.left() + 10 * z, strip.top(), seen.width() - 20 * z, strip.height());
      const auto* const form = forms.within(line.width(), pixels);
      if (form == nullptr) return;
      const QSizeF size(form->width * pixels / title_pixels,
                        std::min(strip.height(), line_height * pixels));
      const QPointF place(line.left(), line.center().y() - size.height() / 2);
      if (add(box, LabelKind::heading, pixels, {place, size}, form->text)) return;
    }
    place_free_heading(box, seen.adjusted(4, 2, -4, 0), forms);
  }

  void place_free_heading(std::uint32_t box, const QRectF& seen, const TextForms& forms) {
    const double pixels = preferred_pixels * scale_;
    const auto* const form = forms.within(seen.width(), pixels);
    if (form == nullptr || seen.height() < 3 * pixels) return;
    const QSizeF size(form->width * pixels / title_pixels, line_height * pixels);
    for (double x = seen.left(); x + size.width() <= seen.right(); x += heading_step) {
      const QRectF place(QPointF(x, seen.top()), size);
      if (!boxes_.is_free(place) || !labels_.is_free(place)) continue;
      add(box, LabelKind::heading, pixels, place, form->text);
      return;
    }
  }

  const GraphScene& scene_;
  const layout::Drawing& drawing_;
  const Camera& camera_;
  const QRectF room_;
  const bool is_print_;
  const double scale_;
  const std::optional<QRectF> keep_free_;
  Occupied boxes_;
  Occupied labels_;
  std::vector<std::uint32_t> placed_;  // boxes whose texts are placed before all others
  std::size_t tried_beside_ = 0;
  GraphTexts texts_;
};

/// The place of the mark with which a title begins; empty without a mark.
QRectF mark_place(const GraphLabel& label) {
  const bool has_mark = label.kind != LabelKind::line &&
                        (label.text.startsWith(open_mark) || label.text.startsWith(closed_mark));
  if (!has_mark) return {};
  const QFontMetricsF metrics(graph_font(label.pixels));
  QRectF place = label.rect;
  place.setWidth(metrics.horizontalAdvance(label.text.left(closed_mark.size())));
  return place.adjusted(-mark_reach, -mark_reach, 0, mark_reach);
}

}  // namespace

GraphTexts place_texts(const GraphScene& scene, const Camera& camera, const QRectF& room,
                       const LabelOptions& options) {
  return LabelPlacer(scene, camera, room, options).place(options.hovered);
}

std::optional<std::uint32_t> box_with_mark_at(const GraphTexts& texts, QPointF point) {
  for (const GraphLabel& label : texts.labels) {
    if (mark_place(label).contains(point)) return label.box;
  }
  return std::nullopt;
}

QRectF strip_place(const QRectF& box, double zoom) {
  const double inset = std::min(4 * zoom, 8.0);
  return {box.x() + inset, box.y() + inset, std::min(6 * zoom, 12.0),
          std::max(1.0, box.height() - 2 * inset)};
}

double least_inner_height() { return inner_pixels * text_scale(); }

double least_box_height() { return least_pixels / font_share * text_scale(); }

}  // namespace stashscope::ui
