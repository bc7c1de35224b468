#pragma once

#include <QFrame>
#include <QHBoxLayout>
#include <QPointer>
#include <QToolButton>
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
    offer,  ///< something that is still to be decided; stays until the user closes it
  };

  struct Action {
    QString label;
    std::function<void()> run;  ///< called after the bar is hidden
  };

  explicit MessageBar(QWidget* parent = nullptr);

  void show_message(Tone tone, const QString& text, std::vector<Action> actions = {});
  /// Hides the message, unless its tone is `notes` or it has buttons.
  void dismiss();
  /// Called when the user closes the message. Hides the message; an offer is thereby declined.
  void close_by_user();
  /// Hides the message. If the bar has the focus, gives it back as `toggle_focus` does.
  void close_message();
  /// Gives the focus to the first button or, without buttons, to the text. If the bar has the focus
  /// already, gives it back to the widget that had it before.
  void toggle_focus();
  /// Replaces the text if `notes` are shown; an empty text hides the bar.
  void update_notes(const QString& text);

 Q_SIGNALS:
  void seen_changed(bool is_seen);
  void declined();  ///< the user closed an offer without choosing

 protected:
  void paintEvent(QPaintEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void clear_actions();
  void order_tabs();
  bool has_focus() const;
  void give_focus_back();

  MessageText* text_;
  QHBoxLayout* actions_;
  QToolButton* close_;
  Tone tone_ = Tone::note;
  QPointer<QWidget> focus_before_;  ///< the widget that `toggle_focus` took the focus from
};

}  // namespace stashscope::ui
