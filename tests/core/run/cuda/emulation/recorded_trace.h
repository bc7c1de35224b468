#pragma once

#include <filesystem>
#include <vector>

#include "core/run/cuda/device/trace_join.h"

namespace stashscope::testing_run {

/// The arguments of `join_trace` from a traced run.
struct RecordedTrace {
  std::vector<cuda::HostEvent> events;
  cuda::TraceRecords records;
  cuda::PoolBytes start;
  cuda::PoolBytes most;

  cuda::JoinedTrace joined() const { return join_trace(events, records, start, most); }
};

void save_trace(const RecordedTrace& trace, const std::filesystem::path& file);
/// Throws nlohmann's error when the file is not a saved trace.
RecordedTrace load_trace(const std::filesystem::path& file);

}  // namespace stashscope::testing_run
