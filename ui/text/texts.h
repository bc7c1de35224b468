#pragma once

#include <QString>
#include <string>

#include "core/base/units.h"

namespace stashscope::ui {

/// Text of the engine (names, messages) for the screen. Invalid bytes and control characters become
/// `\xNN`.
QString shown(const std::string& text);

/// `1.25 GiB`
QString bytes_text(std::int64_t bytes);

/// `12.3 ms`
QString time_text(double seconds);

/// An amount in a fixed unit, such as the unit of a table column: `0.50 GiB`, `0.64 ms`
QString bytes_text(std::int64_t bytes, const ColumnUnit& unit);
QString time_text(double seconds, const ColumnUnit& unit);

/// `671,088,640 B`, for tool tips
QString exact_bytes_text(std::int64_t bytes);

/// The relative change from `before` to `after`: `−29 %`, `+4.1 %`, `±0 %`.
QString change_text(std::int64_t before, std::int64_t after);

}  // namespace stashscope::ui
