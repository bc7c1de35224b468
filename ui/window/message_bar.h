#pragma once

#include <QFrame>
#include <QHBoxLayout>
#include <functional>
#include <vector>

#include "ui/window/message_text.h"

namespace stashscope::ui {

/// A message above the views, with buttons for the possible reactions. The message never blocks the
/// window.
class MessageBar : public QFrame {
  Q_OBJECT

 public:
  enum class Tone {
    note,   ///< about what was just done
    notes,  ///< about the step; shown while it is true
    error,
  };

  struct Action {
    QString label;
    std::function<void()> run;  ///< called after the bar is hidden
  };

  explicit MessageBar(QWidget* parent = nullptr);

  void show_message(Tone tone, const QString& text, std::vector<Action> actions = {});
  /// Hides a message about something that is over: not `notes`, and none that waits for an answer.
  void dismiss();
  /// Replaces the `notes` that are shown, if any; no text hides them.
  void update_notes(const QString& text);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void clear_actions();
  void apply_tone();

  MessageText* text_;
  QHBoxLayout* actions_;
  Tone tone_ = Tone::note;
};

}  // namespace stashscope::ui
