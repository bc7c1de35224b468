#pragma once

#include <QString>
#include <string>

#include "core/base/units.h"

namespace stashscope::ui {

/// Text of the engine (names, messages) for the screen. Invalid bytes and control characters become
/// `\xNN`.
QString shown(const std::string& text);

/// An amount of memory in a suitable unit, such as `1.25 GiB`.
QString bytes_text(std::int64_t bytes);

/// An amount of memory with as many decimals as it needs to differ from `other`, unless both are
/// equal: `24.02 GiB` beside `24.00 GiB`.
QString bytes_text_beside(std::int64_t bytes, std::int64_t other);

/// A time in a suitable unit, such as `12.3 ms`.
QString time_text(double seconds);

/// An amount of memory in a fixed unit, such as the unit of a table column: `0.50 GiB`.
QString bytes_text(std::int64_t bytes, const ColumnUnit& unit);
/// A time in a fixed unit, such as `0.64 ms`.
QString time_text(double seconds, const ColumnUnit& unit);

/// An amount of memory in the unit of a column. An amount that is too small for two decimals of
/// this unit has a unit of its own: `9.20 KiB`, not `<0.01 MiB`.
QString cell_bytes_text(std::int64_t bytes, const ColumnUnit& unit);

/// The text `, 7.83 GiB in later steps`, which stands after the peak of a step; empty if later
/// steps have the same peak.
/// @param later the text of `later_bytes`; may be rich text
QString later_steps_text(std::int64_t peak_bytes, std::int64_t later_bytes, const QString& later);

/// The exact number of bytes, such as `671,088,640 B`.
QString exact_bytes_text(std::int64_t bytes);

/// The relative change from `before` to `after`, such as `−29 %` or `+4.1 %`. `±0 %` if the change
/// is below 0.05 %, and if `before` is 0.
QString change_text(std::int64_t before, std::int64_t after);

}  // namespace stashscope::ui
