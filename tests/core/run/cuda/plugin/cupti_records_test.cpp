#include "core/run/cuda/plugin/cupti_records.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace stashscope::cuda {
namespace cupti_records_test {

// Records are read through the oldest layouts. In the newest layouts of CUDA 13, the fields that
// are read have the same offsets.
#if CUPTI_API_VERSION >= 130000
#define EXPECT_SAME_PLACE(Old, New, field) \
  static_assert(offsetof(Old, field) == offsetof(New, field))
EXPECT_SAME_PLACE(CUpti_ActivityMemory3, CUpti_ActivityMemory4, memoryOperationType);
EXPECT_SAME_PLACE(CUpti_ActivityMemory3, CUpti_ActivityMemory4, correlationId);
EXPECT_SAME_PLACE(CUpti_ActivityMemory3, CUpti_ActivityMemory4, address);
EXPECT_SAME_PLACE(CUpti_ActivityMemory3, CUpti_ActivityMemory4, bytes);
EXPECT_SAME_PLACE(CUpti_ActivityMemory3, CUpti_ActivityMemory4, timestamp);
EXPECT_SAME_PLACE(CUpti_ActivityMemory3, CUpti_ActivityMemory4, memoryPoolConfig);
EXPECT_SAME_PLACE(CUpti_ActivityKernel8, CUpti_ActivityKernel10, start);
EXPECT_SAME_PLACE(CUpti_ActivityKernel8, CUpti_ActivityKernel10, end);
EXPECT_SAME_PLACE(CUpti_ActivityKernel8, CUpti_ActivityKernel10, correlationId);
EXPECT_SAME_PLACE(CUpti_ActivityKernel8, CUpti_ActivityKernel10, name);
EXPECT_SAME_PLACE(CUpti_ActivityMemcpy, CUpti_ActivityMemcpy6, start);
EXPECT_SAME_PLACE(CUpti_ActivityMemcpy, CUpti_ActivityMemcpy6, end);
EXPECT_SAME_PLACE(CUpti_ActivityMemcpy, CUpti_ActivityMemcpy6, correlationId);
EXPECT_SAME_PLACE(CUpti_ActivityMemset, CUpti_ActivityMemset4, start);
EXPECT_SAME_PLACE(CUpti_ActivityMemset, CUpti_ActivityMemset4, end);
EXPECT_SAME_PLACE(CUpti_ActivityMemset, CUpti_ActivityMemset4, correlationId);
#endif

template <class Layout>
void append(const Layout& record, TraceRecords& records) {
  append_record(reinterpret_cast<const CUpti_Activity&>(record), records);
}

CUpti_ActivityMemory3 memory_record(CUpti_ActivityMemoryOperationType operation) {
  CUpti_ActivityMemory3 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  record.memoryOperationType = operation;
  record.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record.correlationId = 17;
  record.address = 0x7f0000001000;
  record.bytes = 4096;
  record.timestamp = 123456789012345;
  record.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  record.memoryPoolConfig.address = 0xabcdef;
  record.memoryPoolConfig.pool.size = 1 << 21;
  record.memoryPoolConfig.utilizedSize = 8192;
  return record;
}

TEST(CuptiRecords, MemoryOfPoolsIsKept) {
  TraceRecords records;
  append(memory_record(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION), records);
  append(memory_record(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE), records);
  ASSERT_EQ(records.memory.size(), 2U);
  const MemoryRecord& read = records.memory[0];
  EXPECT_EQ(read.time, 123456789012345U);
  EXPECT_EQ(read.address, 0x7f0000001000U);
  EXPECT_EQ(read.bytes, 4096);
  EXPECT_TRUE(read.allocates);
  EXPECT_EQ(read.pool, 0xabcdefU);
  EXPECT_EQ(read.pool_used, 8192);
  EXPECT_EQ(read.pool_reserved, 1 << 21);
  EXPECT_EQ(read.correlation, 17U);
  EXPECT_FALSE(records.memory[1].allocates);
}

TEST(CuptiRecords, MemoryOfNoPoolIsNotOurs) {
  CUpti_ActivityMemory3 record = memory_record(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION);
  record.memoryPoolConfig = {};
  TraceRecords records;
  append(record, records);
  EXPECT_TRUE(records.memory.empty());
}

TEST(CuptiRecords, KernelsCopiesAndFillsHaveTimesAndCalls) {
  CUpti_ActivityKernel8 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.start = 10;
  kernel.end = 25;
  kernel.correlationId = 1;
  kernel.name = "relu";
  CUpti_ActivityMemcpy copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.start = 30;
  copy.end = 31;
  copy.correlationId = 2;
  CUpti_ActivityMemset fill{};
  fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  fill.start = 40;
  fill.end = 44;
  fill.correlationId = 3;

  TraceRecords records;
  append(kernel, records);
  append(copy, records);
  append(fill, records);
  ASSERT_EQ(records.kernels.size(), 3U);
  EXPECT_EQ(records.kernels[0].name, "relu");
  EXPECT_EQ(records.kernels[0].start, 10U);
  EXPECT_EQ(records.kernels[0].end, 25U);
  EXPECT_EQ(records.kernels[1].end, 31U);
  EXPECT_EQ(records.kernels[2].start, 40U);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(records.kernels[i].correlation, i + 1);
}

TEST(CuptiRecords, AKernelWithoutTimesCountsAsDropped) {
  CUpti_ActivityKernel8 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  TraceRecords records;
  append(kernel, records);
  EXPECT_TRUE(records.kernels.empty());
  EXPECT_EQ(records.dropped, 1);
}

TEST(CuptiRecords, StepsAreThoseThatWePush) {
  CUpti_ActivityExternalCorrelation step{};
  step.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  step.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
  step.externalId = 42;
  step.correlationId = 7;
  TraceRecords records;
  append(step, records);
  step.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_OPENACC;
  append(step, records);
  ASSERT_EQ(records.steps.size(), 1U);
  EXPECT_EQ(records.steps[0].step, 42U);
  EXPECT_EQ(records.steps[0].correlation, 7U);
}

TEST(CuptiRecords, OtherKindsTellNothing) {
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  TraceRecords records;
  append(call, records);
  EXPECT_TRUE(records.memory.empty() && records.kernels.empty() && records.steps.empty());
  EXPECT_EQ(records.dropped, 0);
}

}  // namespace cupti_records_test
}  // namespace stashscope::cuda
