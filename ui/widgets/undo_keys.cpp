#include "ui/widgets/undo_keys.h"

#include <QKeyEvent>
#include <functional>

namespace stashscope::ui {

namespace {

class UndoKeys : public QObject {
 public:
  UndoKeys(QWidget& owner, std::function<bool()> is_half_typed)
      : QObject(&owner), is_half_typed_(std::move(is_half_typed)) {}

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::ShortcutOverride) return QObject::eventFilter(watched, event);
    const auto* const key = static_cast<QKeyEvent*>(event);
    const bool concerned = key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo);
    if (!concerned || is_half_typed_()) return QObject::eventFilter(watched, event);
    event->ignore();
    return true;
  }

 private:
  std::function<bool()> is_half_typed_;
};

}  // namespace

void pass_undo_keys(QSpinBox& box) {
  auto* const keys =
      new UndoKeys(box, [&box] { return box.locale().toInt(box.cleanText()) != box.value(); });
  box.installEventFilter(keys);
  for (QLineEdit* const edit : box.findChildren<QLineEdit*>()) edit->installEventFilter(keys);
}

void pass_undo_keys(QLineEdit& field) {
  field.installEventFilter(new UndoKeys(field, [&field] { return field.isModified(); }));
}

}  // namespace stashscope::ui
