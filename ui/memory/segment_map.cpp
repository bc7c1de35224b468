#include "ui/memory/segment_map.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/base/csv.h"
#include "ui/charts/column_image.h"
#include "ui/text/texts.h"
#include "ui/theme/focus_frame.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr double margin = 8;
constexpr int bar_margin = 2;
/// The bar of a segment needs this many pixels before free bytes are written beside it.
constexpr double least_bar = 240;
/// If there are only a few segments, their rows are higher: up to this many lines of text.
constexpr int most_lines = 3;
/// Blocks at least this wide have an edge, which separates neighbours of the same colour.
constexpr int least_edged = 4;

/// A range of pixels that several blocks, each narrower than a pixel, fill together. It has the
/// colour of the largest of these blocks.
struct Run {
  int from = 0;
  int to = 0;
  std::int64_t largest = 0;
  QRgb colour = 0;
};

/// The columns of pixels that a block fills: at least one.
struct Columns {
  int from = 0;
  int to = 0;
};

/// @param left the pixel where the segment begins
/// @param scale pixels per byte
Columns columns_of(const MapBlock& block, double left, double scale) {
  const double begin = left + static_cast<double>(block.offset) * scale;
  const double end = begin + static_cast<double>(block.bytes) * scale;
  const int from = static_cast<int>(std::lround(begin));
  return {from, std::max(from + 1, static_cast<int>(std::lround(end)))};
}

QString pool_text(MemoryPool pool) {
  return pool == MemoryPool::large ? SegmentMap::tr("large") : SegmentMap::tr("small");
}

}  // namespace

SegmentMap::SegmentMap(QWidget* parent) : QWidget(parent), scroll_(new RowScrollBar(*this)) {
  setObjectName(u"segment_map"_s);
  setAccessibleName(tr("Segments of the allocator"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(200, 40);
  scroll_->setObjectName(u"segment_scroll"_s);
  connect(scroll_, &QScrollBar::valueChanged, this, &SegmentMap::take_scrolling);
  add_keys();
  lay_out();
}

void SegmentMap::set_segments(SegmentPicture segments) {
  segments_ = std::move(segments);
  enable_keys(*this, !map().segments.empty());
  lay_out();
}

void SegmentMap::set_colouring(MemoryLook::Colouring colouring) {
  if (colouring_ == colouring) return;
  colouring_ = colouring;
  redraw();
}

void SegmentMap::mark(BufferId buffer) {
  marked_ = buffer;
  scroll_to_marked();
  update();
}

void SegmentMap::scroll_to_marked() {
  const MapBlock* const block = marked_block();
  if (block != nullptr) scroll_->scroll_to_row(static_cast<int>(block->segment));
}

const MapBlock* SegmentMap::marked_block() const {
  if (!marked_.valid()) return nullptr;
  const auto found = std::ranges::find(map().blocks, marked_, &MapBlock::buffer);
  return found == map().blocks.end() ? nullptr : &*found;
}

void SegmentMap::redraw() {
  is_stale_ = true;
  update();
}

/// The pointer may rest while the rows move below it.
void SegmentMap::take_scrolling() {
  redraw();
  if (hovered_ && isVisible()) Q_EMIT pointed_at(facts_at(*hovered_));
}

void SegmentMap::lay_out() {
  const auto width_of = [metrics = QFontMetricsF(font())](const QString& text) {
    return std::ceil(metrics.horizontalAdvance(text)) + 2 * margin;
  };
  // Whole pixels, so that the bars have sharp ends.
  label_width_ = width_of(pool_text(MemoryPool::large) + u" 1023.99 MiB"_s);
  free_width_ = width_of(tr("%1 free").arg(u"1023.99 MiB"_s));
  if (width() - label_width_ - free_width_ < least_bar) free_width_ = 0;
  scroll_->fit(rows_height(), row_height());
  redraw();
}

int SegmentMap::row_height() const {
  const int line = static_cast<int>(std::ceil(QFontMetricsF(font()).height()));
  const int rows = std::max(1, static_cast<int>(map().segments.size()));
  return std::clamp(height() / rows, line + 2 * bar_margin, most_lines * line);
}

int SegmentMap::rows_height() const {
  return static_cast<int>(map().segments.size()) * row_height();
}

QRectF SegmentMap::bar_of(std::size_t segment) const {
  const double top = static_cast<double>(segment) * row_height() - scroll_->value() + bar_margin;
  const double right = scroll_->room() - (free_width_ > 0 ? free_width_ : margin);
  return {label_width_, top, std::max(1.0, right - label_width_),
          static_cast<double>(row_height() - 2 * bar_margin)};
}

/// Pixels per byte.
double SegmentMap::scale_of(std::size_t segment) const {
  return bar_of(segment).width() / static_cast<double>(map().segments[segment].bytes);
}

QRectF SegmentMap::rectangle(const MapBlock& block) const {
  const QRectF bar = bar_of(block.segment);
  const Columns columns = columns_of(block, bar.left(), scale_of(block.segment));
  return {static_cast<double>(columns.from), bar.top(),
          static_cast<double>(columns.to - columns.from), bar.height()};
}

std::optional<std::size_t> SegmentMap::row_at(double y) const {
  const double row = std::floor((y + scroll_->value()) / row_height());
  if (row < 0 || row >= static_cast<double>(map().segments.size())) return std::nullopt;
  return static_cast<std::size_t>(row);
}

/// Whether a column of pixels goes through the bars.
bool SegmentMap::is_within_bars(double x) const {
  const QRectF bar = bar_of(0);
  return x >= bar.left() && x < bar.right();
}

const MapBlock* SegmentMap::block_at(QPointF pixel) const {
  const auto row = row_at(pixel.y());
  if (!row || !is_within_bars(pixel.x())) return nullptr;
  const auto blocks = map().blocks_of(*row);
  const auto columns = [left = bar_of(*row).left(), scale = scale_of(*row)](const MapBlock& each) {
    return columns_of(each, left, scale);
  };
  const int at = static_cast<int>(std::floor(pixel.x()));
  const auto behind = std::ranges::upper_bound(
      blocks, at, {}, [&](const MapBlock& each) { return columns(each).from; });
  if (behind == blocks.begin()) return nullptr;
  // If two blocks share a pixel, the later block is painted over the earlier one.
  const MapBlock& last = *std::prev(behind);
  return columns(last).to > at ? &last : nullptr;
}

QString SegmentMap::segment_text(std::size_t segment) const {
  const MapSegment& at = map().segments[segment];
  return tr("segment %1 of %2, %3, %4 pool")
      .arg(segment + 1)
      .arg(map().segments.size())
      .arg(bytes_text(at.bytes), pool_text(at.pool));
}

QStringList SegmentMap::facts_at(QPointF pixel) const {
  const auto row = row_at(pixel.y());
  if (!row) return {};
  if (!is_within_bars(pixel.x())) {
    return {segment_text(*row), tr("%1 free").arg(bytes_text(map().free_bytes_of(*row)))};
  }
  const MapBlock* const block = block_at(pixel);
  return block == nullptr ? gap_facts(*row, pixel) : facts_of(*block);
}

QStringList SegmentMap::facts_of(const MapBlock& block) const {
  QStringList facts = segments_.describe(block);
  if (block.bytes != block.requested_bytes) {
    facts << tr("takes %1").arg(bytes_text(block.bytes));
  }
  return facts << segment_text(block.segment);
}

/// @pre no block is drawn at the pixel
QStringList SegmentMap::gap_facts(std::size_t segment, QPointF pixel) const {
  // The byte at the middle of the pixel is free: a block with this byte would be drawn here.
  const double middle = std::floor(pixel.x()) + 0.5;
  const double byte = (middle - bar_of(segment).left()) / scale_of(segment);
  std::int64_t from = 0;
  std::int64_t to = map().segments[segment].bytes;
  for (const MapBlock& each : map().blocks_of(segment)) {
    if (static_cast<double>(each.offset) >= byte) {
      to = each.offset;
      break;
    }
    from = each.offset + each.bytes;
  }
  return {tr("free piece of %1").arg(bytes_text(to - from)), segment_text(segment)};
}

QRgb SegmentMap::colour_of(std::size_t block, const TensorColours& colours,
                           const Theme& theme) const {
  if (!map().blocks[block].buffer.valid()) return rest_colour(theme).rgb();
  return colours.of(segments_.looks[block], colouring_);
}

void SegmentMap::paint_blocks(QPainter& painter, std::size_t segment, const TensorColours& colours,
                              const Theme& theme) const {
  const QRect bar = bar_of(segment).toRect();
  const double left = bar_of(segment).left();
  const double scale = scale_of(segment);
  Run run;
  const auto end_run = [&] {
    if (run.to > run.from) {
      painter.fillRect(QRect(run.from, bar.top(), run.to - run.from, bar.height()),
                       QColor(run.colour));
    }
    run = {};
  };
  const std::size_t end = map().first_block[segment + 1];
  for (std::size_t i = map().first_block[segment]; i < end; ++i) {
    const MapBlock& block = map().blocks[i];
    const auto [from, to] = columns_of(block, left, scale);
    if (static_cast<double>(block.bytes) * scale < 1) {
      if (from > run.to) end_run();
      if (run.to <= run.from) run.from = from;
      run.to = std::max(run.to, from + 1);
      if (block.bytes <= run.largest) continue;
      run.largest = block.bytes;
      run.colour = colour_of(i, colours, theme);
      continue;
    }
    end_run();
    const QColor colour(colour_of(i, colours, theme));
    painter.fillRect(QRect(from, bar.top(), to - from, bar.height()), colour);
    if (to - from < least_edged) continue;
    painter.fillRect(QRect(from, bar.top(), 1, bar.height()),
                     QColor(mixed(colour.rgb(), theme.canvas.rgb(), 0.5)));
  }
  end_run();
}

void SegmentMap::paint_row(QPainter& painter, std::size_t segment, const Theme& theme) const {
  const QRectF bar = bar_of(segment);
  const MapSegment& at = map().segments[segment];
  painter.setPen(theme.muted);
  painter.drawText(QRectF(margin, bar.top(), label_width_ - 2 * margin, bar.height()),
                   Qt::AlignLeft | Qt::AlignVCenter, pool_text(at.pool));
  painter.setPen(theme.text);
  painter.drawText(QRectF(margin, bar.top(), label_width_ - 2 * margin, bar.height()),
                   Qt::AlignRight | Qt::AlignVCenter, bytes_text(at.bytes));
  if (free_width_ > 0) {
    const std::int64_t free = map().free_bytes_of(segment);
    painter.setPen(theme.muted);
    painter.drawText(QRectF(bar.right(), bar.top(), free_width_ - margin, bar.height()),
                     Qt::AlignRight | Qt::AlignVCenter,
                     free == 0 ? tr("full") : tr("%1 free").arg(bytes_text(free)));
  }
  painter.fillRect(bar, QBrush(hatch_colour(theme), Qt::BDiagPattern));
}

void SegmentMap::paint_rows(QPainter& painter, int top, int bottom) const {
  const Theme theme = theme_of(palette());
  const TensorColours colours(theme);
  for (std::size_t segment = 0; segment < map().segments.size(); ++segment) {
    const QRectF bar = bar_of(segment);
    if (bar.bottom() < top || bar.top() > bottom) continue;
    paint_row(painter, segment, theme);
    paint_blocks(painter, segment, colours, theme);
    painter.setPen(theme.line);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar.toRect().adjusted(0, 0, -1, -1));
  }
}

void SegmentMap::paintEvent(QPaintEvent*) {
  const Theme theme = theme_of(palette());
  const double ratio = devicePixelRatioF();
  if (is_stale_ || layer_.devicePixelRatio() != ratio || layer_.size() != size() * ratio) {
    layer_ = QPixmap(size() * ratio);
    layer_.setDevicePixelRatio(ratio);
    layer_.fill(theme.canvas);
    QPainter painter(&layer_);
    painter.setFont(font());
    paint_rows(painter, 0, height());
    is_stale_ = false;
  }
  QPainter painter(this);
  painter.drawPixmap(0, 0, layer_);
  painter.setBrush(Qt::NoBrush);
  if (const MapBlock* const hovered = hovered_ ? block_at(*hovered_) : nullptr) {
    painter.setPen(QPen(theme.text, 1));
    painter.drawRect(rectangle(*hovered).adjusted(0.5, 0.5, -0.5, -0.5));
  }
  if (const MapBlock* const marked = marked_block()) {
    // The outline has two colours. At least one of them stands out, whatever the colour of the
    // tensor.
    const QRectF around = rectangle(*marked).adjusted(-1, -1, 1, 1);
    painter.setPen(QPen(theme.canvas, 4));
    painter.drawRect(around);
    painter.setPen(QPen(theme.accent, 2));
    painter.drawRect(around);
  }
  paint_focus_frame(painter, *this);
}

Picture SegmentMap::picture(const QString& title) {
  if (map().segments.empty()) return {};
  const int all = std::max(height(), rows_height());
  return recorded(*this, title, QSizeF(width(), all), [&](QPainter& painter) {
    painter.fillRect(QRect(0, 0, width(), all), theme_of(palette()).canvas);
    painter.translate(0, scroll_->value());
    paint_rows(painter, -scroll_->value(), all);
  });
}

PictureData SegmentMap::picture_data() {
  if (map().segments.empty()) return {};
  return [map = map(), describe = segments_.describe] {
    std::string table =
        csv_record({"segment", "pool", "segment bytes", "offset", "bytes", "tensor"});
    for (const MapBlock& block : map.blocks) {
      const MapSegment& segment = map.segments[block.segment];
      table += csv_record({std::to_string(block.segment + 1), pool_text(segment.pool).toStdString(),
                           std::to_string(segment.bytes), std::to_string(block.offset),
                           std::to_string(block.bytes), describe(block).value(0).toStdString()});
    }
    return table;
  };
}

void SegmentMap::resizeEvent(QResizeEvent*) { lay_out(); }

}  // namespace stashscope::ui
