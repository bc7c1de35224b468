#pragma once

#include <QString>
#include <string>

namespace stashscope::ui {

/// A note or an error of the engine for the screen. Where the engine advises a program option, the
/// returned text names the control in the window instead.
QString note_text(const std::string& note);

}  // namespace stashscope::ui
