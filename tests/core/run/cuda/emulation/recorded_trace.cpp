#include "recorded_trace.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/files.h"

namespace stashscope::cuda {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostEvent, kind, step, bytes, pool, address, name)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryRecord, time, address, bytes, allocates, pool, pool_used,
                                   pool_reserved, correlation)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelRecord, start, end, name, correlation)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StepRecord, correlation, step)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TraceRecords, memory, kernels, steps, dropped)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PoolBytes, tensors, workspaces)

}  // namespace stashscope::cuda

namespace stashscope::testing_run {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RecordedTrace, events, records, start, most)

void save_trace(const RecordedTrace& trace, const std::filesystem::path& file) {
  write_file_atomically(file, nlohmann::json(trace).dump(1) + "\n");
}

RecordedTrace load_trace(const std::filesystem::path& file) {
  std::ifstream text(file);
  return nlohmann::json::parse(text).get<RecordedTrace>();
}

}  // namespace stashscope::testing_run
