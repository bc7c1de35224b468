#include "ui/graph/legend.h"

#include <QEvent>
#include <QPainter>

#include "ui/graph/graph_painter.h"

namespace stashscope::ui {

namespace {

constexpr int side_margin = 8;
constexpr int end_margin = 2;
constexpr std::size_t most_rows = 3;

}  // namespace

Legend::Legend(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("graph_legend"));
  setAccessibleName(tr("Meaning of the colours and curves"));
  QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Maximum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void Legend::set_content(const LegendContent& content) {
  content_ = content;
  QStringList words;
  if (!content.first.isEmpty()) words << content.first << content.last;
  for (const LegendPart& part : content.parts) words << part.words;
  for (const auto& [colour, text] : content.states) words << text;
  setAccessibleDescription(words.join(QStringLiteral(", ")));
  setToolTip(words.join(QLatin1Char('\n')));
  updateGeometry();
  update();
}

LegendLayout Legend::pieces(int width) const {
  return {content_, QFontMetricsF(caption_font(detail_pixels)), width - 2.0 * side_margin,
          most_rows};
}

QSize Legend::sizeHint() const { return {320, heightForWidth(320)}; }

int Legend::heightForWidth(int width) const {
  return static_cast<int>(pieces(width).height()) + 2 * end_margin;
}

void Legend::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) updateGeometry();
}

void Legend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(caption_font(detail_pixels));
  pieces().paint(painter, QPointF(side_margin, end_margin), theme_of(palette()));
}

}  // namespace stashscope::ui
