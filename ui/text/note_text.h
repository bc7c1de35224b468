#pragma once

#include <QString>
#include <string>

namespace stashscope::ui {

/// A note or an error of the engine for the screen. Where the engine advises a program option, the
/// returned text names the control in the window instead, if there is one.
QString note_text(const std::string& note);

/// Adds a full stop to a text of several sentences if it lacks one at its end. Notes are clauses
/// without a full stop, but notes of a captured step may have several sentences.
QString with_stop(const QString& text);

}  // namespace stashscope::ui
