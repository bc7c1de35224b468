#include "ui/graph/legend.h"

#include <QPainter>
#include <cmath>

#include "ui/charts/data_colours.h"
#include "ui/graph/graph_painter.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

constexpr double bar_width = 96;
constexpr double bar_height = 8;
constexpr double part_width = 28;
constexpr double swatch_width = 10;
constexpr double sample_width = 24;
constexpr double gap = 6;
constexpr double wide_gap = 20;

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

LegendContent lifetime_content(const layout::Drawing& drawing) {
  LegendContent content{
      Legend::tr("alive for 1 slot"), Legend::tr("%L1 slots").arg(drawing.steps), {}, {}};
  for (std::size_t i = 0; i < layout::lifetime_classes; ++i) {
    const QString bytes = bytes_text(drawing.stashed_by_lifetime[i]);
    const QString words = Legend::tr("%1 stashed and alive for up to %L2 slots")
                              .arg(bytes)
                              .arg((i + 1) * drawing.steps / layout::lifetime_classes);
    content.parts.push_back({bytes, words});
  }
  return content;
}

/// Paints the items of the legend from left to right. Leaves out items that do not fit.
class LegendWriter {
 public:
  LegendWriter(QPainter& painter, const QRectF& room, const Theme& theme)
      : painter_(painter), room_(room), theme_(theme), x_(room.x()) {}

  void map(const LegendContent& content) {
    const double ends = width_of(content.first) + width_of(content.last) + 2 * gap;
    double with_parts = ends;
    for (const LegendPart& part : content.parts) {
      with_parts += part_width + width_of(part.bytes) + 2 * gap;
    }
    if (!fits(ends + bar_width)) return;
    write(content.first);
    if (content.parts.empty() || !fits(with_parts)) {
      bar(bar_width, 0, 1);
    } else {
      const auto count = static_cast<double>(content.parts.size());
      for (std::size_t i = 0; i < content.parts.size(); ++i) {
        bar(part_width, static_cast<double>(i) / count, static_cast<double>(i + 1) / count);
        write(content.parts[i].bytes);
      }
    }
    write(content.last);
    x_ += wide_gap - gap;
  }

  void state(const QColor& colour, const QString& text) {
    if (!fits(swatch_width + gap + width_of(text))) return;
    painter_.fillRect(QRectF(x_, middle() - swatch_width / 2, swatch_width, swatch_width), colour);
    x_ += swatch_width + gap;
    write(text);
    x_ += wide_gap - gap;
  }

  void stash() {
    const QString text = Legend::tr("stashed for backward");
    if (!fits(sample_width + gap + width_of(text))) return;
    painter_.setPen(QPen(with_alpha(theme_.stash, 0.5), 5));
    painter_.drawLine(QPointF(x_, middle()), QPointF(x_ + sample_width, middle()));
    x_ += sample_width + gap;
    write(text);
  }

 private:
  /// Paints the part of the colour map from share `first` to share `last`.
  void bar(double width, double first, double last) {
    const QRectF place(x_, middle() - bar_height / 2, width, bar_height);
    QLinearGradient gradient(place.topLeft(), place.topRight());
    for (int i = 0; i <= 16; ++i) {
      const double share = i / 16.0;
      gradient.setColorAt(share, lifetime_colour(first + share * (last - first)));
    }
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(gradient);
    painter_.drawRoundedRect(place, 2, 2);
    x_ += width + gap;
  }
  double middle() const { return std::round(room_.center().y()); }
  bool fits(double width) const { return x_ + width <= room_.right(); }
  double width_of(const QString& text) const {
    return painter_.fontMetrics().horizontalAdvance(text) + 1;
  }
  void write(const QString& text) {
    painter_.setPen(theme_.muted);
    painter_.drawText(QRectF(x_, room_.y(), width_of(text), room_.height()), Qt::AlignVCenter,
                      text);
    x_ += width_of(text) + gap;
  }

  QPainter& painter_;
  const QRectF room_;
  const Theme& theme_;
  double x_;
};

}  // namespace

LegendContent legend_content(const layout::Drawing& drawing, layout::Colouring colouring) {
  if (drawing.boxes.empty()) return {};
  if (colouring == layout::Colouring::stash) return states_content(drawing);
  const layout::Scale scale = layout::scale_of(drawing, colouring);
  if (colouring == layout::Colouring::peak_bytes) {
    return {Legend::tr("alive at the peak: up to %1").arg(bytes_text(std::llround(scale.least))),
            bytes_text(std::llround(scale.most)),
            {},
            {}};
  }
  if (colouring == layout::Colouring::time) {
    return {Legend::tr("running time: up to %1").arg(time_text(scale.least)),
            time_text(scale.most),
            {},
            {}};
  }
  return lifetime_content(drawing);
}

void paint_legend(QPainter& painter, const QRectF& room, const LegendContent& content,
                  const Theme& theme, const QFont& font) {
  if (content == LegendContent()) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(font);
  LegendWriter writer(painter, room, theme);
  if (!content.first.isEmpty()) writer.map(content);
  for (const auto& [colour, text] : content.states) writer.state(colour, text);
  writer.stash();
  painter.restore();
}

Legend::Legend(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("graph_legend"));
  setAccessibleName(tr("Meaning of the colours and curves"));
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Maximum);
}

void Legend::set_content(const LegendContent& content) {
  content_ = content;
  QStringList words;
  if (!content.first.isEmpty()) words << content.first << content.last;
  for (const LegendPart& part : content.parts) words << part.words;
  for (const auto& [colour, text] : content.states) words << text;
  setAccessibleDescription(words.join(QStringLiteral(", ")));
  setToolTip(words.join(QLatin1Char('\n')));
  update();
}

QSize Legend::sizeHint() const {
  return {320, QFontMetrics(caption_font(detail_pixels)).height() + 8};
}

void Legend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint_legend(painter, rect().toRectF().adjusted(8, 0, -8, 0), content_, theme_of(palette()),
               caption_font(detail_pixels));
}

}  // namespace stashscope::ui
