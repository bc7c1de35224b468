#include "ui/widgets/widget_actions.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

QAction* add_widget_action(QWidget& widget, const QString& name, const QString& text,
                           const QKeySequence& keys, const QString& tip,
                           std::function<void()> run) {
  auto* const action = new QAction(text, &widget);
  action->setObjectName(name);
  action->setShortcut(keys);
  action->setShortcutContext(Qt::WidgetShortcut);
  action->setToolTip(u"%1 (%2)"_s.arg(tip, keys.toString(QKeySequence::NativeText)));
  QObject::connect(action, &QAction::triggered, &widget, [run = std::move(run)] { run(); });
  widget.addAction(action);
  return action;
}

QToolButton* make_action_button(QAction& action) {
  auto* const button = new QToolButton;
  button->setObjectName(action.objectName() + u"_button"_s);
  button->setDefaultAction(&action);
  button->setAutoRaise(true);
  return button;
}

}  // namespace stashscope::ui
