#include "ui/memory/data_layer.h"

#include <cmath>

#include "ui/charts/band_colours.h"
#include "ui/charts/column_image.h"
#include "ui/charts/curve_colours.h"
#include "ui/memory/tensor_colours.h"

namespace stashscope::ui {

namespace {

/// Opacity of bands. It is higher on a dark background, where faint colours look alike.
constexpr double band_opacity = 0.7;
constexpr double band_opacity_on_dark = 0.8;
/// Opacity of the area of workspace. It is low, because the curves at the edges of this area have
/// the same colour.
constexpr double workspace_opacity = 0.45;
/// Opacity of the area between the lowest and the highest value of a column with many slots.
constexpr double spread_opacity = 0.3;

/// Distance between the lines of a hatching, in pixels.
constexpr double hatch_period = 7;

struct LineStyle {
  QRgb colour;
  double width = 1;
  double on = 0;      ///< length of a dash in pixels; 0: solid line
  double off = 0;     ///< length of a gap in pixels
  double spread = 0;  ///< opacity of the area between lowest and highest value of a column
};

class ColumnPainter {
 public:
  ColumnPainter(const DataLayer& layer, const QSize& size, double ratio)
      : curves_(layer.curves),
        look_(layer.look),
        theme_(layer.theme),
        rows_per_byte_(size.height() / static_cast<double>(layer.top)),
        ratio_(ratio),
        positions_(even_bounds(layer.axis.first, layer.axis.last,
                               static_cast<std::size_t>(std::max(1, size.width())))),
        bounds_(bounds_of(*curves_.current)),
        colours_(theme_),
        share_of_step_(1.0 / static_cast<double>(curves_.current->bytes.size())),
        image_(size.width(), size.height(), theme_.canvas.rgb()) {}

  void fill_bands() {
    if (curves_.band_edges == nullptr) return;
    std::vector<int> ground(static_cast<std::size_t>(image_.columns()), 0);
    for (std::size_t i = 0; i < band_count; ++i) {
      const QRgb colour = fill_colour(static_cast<Band>(i), theme_).rgb();
      const std::vector<Extremes> edge = envelope((*curves_.band_edges)[i], bounds_);
      for (std::size_t column = 0; column < edge.size(); ++column) {
        const int row = row_of(edge[column].high);
        image_.fill(static_cast<int>(column), ground[column], row, colour);
        ground[column] = std::max(row, ground[column]);
      }
    }
  }

  void fill_tensors(BufferId marked) {
    const TensorBands& bands = curves_.tensors->bands;
    const int columns = static_cast<int>(bounds_.size()) - 1;
    StackWalk walk(bands);
    std::size_t before = 0;
    for (int column = 0; column < columns; ++column) {
      const std::size_t step = shown_step(column);
      for (const StackedTensor& each : walk.at(step)) {
        const TensorBand& band = bands.bands()[each.band];
        const bool begins = column > 0 && band.first_slot > before;
        fill_tensor(column, each.bottom, band, begins);
        if (band.buffer == marked) mark(column, each.bottom, band, step, before);
      }
      image_.fill(column, row_of(bands.told_apart(step)), row_of(bands.live_bytes(step)),
                  rest_colour(theme_).rgb());
      before = step;
    }
  }

  /// Fills the area between the measured tensors and the sum of tensors and workspace.
  void fill_workspaces() {
    if (curves_.with_workspace == nullptr) return;
    const QRgb colour = workspace_colour(theme_).rgb();
    const std::vector<double> bounds = bounds_of(*curves_.with_workspace);
    const std::vector<Extremes> tensors = envelope(curves_.measured->bytes, bounds);
    const std::vector<Extremes> together = envelope(curves_.with_workspace->bytes, bounds);
    for (std::size_t column = 0; column < together.size(); ++column) {
      image_.fill(static_cast<int>(column), row_of(tensors[column].high),
                  row_of(together[column].high), colour);
    }
  }

  /// Hatches the area between the tensors and the reserved memory. A hatching differs from every
  /// fill for colour-blind users, too.
  void fill_beyond_tensors() {
    if (!shows_predicted_reserved(curves_)) return;
    const QRgb colour = hatch_colour(theme_).rgb();
    const std::vector<Extremes> tensors = envelope(curves_.current->bytes, bounds_);
    const std::vector<Extremes> reserved =
        envelope(curves_.predicted_reserved->bytes, bounds_of(*curves_.predicted_reserved));
    const int period = pixels(hatch_period);
    const auto columns = static_cast<int>(std::min(tensors.size(), reserved.size()));
    for (int column = 0; column < columns; ++column) {
      const auto at = static_cast<std::size_t>(column);
      const int from = row_of(tensors[at].high);
      const int to = row_of(reserved[at].high);
      for (int row = from - (from + column) % period; row < to; row += period) {
        image_.fill(column, std::max(from, row), std::min(to, row + pixels(1)), colour);
      }
    }
  }

  void draw_curves() {
    if (shows_predicted_reserved(curves_)) {
      draw_line(*curves_.predicted_reserved, {reserved_colour(theme_).rgb(), 2});
    }
    draw_line(*curves_.baseline, {theme_.baseline.rgb(), 1, 4, 3});
    for (const PinnedCurve& each : curves_.pinned) {
      draw_line(*each.curve, {pinned_colour(each.slot, theme_.dark).rgb(), 1.5});
    }
    const double spread = look_.fill == MemoryLook::Fill::bands ? spread_opacity : 0;
    draw_line(*curves_.current, {theme_.accent.rgb(), 2, 0, 0, spread});
    if (curves_.with_workspace != nullptr) {
      draw_line(*curves_.with_workspace, {theme_.measured.rgb(), 1});
    }
    if (shows_reserved(curves_))
      draw_level(curves_.reserved_bytes, {theme_.measured.rgb(), 1, 9, 4});
    if (curves_.measured != nullptr) {
      draw_line(*curves_.measured, {theme_.measured.rgb(), 2, 2, 3});
    }
  }

  QImage finish() const { return image_.upright(); }

 private:
  int row_of(std::int64_t bytes) const {
    return static_cast<int>(std::lround(static_cast<double>(bytes) * rows_per_byte_));
  }
  int pixels(double length) const {
    return std::max(1, static_cast<int>(std::lround(length * ratio_)));
  }

  /// The slots of `curve` at the edges of columns, up to the column in which the curve ends.
  std::vector<double> bounds_of(const MemoryCurve& curve) const {
    const CurvePlace place = place_of(curves_, curve, look_.unit);
    const auto end = std::lower_bound(positions_.begin(), positions_.end(), place.end());
    const auto columns =
        std::min(positions_.size() - 1, static_cast<std::size_t>(end - positions_.begin()));
    std::vector<double> bounds;
    bounds.reserve(columns + 1);
    for (std::size_t i = 0; i <= columns; ++i) bounds.push_back(place.step_at(positions_[i]));
    return bounds;
  }

  /// The slot whose tensors a column shows: of the slots in the column, the one with the most live
  /// bytes.
  std::size_t shown_step(int column) const {
    const auto index = static_cast<std::size_t>(column);
    const CurveExtremes& bytes = curves_.current->bytes;
    return bytes.highest(steps_between(bounds_[index], bounds_[index + 1], bytes.size()));
  }

  QRgb colour_of(const TensorBand& band) const {
    const Band kind = curves_.tensors->band_of[band.buffer];
    if (band.persistent || look_.colouring == MemoryLook::Colouring::band) {
      return colours_.of_band(kind);
    }
    const double lived = band.last_slot - band.first_slot + 1;
    return colours_.of_life(lived * share_of_step_);
  }

  /// Fills the part of a column that shows a tensor. Draws an edge if there is room, to separate
  /// neighbours of the same colour.
  void fill_tensor(int column, std::int64_t bottom, const TensorBand& band, bool begins) {
    const int from = row_of(bottom);
    const int to = row_of(bottom + band.bytes);
    if (to <= from) return;
    const QRgb colour = colour_of(band);
    const bool has_room = to - from > pixels(3);
    const QRgb edge = mixed(colour, theme_.canvas.rgb(), 0.5);
    image_.fill(column, from, to, begins && has_room ? edge : colour);
    if (has_room) image_.fill(column, from, from + pixels(1), edge);
  }

  void mark(int column, std::int64_t bottom, const TensorBand& band, std::size_t step,
            std::size_t before) {
    const int from = row_of(bottom);
    const int to = std::max(from + pixels(2), row_of(bottom + band.bytes));
    const QRgb colour = theme_.text.rgb();
    image_.fill(column, from, from + pixels(1.5), colour);
    image_.fill(column, to - pixels(1.5), to, colour);
    const bool at_end = band.first_slot > before || (band.last_slot == step && ends_in(column));
    if (at_end && column > 0) image_.fill(column, from, to, colour);
  }

  /// Whether the next column shows another slot.
  bool ends_in(int column) const {
    const auto next = static_cast<std::size_t>(column) + 1;
    return next + 1 < bounds_.size() && shown_step(column + 1) != shown_step(column);
  }

  /// Draws a horizontal line across the whole picture.
  void draw_level(std::int64_t bytes, const LineStyle& style) {
    const int row = row_of(bytes);
    const int period = pixels(style.on) + pixels(style.off);
    for (int column = 0; column < image_.columns(); ++column) {
      if (column % period >= pixels(style.on)) continue;
      image_.fill(column, row, row + pixels(style.width), style.colour);
    }
  }

  /// Draws a line through the highest value of each column. Between columns the line rises or falls
  /// vertically, because live bytes change abruptly.
  void draw_line(const MemoryCurve& curve, const LineStyle& style) {
    const int width = pixels(style.width);
    const int period = style.on > 0 ? pixels(style.on) + pixels(style.off) : 1;
    const int on = style.on > 0 ? pixels(style.on) : 1;
    std::optional<int> before;
    int column = 0;
    for (const Extremes& each : envelope(curve.bytes, bounds_of(curve))) {
      const int high = row_of(each.high);
      if (style.spread > 0) {
        image_.blend(column, row_of(each.low), high, style.colour, style.spread);
      }
      const int from = std::min(high, before.value_or(high)) - width / 2;
      const int to = std::max(high, before.value_or(high)) - width / 2 + width;
      // A peak of one column must not fall between two dashes.
      const bool is_dash = column % period < on;
      const bool rises = before && high - *before > 2 * width;
      const int bottom = is_dash ? from : std::max(from, to - 3 * width);
      if (is_dash || rises) image_.fill(column, bottom, to, style.colour);
      before = high;
      ++column;
    }
  }

  const MemoryCurves& curves_;
  const MemoryLook& look_;
  const Theme& theme_;
  double rows_per_byte_;
  double ratio_;
  std::vector<double> positions_;  ///< positions of the left edges of the columns, then the right
                                   ///< edge of the last column
  std::vector<double> bounds_;     ///< `positions_` as slots of the current curve
  TensorColours colours_;
  double share_of_step_;
  ColumnImage image_;
};

}  // namespace

QImage DataLayer::draw(const QSize& size, double ratio) const {
  ColumnPainter painter(*this, size, ratio);
  if (look.fill == MemoryLook::Fill::tensors && curves.tensors != nullptr) {
    painter.fill_tensors(marked);
  } else {
    painter.fill_bands();
  }
  painter.fill_beyond_tensors();
  painter.fill_workspaces();
  painter.draw_curves();
  return painter.finish();
}

QColor workspace_colour(const Theme& theme) {
  return QColor(mixed(theme.canvas.rgb(), theme.measured.rgb(), workspace_opacity));
}

QColor reserved_colour(const Theme& theme) {
  return QColor(mixed(theme.canvas.rgb(), theme.text.rgb(), 0.8));
}

QColor hatch_colour(const Theme& theme) {
  return QColor(mixed(theme.canvas.rgb(), theme.text.rgb(), 0.3));
}

QColor rest_colour(const Theme& theme) {
  return QColor(mixed(theme.canvas.rgb(), theme.muted.rgb(), 0.45));
}

QColor fill_colour(Band band, const Theme& theme) {
  return QColor(mixed(theme.canvas.rgb(), band_colour(band, theme).rgb(),
                      theme.dark ? band_opacity_on_dark : band_opacity));
}

}  // namespace stashscope::ui
