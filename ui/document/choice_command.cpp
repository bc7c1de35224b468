#include "ui/document/choice_command.h"

namespace stashscope::ui {

ChoiceCommand::ChoiceCommand(Choices before, Choices after, const QString& text, QString merge_key,
                             Apply apply)
    : QUndoCommand(text),
      before_(std::move(before)),
      after_(std::move(after)),
      merge_key_(std::move(merge_key)),
      apply_(std::move(apply)) {}

void ChoiceCommand::undo() { setObsolete(apply_(before_) == Undone::dropped); }

void ChoiceCommand::redo() { apply_(after_); }

int ChoiceCommand::id() const { return merge_key_.isEmpty() ? -1 : 1; }

bool ChoiceCommand::mergeWith(const QUndoCommand* next) {
  const auto* const other = static_cast<const ChoiceCommand*>(next);
  if (other->merge_key_ != merge_key_) return false;
  after_ = other->after_;
  setText(other->text());
  setObsolete(after_ == before_);
  return true;
}

}  // namespace stashscope::ui
