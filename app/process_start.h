#pragma once

namespace stashscope::app {

/// Lets a program end with an exit code, not by a signal, when memory is short, a file would exceed
/// the limit on file sizes, or the reader of its output has ended. Call this function first in
/// `main`.
void prepare_process();

}  // namespace stashscope::app
