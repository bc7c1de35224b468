#include "core/run/cuda/plugin/cupti_records.h"

namespace stashscope::cuda {

namespace {

template <class Layout>
const Layout& as(const CUpti_Activity& record) {
  return reinterpret_cast<const Layout&>(record);
}

/// Appends a record of memory from a local pool. Ignores other memory, because the runner allocates
/// only from local pools.
void append_memory(const CUpti_ActivityMemory3& record, TraceRecords& records) {
  const auto& pool = record.memoryPoolConfig;
  if (pool.memoryPoolType != CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL) return;
  const auto operation = record.memoryOperationType;
  if (operation == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_INVALID) return;
  MemoryRecord memory;
  memory.time = record.timestamp;
  memory.address = record.address;
  memory.bytes = static_cast<std::int64_t>(record.bytes);
  memory.allocates = operation == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  memory.pool = pool.address;
  memory.pool_used = static_cast<std::int64_t>(pool.utilizedSize);
  memory.pool_reserved = static_cast<std::int64_t>(pool.pool.size);
  memory.correlation = record.correlationId;
  records.memory.push_back(memory);
}

/// Appends a record of a kernel, copy or fill. Counts the record as dropped if the times are
/// unknown, which the library reports as 0.
template <class Layout>
void append_kernel(const Layout& record, const char* name, TraceRecords& records) {
  if (record.start == 0 && record.end == 0) {
    ++records.dropped;
    return;
  }
  records.kernels.push_back({record.start, record.end, name, record.correlationId});
}

void append_step(const CUpti_ActivityExternalCorrelation& record, TraceRecords& records) {
  if (record.externalKind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0) return;
  records.steps.push_back({record.correlationId, static_cast<std::uint32_t>(record.externalId)});
}

}  // namespace

void append_record(const CUpti_Activity& record, TraceRecords& records) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      append_memory(as<CUpti_ActivityMemory3>(record), records);
      break;
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& kernel = as<CUpti_ActivityKernel8>(record);
      append_kernel(kernel, kernel.name == nullptr ? "" : kernel.name, records);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      append_kernel(as<CUpti_ActivityMemcpy>(record), "copy", records);
      break;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      append_kernel(as<CUpti_ActivityMemset>(record), "fill", records);
      break;
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      append_step(as<CUpti_ActivityExternalCorrelation>(record), records);
      break;
    default:
      break;
  }
}

}  // namespace stashscope::cuda
