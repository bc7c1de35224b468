#pragma once

#include <string>

#include "app/options.h"

namespace stashscope::app {

/// Options for opening the window.
struct WindowOptions {
  std::string screenshot;  ///< draw the window into this file and exit; empty: stay open
  std::string size = "1600x1000";
  std::string theme = "system";
  std::string workspace;  ///< empty: the workspace used last
};

/// Whether a window can be shown: a display answers, or QT_QPA_PLATFORM is set. Screenshots need no
/// display.
bool can_show_window();

/// Opens the window and the file that the options name, if any. Returns when the window is closed.
/// With `screenshot` set, draws the screenshot and returns. Returns an exit code. Throws a usage
/// Error for an invalid size.
int run_window(const AnalysisOptions& analysis, const WindowOptions& options, int argc,
               char** argv);

}  // namespace stashscope::app
