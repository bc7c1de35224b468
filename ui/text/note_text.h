#pragma once

#include <QString>
#include <string>

namespace stashscope::ui {

/// A note or an error of the engine for the screen. Where it advises an option of the programs, the
/// text names the control of the window.
QString note_text(const std::string& note);

}  // namespace stashscope::ui
