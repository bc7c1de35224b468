#include "ui/memory/memory_key.h"

#include <QLinearGradient>
#include <algorithm>
#include <functional>
#include <utility>

#include "ui/charts/band_colours.h"
#include "ui/charts/box_rows.h"
#include "ui/charts/chart_text.h"
#include "ui/charts/data_colours.h"
#include "ui/text/counted.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

constexpr double first_row = 5;
constexpr double mark_width = 22;
constexpr double gradient_width = 64;
constexpr double swatch_width = 11;
constexpr double gap = 6;
constexpr double distance = 18;
constexpr double room_for_marks = 12;
/// The part of the width that the entries get if they share a row with the line of text.
constexpr double share_of_entries = 0.45;
/// Minimum width of the line of text, as a multiple of its height. A narrower line shows nothing
/// useful.
constexpr double least_text = 22;

/// The largest band has the same rank as the curve of the current variant. The other bands have
/// higher ranks than the lines, so they are left out first.
constexpr std::size_t rank_of_lines = 1;
std::size_t rank_of_band(std::size_t place) { return place == 0 ? 0 : rank_of_lines + place; }

double width_of(KeyEntry::Mark mark) {
  switch (mark) {
    case KeyEntry::Mark::line:
      return mark_width;
    case KeyEntry::Mark::gradient:
      return gradient_width;
    case KeyEntry::Mark::hatch:
      return mark_width;
    case KeyEntry::Mark::swatch:
      return swatch_width;
    default:
      return 0;
  }
}

double room_of_mark(KeyEntry::Mark mark) {
  return mark == KeyEntry::Mark::none ? 0 : width_of(mark) + gap;
}

std::int64_t greatest_height(const CurveExtremes& edge, const CurveExtremes* below) {
  std::int64_t height = 0;
  for (std::size_t step = 0; step < edge.size(); ++step) {
    height = std::max(height, edge[step] - (below == nullptr ? 0 : (*below)[step]));
  }
  return height;
}

/// The name of a band in one word; empty if its name is one word.
QString short_title_of(Band band) {
  switch (band) {
    case Band::gathered_parameters:
      return KeyLayout::tr("gathered");
    case Band::constants:
      return KeyLayout::tr("inputs");
    case Band::optimizer_states:
      return KeyLayout::tr("states");
    case Band::stashed:
      return KeyLayout::tr("stashed");
    case Band::activations:
      return KeyLayout::tr("other");
    default:
      return {};
  }
}

std::vector<KeyEntry> with_short_texts(std::vector<KeyEntry> entries) {
  for (KeyEntry& each : entries) {
    if (!each.short_text.isEmpty()) each.text = each.short_text;
  }
  return entries;
}

void add_bands(const MemoryCurves& curves, const Theme& theme, std::vector<KeyEntry>& key) {
  if (curves.band_edges == nullptr) return;
  std::vector<std::pair<std::int64_t, Band>> bands;
  const CurveExtremes* below = nullptr;
  for (std::size_t i = 0; i < band_count; ++i) {
    const CurveExtremes& edge = (*curves.band_edges)[i];
    const std::int64_t height = greatest_height(edge, below);
    if (height > 0) bands.emplace_back(height, static_cast<Band>(i));
    below = &edge;
  }
  std::ranges::stable_sort(bands, std::ranges::greater(), &std::pair<std::int64_t, Band>::first);
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const Band band = bands[i].second;
    key.push_back({KeyEntry::Mark::swatch, shown(std::string(title_of(band))),
                   fill_colour(band, theme), 1, Qt::SolidLine, rank_of_band(i),
                   short_title_of(band)});
  }
}

std::vector<KeyEntry> without_least(std::vector<KeyEntry> entries) {
  // Of the entries with the highest rank, the last one is left out.
  const auto least =
      std::max_element(entries.rbegin(), entries.rend(),
                       [](const KeyEntry& a, const KeyEntry& b) { return a.rank < b.rank; });
  entries.erase(std::next(least).base());
  return entries;
}

void add_tensors(const MemoryCurves& curves, const MemoryLook& look, const Theme& theme,
                 std::vector<KeyEntry>& key) {
  if (curves.tensors == nullptr) return;
  const TensorStack& tensors = *curves.tensors;
  if (look.colouring == MemoryLook::Colouring::lifetime) {
    key.push_back({KeyEntry::Mark::gradient,
                   counted(tensors.bands.steps(), KeyLayout::tr("alive for 1 slot"),
                           KeyLayout::tr("alive for 1 to %1 slots")),
                   {}});
  }
  std::array<bool, band_count> listed{};
  for (const TensorBand& band : tensors.bands.bands()) {
    const Band kind = tensors.band_of[band.buffer];
    const bool in_own_colour = band.persistent || look.colouring == MemoryLook::Colouring::band;
    if (!in_own_colour || std::exchange(listed[static_cast<std::size_t>(kind)], true)) continue;
    key.push_back(
        {KeyEntry::Mark::swatch, shown(std::string(title_of(kind))), band_colour(kind, theme)});
  }
  if (tensors.bands.merged() > 0) {
    key.push_back({KeyEntry::Mark::swatch,
                   counted(tensors.bands.merged(), KeyLayout::tr("1 smaller tensor"),
                           KeyLayout::tr("%1 smaller tensors")),
                   rest_colour(theme)});
  }
}

void add_predicted_reserved(const MemoryCurves& curves, const Theme& theme,
                            std::vector<KeyEntry>& key) {
  const QString bytes = bytes_text(curves.predicted_reserved->peak_bytes);
  const bool is_seen = shows_predicted_reserved(curves);
  key.push_back({KeyEntry::Mark::line,
                 (is_seen ? KeyLayout::tr("allocator reserves %1")
                          : KeyLayout::tr("allocator reserves %1, above the plot"))
                     .arg(bytes),
                 reserved_colour(theme), 2});
  if (!is_seen) return;
  key.push_back({KeyEntry::Mark::hatch, KeyLayout::tr("reserved beyond the tensors"),
                 hatch_colour(theme), 1, Qt::SolidLine, rank_of_lines,
                 KeyLayout::tr("beyond tensors")});
}

QLinearGradient lifetime_gradient(const QRectF& rect, const Theme& theme) {
  QLinearGradient gradient(rect.topLeft(), rect.topRight());
  for (int i = 0; i <= 16; ++i) {
    gradient.setColorAt(i / 16.0, seen_colour(lifetime_colour(i / 16.0), theme));
  }
  return gradient;
}

void paint_mark(QPainter& painter, const KeyEntry& entry, const QRectF& place, const Theme& theme) {
  if (entry.mark == KeyEntry::Mark::none) return;
  const double y = place.center().y();
  const QRectF box(place.left(), y - swatch_width / 2, width_of(entry.mark), swatch_width);
  if (entry.mark == KeyEntry::Mark::line) {
    painter.setPen(QPen(entry.colour, entry.width, entry.style));
    painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
    return;
  }
  painter.setPen(Qt::NoPen);
  if (entry.mark == KeyEntry::Mark::hatch) {
    painter.setBrush(QBrush(entry.colour, Qt::BDiagPattern));
    painter.drawRect(box);
    return;
  }
  if (entry.mark == KeyEntry::Mark::gradient) {
    painter.setBrush(lifetime_gradient(box, theme));
  } else {
    painter.setBrush(entry.colour);
  }
  painter.drawRoundedRect(box, 2, 2);
}

}  // namespace

std::vector<KeyEntry> key_of(const MemoryCurves& curves, const MemoryLook& look,
                             const Theme& theme) {
  std::vector<KeyEntry> key;
  key.push_back({KeyEntry::Mark::line, KeyLayout::tr("without plans"), theme.baseline, 1,
                 Qt::DashLine, rank_of_lines});
  key.push_back({KeyEntry::Mark::line, KeyLayout::tr("now"), theme.accent, 2});
  if (curves.measured != nullptr) {
    key.push_back(
        {KeyEntry::Mark::line, KeyLayout::tr("measured"), theme.measured, 2, Qt::DotLine});
  }
  if (curves.with_workspace != nullptr) {
    key.push_back(
        {KeyEntry::Mark::swatch, KeyLayout::tr("measured workspaces"), workspace_colour(theme)});
  }
  if (curves.reserved_bytes > 0) {
    const QString bytes = bytes_text(curves.reserved_bytes);
    key.push_back({KeyEntry::Mark::line,
                   shows_reserved(curves) ? KeyLayout::tr("reserved %1").arg(bytes)
                                          : KeyLayout::tr("reserved %1, above the plot").arg(bytes),
                   theme.measured, 1, Qt::DashLine, rank_of_lines});
  }
  if (curves.predicted_reserved != nullptr) add_predicted_reserved(curves, theme, key);
  if (look.fill == MemoryLook::Fill::tensors) {
    add_tensors(curves, look, theme, key);
  } else {
    add_bands(curves, theme, key);
  }
  return key;
}

KeyLayout::KeyLayout(const std::vector<KeyEntry>& entries, const QFontMetricsF& metrics,
                     const KeyRoom& room) {
  // If there is only one row, the line of text is put beside the entries if the row is wide enough.
  const double beside = (1 - share_of_entries) * (room.right - room.left);
  const bool shares_row =
      room.most_rows == 1 && room.has_text_line && beside >= least_text * chart_room(metrics).line;
  KeyRoom of_entries = room;
  if (shares_row) of_entries.right = room.left + share_of_entries * (room.right - room.left);
  bool fits = take(entries, metrics, of_entries);
  std::vector<KeyEntry> kept = with_short_texts(entries);
  if (!fits) fits = take(kept, metrics, of_entries);
  while (!fits && !kept.empty()) {
    kept = without_least(std::move(kept));
    std::vector<KeyEntry> all = kept;
    all.push_back({KeyEntry::Mark::none, tr("and %1 more").arg(entries.size() - kept.size()), {}});
    fits = take(std::move(all), metrics, of_entries);
  }
  if (!room.has_text_line) return;
  const double row_height = chart_room(metrics).line;
  QPointF at(room.left, first_row);
  if (!places_.empty()) at = {places_.back().right() + distance, places_.back().y()};
  if (!shares_row && at.x() > room.left && room.right - at.x() < least_text * row_height) {
    at = {room.left, at.y() + row_height};
  }
  text_line_ = QRectF(at.x(), at.y(), std::max(0.0, room.right - at.x()), row_height);
}

/// Places the entries. Returns whether they fit into the rows.
bool KeyLayout::take(std::vector<KeyEntry> entries, const QFontMetricsF& metrics,
                     const KeyRoom& room) {
  const double row_height = chart_room(metrics).line;
  std::vector<double> widths;
  widths.reserve(entries.size());
  for (const KeyEntry& each : entries) {
    widths.push_back(room_of_mark(each.mark) + std::ceil(metrics.horizontalAdvance(each.text)) + 2);
  }
  entries_ = std::move(entries);
  places_ = BoxRows{room.left, room.right, row_height, distance}.place(widths);
  if (places_.empty()) return true;
  const bool fits = places_.back().y() / row_height + 0.5 < static_cast<double>(room.most_rows);
  for (QRectF& place : places_) place.translate(0, first_row);
  return fits;
}

double KeyLayout::height() const {
  const double entries = places_.empty() ? first_row : places_.back().bottom();
  return std::max(entries, text_line_.bottom()) - first_row + room_for_marks;
}

QRectF KeyLayout::area() const {
  QRectF area;
  for (const QRectF& place : places_) area |= place;
  return area;
}

QStringList KeyLayout::texts() const {
  QStringList texts;
  for (const KeyEntry& each : entries_) texts << each.text;
  return texts;
}

void KeyLayout::paint(QPainter& painter, const Theme& theme) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    paint_mark(painter, entries_[i], places_[i], theme);
    painter.setPen(theme.muted);
    const QRectF text = places_[i].adjusted(room_of_mark(entries_[i].mark), 0, 0, 0);
    painter.drawText(text, Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(entries_[i].text, Qt::ElideRight,
                                                      static_cast<int>(std::ceil(text.width()))));
  }
}

}  // namespace stashscope::ui
