#pragma once

namespace stashscope::cuda {

/// The project's version and the number of the interface between program and plugin. A program
/// refuses a plugin with another identity. Raise the number with each change of the interface in
/// plugin_interface.h, device.h or trace_records.h.
inline constexpr const char* plugin_identity = STASHSCOPE_VERSION " interface 2";

}  // namespace stashscope::cuda
