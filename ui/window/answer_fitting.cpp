// How the answer bar shares its width among the answer and the buttons.

#include <QAction>
#include <QLayout>
#include <algorithm>

#include "ui/window/answer_bar.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

int AnswerBar::width_of_form(const QString& form) {
  answer_->setText(form);
  return answer_->sizeHint().width();
}

void AnswerBar::fit_answer() {
  if (forms_.isEmpty()) return;
  if (answer_room_ == 0) answer_room_ = width_of_form(forms_.front()) + room_for_percent();
  const auto first_within = [&](int room) {
    return std::ranges::find_if(forms_,
                                [&](const QString& form) { return width_of_form(form) <= room; });
  };
  auto form = first_within(std::min(answer_room_, width()));
  if (form == forms_.end() || *form == forms_.back()) form = first_within(width());
  const int needed = width_of_form(form == forms_.end() ? forms_.back() : *form);
  answer_room_ = std::max(answer_room_, needed);
  gap_->setFixedWidth(std::max(0, std::min(answer_room_, width()) - needed));
}

/// Width of the percentage that plans add to the answer.
int AnswerBar::room_for_percent() const {
  return answer_->fontMetrics().horizontalAdvance(u" (+00.0 %)"_s);
}

/// The panels below must not move when buttons appear and disappear.
void AnswerBar::keep_height() {
  const QMargins around = layout()->contentsMargins();
  setMinimumHeight(fit_->sizeHint().height() + around.top() + around.bottom());
}

std::vector<QPushButton*> AnswerBar::buttons_with_room() const {
  std::vector<QPushButton*> buttons = offered();
  const QMargins around = layout()->contentsMargins();
  int room = width() - answer_->sizeHint().width() - gap_->minimumWidth() - around.left() -
             around.right() - 5 * layout()->spacing();
  std::size_t count = 0;
  for (; count < buttons.size(); ++count) {
    room -= buttons[count]->sizeHint().width() + layout()->spacing();
    if (room < 0) break;
  }
  buttons.resize(count);
  return buttons;
}

void AnswerBar::fit_moves() {
  keep_height();
  fit_answer();
  const std::vector<QPushButton*> buttons = buttons_with_room();
  for (QAction* const action : actions()) {
    auto* const button = qobject_cast<QPushButton*>(widgetForAction(action));
    if (button == nullptr) continue;
    const bool is_shown = std::ranges::find(buttons, button) != buttons.end();
    // Qt would give the focus to the next button, and a second Return would press it.
    if (!is_shown && button->hasFocus()) answer_->setFocus(Qt::OtherFocusReason);
    action->setVisible(is_shown);
  }
}

}  // namespace stashscope::ui
