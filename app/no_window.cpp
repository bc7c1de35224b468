// Replaces the window in programs that are built without it.

#include "app/window.h"
#include "core/base/error.h"

namespace stashscope::app {

bool can_show_window() { return false; }

int run_window(const AnalysisOptions&, const WindowOptions&, int, char**) {
  fail_usage("--screenshot", "needs the window, and this program is built without it",
             "use --batch");
}

}  // namespace stashscope::app
