#pragma once

#include <QUndoCommand>
#include <functional>

#include "core/study/choices/choices.h"

namespace stashscope::ui {

/// One edit of the user, with the choices before and after the edit. Consecutive edits with the
/// same merge key, such as clicks on the arrow of a spin box, are merged into one edit.
class ChoiceCommand : public QUndoCommand {
 public:
  /// Whether an undone edit stays on the undo stack, where it can be redone.
  enum class Undone { kept, dropped };
  using Apply = std::function<Undone(const Choices&)>;

  /// @param merge_key consecutive edits with this key are merged; empty: the edit is never merged
  ChoiceCommand(Choices before, Choices after, const QString& text, QString merge_key, Apply apply);

  void undo() override;
  void redo() override;
  const Choices& before() const { return before_; }
  const Choices& after() const { return after_; }
  const QString& merge_key() const { return merge_key_; }
  int id() const override;
  bool mergeWith(const QUndoCommand* next) override;

 private:
  Choices before_;
  Choices after_;
  QString merge_key_;
  Apply apply_;
};

}  // namespace stashscope::ui
