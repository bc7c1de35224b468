#pragma once

namespace stashscope::cuda {

/// Equal in the program and its plugin: the project's version and the number of the interface
/// between them. Raise the number with each change of plugin_interface.h, device.h or
/// trace_records.h.
inline constexpr const char* plugin_identity = STASHSCOPE_VERSION " interface 2";

}  // namespace stashscope::cuda
