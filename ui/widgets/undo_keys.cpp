#include "ui/widgets/undo_keys.h"

#include <QKeyEvent>
#include <QLineEdit>

namespace stashscope::ui {

namespace {

class UndoKeys : public QObject {
 public:
  explicit UndoKeys(QSpinBox& box) : QObject(&box), box_(box) {}

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::ShortcutOverride) return QObject::eventFilter(watched, event);
    const auto* const key = static_cast<QKeyEvent*>(event);
    const bool concerned = key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo);
    if (!concerned || is_half_typed()) return QObject::eventFilter(watched, event);
    event->ignore();
    return true;
  }

 private:
  bool is_half_typed() const { return box_.locale().toInt(box_.cleanText()) != box_.value(); }

  QSpinBox& box_;
};

}  // namespace

void pass_undo_keys(QSpinBox& box) {
  auto* const keys = new UndoKeys(box);
  box.installEventFilter(keys);
  for (QLineEdit* const edit : box.findChildren<QLineEdit*>()) edit->installEventFilter(keys);
}

}  // namespace stashscope::ui
