#pragma once

#include <QString>
#include <string>

namespace stashscope::ui {

/// Text of the engine (names, messages) for the screen: always valid, never with control
/// characters.
QString shown(const std::string& text);

/// `1.25 GiB`
QString bytes_text(std::int64_t bytes);

/// `12.3 ms`
QString time_text(double seconds);

/// `−29 %`, `+4.1 %`, `±0 %`: how far `after` is from `before`.
QString change_text(std::int64_t before, std::int64_t after);

}  // namespace stashscope::ui
