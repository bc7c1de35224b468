#pragma once

#include <cupti.h>

#include "core/run/cuda/device/trace_records.h"

namespace stashscope::cuda {

/// Adds the content of a profiling record; ignores kinds that were not requested. Reads the oldest
/// layouts; newer versions only append fields to them.
void append_record(const CUpti_Activity& record, TraceRecords& records);

}  // namespace stashscope::cuda
