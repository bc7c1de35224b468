#pragma once

namespace stashscope::app {

/// Prepares a program for little memory, full disks and readers that end early: it ends with a
/// message instead of by a signal. Call first in `main`.
void prepare_process();

}  // namespace stashscope::app
