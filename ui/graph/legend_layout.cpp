#include "ui/graph/legend_layout.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/box_rows.h"
#include "ui/charts/data_colours.h"
#include "ui/graph/graph_painter.h"
#include "ui/graph/legend.h"
#include "ui/text/counted.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using LegendMark = LegendItem::Mark;

constexpr double map_width = 96;
constexpr double part_width = 28;
constexpr double map_height = 8;
constexpr double swatch_width = 10;
constexpr double curve_width = 24;
constexpr double gap = 6;
constexpr double distance = 12;
constexpr double row_air = 4;

LegendContent states_content(const layout::Drawing& drawing) {
  LegendContent content;
  const auto add = [&](StashState state, const QString& text) {
    const std::int64_t bytes = drawing.stash_by_state[static_cast<std::size_t>(state)];
    content.states.emplace_back(to_qt(layout::stash_colour(state)),
                                Legend::tr("%1: %2").arg(text, bytes_text(bytes)));
  };
  add(StashState::freed, Legend::tr("recomputed or evicted"));
  add(StashState::plannable, Legend::tr("plan available"));
  add(StashState::pinned, Legend::tr("pinned"));
  add(StashState::unplanned, Legend::tr("no plan"));
  return content;
}

QString slots_text(std::size_t count) {
  return counted(count, Legend::tr("1 slot"), Legend::tr("%L1 slots"));
}

LegendContent lifetime_content(const layout::Drawing& drawing) {
  LegendContent content{Legend::tr("stashed bytes by lifetime, from 1 slot"),
                        Legend::tr("to %1").arg(slots_text(drawing.steps)),
                        {},
                        {}};
  for (std::size_t i = 0; i < layout::lifetime_classes; ++i) {
    const QString bytes = bytes_text(drawing.stashed_by_lifetime[i]);
    const QString words =
        Legend::tr("%1 stashed and alive for up to %2")
            .arg(bytes, slots_text((i + 1) * drawing.steps / layout::lifetime_classes));
    content.parts.push_back({bytes, words});
  }
  return content;
}

std::vector<LegendItem> map_items(const LegendContent& content, bool with_parts) {
  std::vector<LegendItem> items = {{LegendMark::none, content.first}};
  if (!with_parts || content.parts.empty()) {
    items.push_back({LegendMark::map, content.last, {}, 0, 1, map_width});
    return items;
  }
  const auto count = static_cast<double>(content.parts.size());
  for (std::size_t i = 0; i < content.parts.size(); ++i) {
    items.push_back({LegendMark::map,
                     content.parts[i].bytes,
                     {},
                     static_cast<double>(i) / count,
                     static_cast<double>(i + 1) / count,
                     part_width});
  }
  items.push_back({LegendMark::none, content.last});
  return items;
}

std::vector<LegendItem> items_of(const LegendContent& content, bool with_parts) {
  std::vector<LegendItem> items;
  if (content == LegendContent()) return items;
  if (!content.first.isEmpty()) items = map_items(content, with_parts);
  for (const auto& [colour, text] : content.states) {
    items.push_back({LegendMark::swatch, text, colour, 0, 1, swatch_width});
  }
  items.push_back({LegendMark::curve, Legend::tr("stashed for backward"), {}, 0, 1, curve_width});
  return items;
}

double room_of_mark(const LegendItem& item) {
  return item.mark == LegendMark::none ? 0 : item.mark_width + gap;
}

/// The colours of the part of the colour map that an item shows.
QLinearGradient map_colours(const LegendItem& item, const QRectF& place, const Theme& theme) {
  QLinearGradient gradient(place.topLeft(), place.topRight());
  for (int i = 0; i <= 16; ++i) {
    const double share = i / 16.0;
    const QColor colour = lifetime_colour(item.first + share * (item.last - item.first));
    gradient.setColorAt(share, seen_colour(colour, theme));
  }
  return gradient;
}

void paint_mark(QPainter& painter, const LegendItem& item, const QRectF& place,
                const Theme& theme) {
  const double middle = std::round(place.center().y());
  const auto beside_text = [&](double height) {
    return QRectF(place.x(), middle - height / 2, item.mark_width, height);
  };
  if (item.mark == LegendMark::map) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(map_colours(item, beside_text(map_height), theme));
    painter.drawRoundedRect(beside_text(map_height), 2, 2);
  } else if (item.mark == LegendMark::swatch) {
    painter.fillRect(beside_text(swatch_width), seen_colour(item.colour, theme));
  } else if (item.mark == LegendMark::curve) {
    painter.setPen(QPen(with_alpha(theme.stash, std::max(0.5, theme.stash_opacity)), 5));
    painter.drawLine(QPointF(place.x(), middle), QPointF(place.x() + item.mark_width, middle));
  }
}

}  // namespace

LegendContent legend_content(const layout::Drawing& drawing, layout::Colouring colouring) {
  if (drawing.boxes.empty()) return {};
  if (colouring == layout::Colouring::stash) return states_content(drawing);
  const layout::Scale scale = layout::scale_of(drawing, colouring);
  if (colouring == layout::Colouring::peak_bytes) {
    return {Legend::tr("bytes at the peak: %1 or less").arg(bytes_text(std::llround(scale.least))),
            bytes_text(std::llround(scale.most)),
            {},
            {}};
  }
  if (colouring == layout::Colouring::time) {
    return {Legend::tr("running time: %1 or less").arg(time_text(scale.least)),
            time_text(scale.most),
            {},
            {}};
  }
  return lifetime_content(drawing);
}

LegendLayout::LegendLayout(const LegendContent& content, const QFontMetricsF& metrics, double width,
                           std::size_t most_rows)
    : row_height_(std::ceil(metrics.height()) + row_air) {
  if (take(items_of(content, true), metrics, width, most_rows)) return;
  take(items_of(content, false), metrics, width, most_rows);
}

/// Places the items that fit. Returns whether all items fit.
bool LegendLayout::take(std::vector<LegendItem> items, const QFontMetricsF& metrics, double width,
                        std::size_t most_rows) {
  std::vector<double> widths;
  widths.reserve(items.size());
  for (const LegendItem& item : items) {
    widths.push_back(room_of_mark(item) + std::ceil(metrics.horizontalAdvance(item.text)) + 1);
  }
  places_ = BoxRows{0, width, row_height_, distance}.place(widths);
  const double most = static_cast<double>(most_rows) * row_height_;
  const auto beyond = std::ranges::find_if(
      places_, [&](const QRectF& place) { return place.bottom() > most + 0.5; });
  const bool all = beyond == places_.end();
  items.resize(static_cast<std::size_t>(beyond - places_.begin()));
  places_.erase(beyond, places_.end());
  items_ = std::move(items);
  return all;
}

double LegendLayout::height() const {
  return places_.empty() ? row_height_ : places_.back().bottom();
}

void LegendLayout::paint(QPainter& painter, QPointF top_left, const Theme& theme) const {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const QRectF place = places_[i].translated(top_left);
    paint_mark(painter, items_[i], place, theme);
    const QRectF room = place.adjusted(room_of_mark(items_[i]), 0, 0, 0);
    painter.setPen(theme.muted);
    painter.drawText(room, Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(items_[i].text, Qt::ElideRight,
                                                      static_cast<int>(std::ceil(room.width()))));
  }
  painter.restore();
}

}  // namespace stashscope::ui
