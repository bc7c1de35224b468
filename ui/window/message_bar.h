#pragma once

#include <QFrame>
#include <QHBoxLayout>
#include <functional>
#include <vector>

#include "ui/window/message_text.h"

namespace stashscope::ui {

/// Some lines above the views that say what happened, with what can be done about it. Never stand
/// in the way of anything else.
class MessageBar : public QFrame {
  Q_OBJECT

 public:
  enum class Tone { note, error };

  struct Action {
    QString label;
    std::function<void()> run;  ///< the bar goes away before
  };

  explicit MessageBar(QWidget* parent = nullptr);

  void show_message(Tone tone, const QString& text, std::vector<Action> actions = {});
  /// Hides the bar when it shows an error.
  void dismiss_error();

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
