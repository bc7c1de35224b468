// How the answer bar shares its width among the answer and the buttons.

#include <QAction>
#include <QLayout>
#include <algorithm>
#include <utility>

#include "ui/window/answer_bar.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

/// If the device changes, the reserved width is forgotten, because the answer about another device
/// has another length.
void AnswerBar::take_basis(const Study& study, std::optional<std::int64_t> reserved_bytes) {
  const std::int64_t memory = room_.memory;
  const std::string device = std::exchange(timed_on_, study.times->measured_on);
  room_ = room_of(study, reserved_bytes);
  if (room_.memory != memory || timed_on_ != device) forget_room();
}

/// Lets the next answer set the reserved width. The forms of the last answer are dropped, because
/// they must not set this width.
void AnswerBar::forget_room() {
  answer_room_ = 0;
  forms_.clear();
}

int AnswerBar::width_of_form(const QString& form) {
  answer_->setText(form);
  return answer_->sizeHint().width();
}

int AnswerBar::shared_width() const {
  const QMargins around = layout()->contentsMargins();
  return width() - around.left() - around.right() - 5 * layout()->spacing();
}

int AnswerBar::width_of_first_buttons() const {
  // The number of samples is found last, and must not push the buttons before it aside.
  const int samples = std::max(samples_->sizeHint().width(), fit_->sizeHint().width());
  const int gap = layout()->spacing();
  const int move = moves_.empty() ? 0 : buttons_.front()->sizeHint().width() + gap;
  return samples + width_of_fit() + move + gap;
}

/// The width of the button "Make it fit"; 0 if the button is not offered. The answer must leave
/// room for this button, because the button is the remedy for a step that does not fit.
int AnswerBar::width_of_fit() const {
  const std::vector<QPushButton*> buttons = offered();
  const bool is_offered = std::ranges::find(buttons, fit_) != buttons.end();
  return is_offered ? fit_->sizeHint().width() + layout()->spacing() : 0;
}

void AnswerBar::fit_answer() {
  if (forms_.isEmpty()) return;
  const int shared = shared_width() - width_of_fit();
  if (answer_room_ == 0) answer_room_ = width_of_form(forms_.front()) + room_for_percent();
  const auto first_within = [&](const QStringList& forms, int room) {
    const auto form = std::ranges::find_if(
        forms, [&](const QString& each) { return width_of_form(each) <= room; });
    return form == forms.end() ? QString() : *form;
  };
  QString form = first_within(forms_, std::min(answer_room_, shared));
  if (form.isEmpty()) form = first_within(forms_ + shorter_forms_, shared);
  const int needed = width_of_form(form.isEmpty() ? shorter_forms_.back() : form);
  answer_room_ = std::max(answer_room_, needed);
  const int spare = std::max(0, shared_width() - needed - width_of_first_buttons());
  gap_->setFixedWidth(std::clamp(answer_room_ - needed, 0, spare));
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

int AnswerBar::room_beside(const std::vector<QPushButton*>& buttons) const {
  int room = shared_width() - answer_->sizeHint().width() - gap_->minimumWidth();
  for (const QPushButton* const button : buttons) {
    room -= button->sizeHint().width() + layout()->spacing();
  }
  return room;
}

int AnswerBar::width_of_changes(const QString& form) {
  changes_->setText(form);
  return changes_->sizeHint().width() + layout()->spacing();
}

std::size_t AnswerBar::buttons_before_changes() const {
  const std::vector<QPushButton*> buttons = offered();
  const auto first_move = std::ranges::find(buttons, buttons_.front());
  return static_cast<std::size_t>(first_move - buttons.begin()) + 1;
}

std::vector<QPushButton*> AnswerBar::buttons_with_room() {
  std::vector<QPushButton*> buttons = offered();
  const auto drop_last_while = [&](std::size_t kept, int needed) {
    while (buttons.size() > kept && room_beside(buttons) < needed) buttons.pop_back();
  };
  drop_last_while(0, 0);
  if (!change_forms_.isEmpty()) {
    drop_last_while(buttons_before_changes(), width_of_changes(change_forms_.back()));
  }
  return buttons;
}

void AnswerBar::fit_changes(const std::vector<QPushButton*>& buttons) {
  const int room = room_beside(buttons);
  const auto form = std::ranges::find_if(
      change_forms_, [&](const QString& each) { return width_of_changes(each) <= room; });
  const bool is_shown = form != change_forms_.end();
  if (is_shown) changes_->setText(*form);
  if (!is_shown && changes_->hasFocus()) answer_->setFocus(Qt::OtherFocusReason);
  for (QAction* const action : actions()) {
    if (widgetForAction(action) == changes_) action->setVisible(is_shown);
  }
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
  fit_changes(buttons);
}

}  // namespace stashscope::ui
