#pragma once

namespace stashscope::cuda {

/// Must be the same in the program and in its plugin. Consists of the project's version and the
/// number of the interface between program and plugin. Raise the number with each change of
/// plugin_interface.h, device.h or trace_records.h.
inline constexpr const char* plugin_identity = STASHSCOPE_VERSION " interface 2";

}  // namespace stashscope::cuda
