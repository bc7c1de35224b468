#pragma once

#include <QString>
#include <string>

#include "core/base/units.h"

namespace stashscope::ui {

/// Text of the engine (names, messages) for the screen: always valid, never with control
/// characters.
QString shown(const std::string& text);

/// `1.25 GiB`
QString bytes_text(std::int64_t bytes);

/// `12.3 ms`
QString time_text(double seconds);

/// The same in the unit of a column: `0.50 GiB`, `0.64 ms`
QString bytes_text(std::int64_t bytes, const ColumnUnit& unit);
QString time_text(double seconds, const ColumnUnit& unit);

/// `671,088,640 B`, for tool tips
QString exact_bytes_text(std::int64_t bytes);

/// `−29 %`, `+4.1 %`, `±0 %`: how far `after` is from `before`.
QString change_text(std::int64_t before, std::int64_t after);

}  // namespace stashscope::ui
