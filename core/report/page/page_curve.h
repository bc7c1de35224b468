#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/report/page/limits.h"
#include "core/report/report.h"

namespace stashscope {

/// The memory curve for the page's script. A column stands for one slot or for several successive
/// slots. The figures of a column are those of its slot with the most live bytes. If several slots
/// have the most, the first one counts, but in the column of the peak, the peak slot counts. Each
/// line in `lines` has its own columns, with the most live bytes of its own slots.
/// `{"slots", "forward_slots", "peak_column", "memory_bytes", "columns": {"slot", "node", "live",
/// "bands": [[bytes by column] by band]}, "lines": [{"name", "dash", "slots", "slot", "live"}]}`
nlohmann::json page_curve(const ReportInput& input, const PageLimits& limits);

}  // namespace stashscope
