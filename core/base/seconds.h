#pragma once

#include <string>

namespace stashscope {

/// `1.25 s`, `640 µs`, `83.1 ms`: three significant digits. Reports and the window write every time
/// this way, but for columns that keep to one unit.
std::string format_seconds(double seconds);

}  // namespace stashscope
