#pragma once

namespace stashscope::app {

/// Ends this process as soon as nobody reads its standard output any more, as a write would, but
/// also while there is nothing to write. Where that is a file, nothing happens.
void end_with_reader();

}  // namespace stashscope::app
