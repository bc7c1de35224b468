#include "ui/memory/arena_layer.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/column_image.h"

namespace stashscope::ui {

namespace {

/// Distance between the lines of the hatching, in pixels.
constexpr double free_hatch_period = 7;
/// A rectangle has an edge below if it is at least this many pixels high, and an edge on the left
/// if it is also this wide.
constexpr double least_edged_side = 4;

/// The range [from, to) of pixels, counted from the left or from the bottom.
struct Span {
  int from = 0;
  int to = 0;

  int length() const { return to - from; }
};

class PiecePainter {
 public:
  PiecePainter(const ArenaLayer& layer, const QSize& size, double ratio)
      : layer_(layer),
        arena_(*layer.picture.arena),
        ratio_(ratio),
        rows_per_byte_(size.height() / static_cast<double>(layer.top)),
        image_(size, QImage::Format_RGB32),
        slots_(shown_slots()) {
    image_.fill(layer.theme.canvas.rgb());
  }

  QImage paint() {
    hatch();
    const TensorColours colours(layer_.theme);
    // Tensors less than a pixel high are drawn first, so that they do not cover larger ones.
    for (const bool is_thin : {true, false}) {
      for (std::size_t i = 0; i < arena_.pieces.size(); ++i) {
        const ArenaPiece& piece = arena_.pieces[i];
        if ((rows_of(piece).length() == 0) == is_thin) fill(piece, colour_of(i, colours));
      }
    }
    return std::move(image_);
  }

 private:
  std::vector<std::size_t> shown_slots() const {
    const StepAxis& axis = layer_.axis;
    const std::vector<double> bounds =
        even_bounds(axis.first, axis.last, static_cast<std::size_t>(image_.width()));
    std::vector<std::size_t> slots;
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      slots.push_back(shown_slot(layer_.picture.curves.current->bytes, bounds[i], bounds[i + 1]));
    }
    return slots;
  }

  Span rows_of(const ArenaPiece& piece) const {
    const auto row = [&](std::int64_t bytes) {
      return static_cast<int>(std::lround(static_cast<double>(bytes) * rows_per_byte_));
    };
    return {row(piece.offset), row(piece.offset + piece.bytes)};
  }

  Span columns_of(const ArenaPiece& piece) const {
    const auto from = std::ranges::lower_bound(slots_, std::size_t{piece.first_slot});
    const auto to = std::upper_bound(from, slots_.end(), std::size_t{piece.last_slot});
    return {static_cast<int>(from - slots_.begin()), static_cast<int>(to - slots_.begin())};
  }

  int pixels(double length) const {
    return std::max(1, static_cast<int>(std::lround(length * ratio_)));
  }

  void fill(const Span& columns, const Span& rows, QRgb colour) {
    const int top = std::min(rows.to, image_.height());
    for (int row = std::max(0, rows.from); row < top; ++row) {
      auto* const line = reinterpret_cast<QRgb*>(image_.scanLine(image_.height() - 1 - row));
      std::fill(line + columns.from, line + columns.to, colour);
    }
  }

  /// Fills the rectangle of a piece. Draws an edge on the left and below if there is room, to
  /// separate neighbours of the same colour.
  void fill(const ArenaPiece& piece, QRgb colour) {
    const Span columns = columns_of(piece);
    if (columns.length() == 0) return;
    Span rows = rows_of(piece);
    rows.to = std::max(rows.to, rows.from + 1);
    fill(columns, rows, colour);
    const int least = pixels(least_edged_side);
    const QRgb edge = mixed(colour, layer_.theme.canvas.rgb(), 0.5);
    const bool begins = columns.from > 0;
    if (rows.length() >= least) fill(columns, {rows.from, rows.from + pixels(1)}, edge);
    if (begins && columns.length() >= least && rows.length() >= least) {
      fill({columns.from, columns.from + pixels(1)}, rows, edge);
    }
  }

  /// Hatches the whole arena; the tensors lie above the hatching.
  void hatch() {
    const int period = pixels(free_hatch_period);
    const QRgb colour = hatch_colour(layer_.theme).rgb();
    const auto height =
        static_cast<int>(std::lround(static_cast<double>(arena_.capacity_bytes) * rows_per_byte_));
    for (int row = 0; row < std::min(height, image_.height()); ++row) {
      auto* const line = reinterpret_cast<QRgb*>(image_.scanLine(image_.height() - 1 - row));
      for (int column = period - 1 - row % period; column < image_.width(); column += period) {
        std::fill(line + column, line + std::min(column + pixels(1), image_.width()), colour);
      }
    }
  }

  QRgb colour_of(std::size_t piece, const TensorColours& colours) const {
    if (!arena_.pieces[piece].buffer.valid()) return rest_colour(layer_.theme).rgb();
    return colours.of((*layer_.picture.looks)[piece], layer_.colouring);
  }

  const ArenaLayer& layer_;
  const StepArena& arena_;
  double ratio_;
  double rows_per_byte_;
  QImage image_;
  std::vector<std::size_t> slots_;  ///< by column
};

}  // namespace

std::size_t shown_slot(const CurveExtremes& live_bytes, double left, double right) {
  constexpr double several = 2;
  if (right - left >= several) {
    return live_bytes.highest(steps_between(left, right, live_bytes.size()));
  }
  return steps_between(left, left, live_bytes.size()).begin;
}

QImage ArenaLayer::draw(const QSize& size, double ratio) const {
  return PiecePainter(*this, size, ratio).paint();
}

}  // namespace stashscope::ui
