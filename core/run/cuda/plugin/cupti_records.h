#pragma once

#include <cupti.h>

#include "core/run/cuda/device/trace_records.h"

namespace stashscope::cuda {

/// Adds the content of a profiling record to `records`; ignores records for which TraceRecords has
/// no member. Reads each kind of record in an old layout, because newer versions only append
/// fields.
void append_record(const CUpti_Activity& record, TraceRecords& records);

}  // namespace stashscope::cuda
