#pragma once

namespace stashscope::cuda {

/// What program and plugin must have in common: the project's version and the number of the
/// interface between them, which goes up with each change of plugin_interface.h, device.h or
/// trace_records.h.
inline constexpr const char* plugin_identity = STASHSCOPE_VERSION " interface 2";

}  // namespace stashscope::cuda
