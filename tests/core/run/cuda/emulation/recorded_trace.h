#pragma once

#include <filesystem>
#include <vector>

#include "core/run/cuda/device/trace_join.h"

namespace stashscope::testing_run {

/// What a traced run did and what a profiling library told of it, as `join_trace` takes them.
struct RecordedTrace {
  std::vector<cuda::HostEvent> events;
  cuda::TraceRecords records;
  cuda::PoolBytes start;
  cuda::PoolBytes most;

  cuda::JoinedTrace joined() const { return join_trace(events, records, start, most); }
};

void save_trace(const RecordedTrace& trace, const std::filesystem::path& file);
/// Throws nlohmann's error where the file is none that was saved.
RecordedTrace load_trace(const std::filesystem::path& file);

}  // namespace stashscope::testing_run
