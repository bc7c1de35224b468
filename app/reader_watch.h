#pragma once

namespace stashscope::app {

/// Ends this process as soon as the reader of its standard output goes away, even while there is
/// nothing to write. Does nothing if standard output is a file.
void end_with_reader();

}  // namespace stashscope::app
