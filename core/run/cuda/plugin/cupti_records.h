#pragma once

#include <cupti.h>

#include "core/run/cuda/device/trace_records.h"

namespace stashscope::cuda {

/// Adds what a record of the profiling library tells; of kinds that nobody asks for nothing. Newer
/// versions only add fields behind those of the oldest layouts that are read here.
void append_record(const CUpti_Activity& record, TraceRecords& records);

}  // namespace stashscope::cuda
