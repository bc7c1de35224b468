// Stands in for the window in programs that are built without it.

#include "app/window.h"
#include "core/base/error.h"

namespace stashscope::app {

bool can_show_window() { return false; }

int run_window(const AnalysisOptions&, const WindowOptions&, int, char**) {
  fail_usage("--screenshot", "needs a program that was built with its window", "use --batch");
}

}  // namespace stashscope::app
