#include "ui/window/tool_bar.h"

#include <QEvent>
#include <QLabel>
#include <QToolButton>

#include "ui/theme/spacing.h"

namespace stashscope::ui {

namespace {

/// Space in pixels that the style leaves between an icon and its text.
constexpr int icon_gap = 4;
/// Hidden texts are shown again only if the bar is wider by this many pixels than the bar needs
/// with the texts. Without this spare width, the texts could flicker.
constexpr int spare_width = 16;

}  // namespace

void ToolBar::add_label(const QString& text) {
  auto* const label = new QLabel(text);
  label->setContentsMargins(spacing_unit, 0, spacing_unit, 0);
  labels_.push_back(addWidget(label));
}

int ToolBar::width_of_texts() const {
  int width = 0;
  for (QAction* const action : actions()) {
    if (action->icon().isNull()) continue;
    const auto* const button = widgetForAction(action);
    if (button == nullptr) continue;
    const QFontMetrics metrics = button->fontMetrics();
    width += icon_gap + metrics.horizontalAdvance(action->iconText()) +
             2 * metrics.horizontalAdvance(QLatin1Char(' '));
  }
  return width;
}

int ToolBar::width_of_labels() const {
  int width = 0;
  for (QAction* const label : labels_) width += widgetForAction(label)->sizeHint().width();
  return width;
}

void ToolBar::fit() {
  const bool has_texts = toolButtonStyle() == Qt::ToolButtonTextBesideIcon;
  const bool has_labels = labels_.isEmpty() || labels_.front()->isVisible();
  const int icons = sizeHint().width() - (has_texts ? width_of_texts() : 0) +
                    (has_labels ? 0 : width_of_labels());
  const int texts = icons + width_of_texts();
  const bool wants_texts = texts + (has_texts ? 0 : spare_width) <= width();
  const bool wants_labels = wants_texts || icons + (has_labels ? 0 : spare_width) <= width();
  if (wants_texts != has_texts) {
    setToolButtonStyle(wants_texts ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
  }
  if (wants_labels == has_labels) return;
  for (QAction* const label : labels_) label->setVisible(wants_labels);
}

bool ToolBar::event(QEvent* event) {
  const bool is_done = QToolBar::event(event);
  if (event->type() == QEvent::LayoutRequest) fit();
  return is_done;
}

void ToolBar::resizeEvent(QResizeEvent* event) {
  QToolBar::resizeEvent(event);
  fit();
}

}  // namespace stashscope::ui
