#include "ui/graph/legend.h"

#include <QPainter>

#include "ui/graph/graph_painter.h"

namespace stashscope::ui {

namespace {

constexpr int bar_width = 96;
constexpr int least_bar_width = 24;
constexpr int bar_height = 8;
constexpr int sample_width = 24;
constexpr int gap = 6;
constexpr int wide_gap = 20;

}  // namespace

Legend::Legend(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("graph_legend"));
  setAccessibleName(tr("Colours: how long activations live; curves: stashed for backward"));
  setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
}

void Legend::set_steps(std::size_t steps) {
  steps_ = steps;
  updateGeometry();
  update();
}

QString Legend::first_text() const { return tr("lives 1 step"); }
QString Legend::last_text() const { return tr("%L1 steps").arg(steps_); }
QString Legend::stash_text() const { return tr("stashed"); }

QSize Legend::sizeHint() const {
  const QFontMetrics metrics(caption_font(detail_pixels));
  const int texts = metrics.horizontalAdvance(first_text()) +
                    metrics.horizontalAdvance(last_text()) +
                    metrics.horizontalAdvance(stash_text());
  return {texts + bar_width + sample_width + 3 * gap + wide_gap + 4, metrics.height() + 4};
}

void Legend::paintEvent(QPaintEvent*) {
  if (steps_ == 0) return;
  const Theme theme = theme_of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(caption_font(detail_pixels));
  double x = 0;
  const auto write = [&](const QString& text) {
    const double width = painter.fontMetrics().horizontalAdvance(text) + 1;
    painter.setPen(theme.muted);
    painter.drawText(QRectF(x, 0, width, height()), Qt::AlignVCenter, text);
    x += width + gap;
  };
  const auto room_beside = [&](const QString& first) {
    return width() - painter.fontMetrics().horizontalAdvance(first + last_text()) - 2 * gap - 4;
  };
  const bool is_narrow = room_beside(first_text()) < least_bar_width;
  const QString first = is_narrow ? QStringLiteral("1") : first_text();
  const int room = room_beside(first);
  if (room < least_bar_width) return;
  write(first);
  const QRectF bar(x, (height() - bar_height) / 2.0, std::min(bar_width, room), bar_height);
  QLinearGradient gradient(bar.topLeft(), bar.topRight());
  for (int i = 0; i <= 16; ++i) gradient.setColorAt(i / 16.0, lifetime_colour(i / 16.0));
  painter.setPen(Qt::NoPen);
  painter.setBrush(gradient);
  painter.drawRoundedRect(bar, 2, 2);
  x += bar.width() + gap;
  write(last_text());
  x += wide_gap - gap;
  const int stash_width =
      sample_width + gap + painter.fontMetrics().horizontalAdvance(stash_text());
  if (x + stash_width > width()) return;
  QColor stash = theme.stash;
  stash.setAlphaF(0.5f);
  painter.setPen(QPen(stash, 5));
  painter.drawLine(QPointF(x, height() / 2.0), QPointF(x + sample_width, height() / 2.0));
  x += sample_width + gap;
  write(stash_text());
}

}  // namespace stashscope::ui
