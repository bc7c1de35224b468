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
    note,   ///< a message about the last action
    notes,  ///< the notes of the study; shown while they apply
    error,
  };

  struct Action {
    QString label;
    std::function<void()> run;  ///< called after the bar is hidden
  };

  explicit MessageBar(QWidget* parent = nullptr);

  void show_message(Tone tone, const QString& text, std::vector<Action> actions = {});
  /// Hides the message, unless its tone is `notes` or it has buttons.
  void dismiss();
  /// Replaces the text if `notes` are shown; an empty text hides the bar.
  void update_notes(const QString& text);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void clear_actions();

  MessageText* text_;
  QHBoxLayout* actions_;
  Tone tone_ = Tone::note;
};

}  // namespace stashscope::ui
