#pragma once

#include <string>

namespace stashscope {

/// `1.25 s`, `640 µs`, `83.1 ms`: three significant digits.
std::string format_seconds(double seconds);

}  // namespace stashscope
