#include "ui/window/message_bar.h"

#include <QApplication>
#include <QPainter>
#include <QPushButton>

#include "ui/theme/icons.h"
#include "ui/theme/spacing.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), text_(new MessageText), actions_(new QHBoxLayout), close_(new QToolButton) {
  setObjectName(u"message_bar"_s);
  setAccessibleName(tr("Message"));
  text_->setObjectName(u"message_text"_s);
  text_->setAccessibleName(tr("Message"));
  close_->setObjectName(u"message_close"_s);
  close_->setIcon(icon(Icon::close));
  close_->setToolTip(tr("Dismiss"));
  close_->setAccessibleName(tr("Dismiss"));
  close_->setAutoRaise(true);
  connect(close_, &QToolButton::clicked, this, &MessageBar::close_by_user);
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(2 * spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit / 2);
  layout->setSpacing(spacing_unit);
  layout->addWidget(text_, 1, Qt::AlignVCenter);
  layout->addLayout(actions_);
  layout->addWidget(close_);
  hide();
}

void MessageBar::clear_actions() {
  while (QLayoutItem* const item = actions_->takeAt(0)) {
    item->widget()->deleteLater();
    delete item;
  }
}

void MessageBar::show_message(Tone tone, const QString& text, std::vector<Action> actions) {
  clear_actions();
  for (Action& action : actions) {
    auto* const button = new QPushButton(action.label);
    button->setObjectName(u"message_action"_s);
    connect(button, &QPushButton::clicked, this, [this, run = std::move(action.run)] {
      const auto keep = run;
      close_message();
      keep();
    });
    actions_->addWidget(button);
  }
  order_tabs();
  tone_ = tone;
  text_->set_text(text);
  update();
  show();
}

/// The order on the screen: the text, the buttons, and the button that closes the bar last.
void MessageBar::order_tabs() {
  QWidget* last = text_;
  for (int i = 0; i < actions_->count(); ++i) {
    QWidget* const button = actions_->itemAt(i)->widget();
    setTabOrder(last, button);
    last = button;
  }
  setTabOrder(last, close_);
}

void MessageBar::dismiss() {
  if (tone_ != Tone::notes && actions_->isEmpty()) close_message();
}

bool MessageBar::has_focus() const {
  const QWidget* const focus = QApplication::focusWidget();
  return focus != nullptr && isAncestorOf(focus);
}

void MessageBar::close_message() {
  const bool had_focus = has_focus();
  hide();
  if (had_focus) give_focus_back();
}

void MessageBar::close_by_user() {
  close_message();
  if (tone_ == Tone::offer) Q_EMIT declined();
}

void MessageBar::toggle_focus() {
  if (has_focus()) return give_focus_back();
  focus_before_ = QApplication::focusWidget();
  QWidget* const first = actions_->isEmpty() ? text_ : actions_->itemAt(0)->widget();
  first->setFocus(Qt::ShortcutFocusReason);
}

void MessageBar::give_focus_back() {
  if (focus_before_ != nullptr && focus_before_->isVisible()) {
    focus_before_->setFocus(Qt::OtherFocusReason);
  }
}

void MessageBar::update_notes(const QString& text) {
  if (isHidden() || tone_ != Tone::notes || text == text_->toPlainText()) return;
  if (text.isEmpty()) return close_message();
  text_->set_text(text);
}

void MessageBar::showEvent(QShowEvent* event) {
  QFrame::showEvent(event);
  Q_EMIT seen_changed(true);
}

void MessageBar::hideEvent(QHideEvent* event) {
  QFrame::hideEvent(event);
  Q_EMIT seen_changed(false);
}

/// Paints the background here instead of in a style sheet, because a style sheet would change the
/// palette by which `theme_of` finds the theme.
void MessageBar::paintEvent(QPaintEvent*) {
  constexpr int edge_width = 4;
  const Theme theme = theme_of(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.surface);
  painter.fillRect(QRect(0, 0, edge_width, height()),
                   tone_ == Tone::error ? theme.warning : theme.accent);
  painter.fillRect(QRect(0, height() - 1, width(), 1), theme.line);
}

}  // namespace stashscope::ui
