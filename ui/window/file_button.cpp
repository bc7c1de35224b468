#include "ui/window/file_button.h"

#include <QPainter>

#include "ui/memory/curve_thumbnail.h"

namespace stashscope::ui {

namespace {

constexpr int button_margin = 6;
constexpr int picture_gap = 10;
constexpr double corner = 4;
/// Minimum width of the texts, in average characters.
constexpr int fewest_characters = 18;

}  // namespace

FileButton::FileButton(const FileEntry& entry, bool indented, QWidget* parent)
    : QPushButton(entry.name, parent), entry_(entry), indented_(indented) {
  setObjectName(QStringLiteral("welcome_file"));
  setAccessibleDescription(entry.detail);
  setToolTip(entry.path);
  setCursor(Qt::PointingHandCursor);
  setAutoDefault(true);
  setAttribute(Qt::WA_Hover);
}

QRect FileButton::picture_place() const {
  if (!indented_) return {};
  const int high = height() - 2 * button_margin;
  return {button_margin, button_margin, 3 * high, high};
}

QSize FileButton::sizeHint() const {
  const int high = 2 * fontMetrics().lineSpacing() + 2 * button_margin + 2;
  const int pictured = indented_ ? 3 * (high - 2 * button_margin) + picture_gap : 0;
  const int text = std::max(fontMetrics().horizontalAdvance(entry_.name),
                            fontMetrics().horizontalAdvance(entry_.detail));
  return {pictured + text + 2 * button_margin + 2, high};
}

QSize FileButton::minimumSizeHint() const {
  const QSize wanted = sizeHint();
  const int least = picture_place().width() + fewest_characters * fontMetrics().averageCharWidth();
  return {std::min(wanted.width(), least), wanted.height()};
}

void FileButton::paintEvent(QPaintEvent*) {
  const Theme theme = theme_of(palette());
  QPainter painter(this);
  painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
  painter.setPen(hasFocus() ? QPen(theme.accent, 2) : QPen(Qt::NoPen));
  painter.setBrush(underMouse() || hasFocus() ? theme.surface : QColor(Qt::transparent));
  painter.drawRoundedRect(rect().toRectF().adjusted(1, 1, -1, -1), corner, corner);
  const QRect place = picture_place();
  const QImage picture = in_theme(entry_.picture, theme);
  if (!picture.isNull()) {
    painter.drawImage(place, picture);
    painter.setPen(theme.line);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(place);
  }
  const int left = indented_ ? place.right() + picture_gap : button_margin;
  const int line = fontMetrics().lineSpacing();
  QRect text(left, button_margin + 1, width() - left - button_margin, line);
  painter.setPen(entry_.gone ? theme.muted : theme.accent);
  painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(entry_.name, Qt::ElideMiddle, text.width()));
  painter.setPen(theme.muted);
  painter.drawText(text.translated(0, line), Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(entry_.detail, Qt::ElideRight, text.width()));
}

}  // namespace stashscope::ui
