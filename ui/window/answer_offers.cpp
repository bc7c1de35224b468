// What the answer bar offers, as commands of the palette.

#include <QAction>
#include <algorithm>
#include <utility>

#include "ui/widgets/drop_menu.h"
#include "ui/window/answer_bar.h"

namespace stashscope::ui {

void AnswerBar::end_refresh() {
  is_refreshing_ = false;
  show_offers();
  if (!wanted_.isEmpty()) carry_out(std::exchange(wanted_, QString()));
}

QPushButton* AnswerBar::button_of(const QString& offer) const {
  for (QPushButton* const button : offered()) {
    if (button->property(offer_name).toString() == offer) return button;
  }
  return nullptr;
}

void AnswerBar::carry_out(const QString& offer) {
  if (QPushButton* const button = button_of(offer)) {
    // Not `click`, because a button without room is disabled.
    Q_EMIT button->clicked();
  } else if (is_refreshing_) {
    wanted_ = offer;
  } else {
    const QString why = document_.why_wait();
    document_.notices().notify(
        why.isEmpty() ? tr("%1: not done, because it is no longer among the best moves.").arg(offer)
                      : tr("%1: not done. %2").arg(offer, why));
  }
}

/// The palette lists actions of `answer_`, because the bar has buttons only where there is room.
/// An action keeps its offer, so that an open palette never runs another move than the one it
/// lists. Until the new offers are known, the old ones stay without their prices: the user may want
/// them.
void AnswerBar::show_offers() {
  QList<QAction*> old = answer_->actions();
  const auto take_old = [&](const QString& offer) -> QAction* {
    const auto same = std::ranges::find_if(
        old, [&](QAction* each) { return each->property(offer_name).toString() == offer; });
    return same == old.end() ? nullptr : old.takeAt(same - old.begin());
  };
  for (QPushButton* const button : offered()) {
    const QString offer = button->property(offer_name).toString();
    QAction* action = take_old(offer);
    if (action == nullptr) action = new_action(offer);
    action->setText(menu_text(button->text()));
    action->setToolTip(button->toolTip());
  }
  for (QAction* const action : old) {
    if (is_refreshing_) {
      action->setText(menu_text(action->property(offer_name).toString()));
      action->setToolTip(tr("Follows once the moves of this step are known"));
    } else {
      answer_->removeAction(action);
      action->deleteLater();
    }
  }
  fit_moves();
}

QAction* AnswerBar::new_action(const QString& offer) {
  auto* const action = new QAction(answer_);
  action->setProperty(offer_name, offer);
  connect(action, &QAction::triggered, this, [this, offer] { carry_out(offer); });
  answer_->addAction(action);
  return action;
}

}  // namespace stashscope::ui
