#pragma once

#include <QString>
#include <string>

namespace stashscope::ui {

/// A note or an error of the engine for the screen. Where the engine advises a program option, the
/// returned text names the control in the window instead.
QString note_text(const std::string& note);

/// A text of several sentences with a full stop at its end. Notes are clauses without one, but the
/// notes of a captured step may have sentences.
QString with_stop(const QString& text);

}  // namespace stashscope::ui
