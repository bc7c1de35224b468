#pragma once

#include <string>

#include "core/snapshot/memory_snapshot.h"

namespace stashscope::test {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t start = std::int64_t{1} << 40;

/// Makes snapshots event by event.
class SnapshotBuilder {
 public:
  SnapshotStackId stack(const std::string& file, std::int64_t line) {
    SnapshotNames& names = snapshot.names;
    const SnapshotFrameId inner = names.add_frame(
        {names.add_text("/site-packages/torch/nn/linear.py"), 7, names.add_text("forward")});
    const SnapshotFrameId outer =
        names.add_frame({names.add_text(file), line, names.add_text("main")});
    return names.add_stack({inner, outer});
  }

  void event(const char* action, std::int64_t address, std::int64_t bytes,
             SnapshotStackId where = {}) {
    SnapshotEvent event;
    event.action = snapshot.names.add_text(action);
    event.address = address;
    event.bytes = bytes;
    event.time = time_++;
    event.stack = where;
    snapshot.traces.back().push_back(event);
  }

  void block(std::int64_t bytes, std::int64_t requested, const char* state,
             SnapshotStackId where = {}) {
    SnapshotSegment& segment = snapshot.segments.back();
    const std::int64_t address = segment.blocks.empty()
                                     ? segment.address
                                     : segment.blocks.back().address + segment.blocks.back().bytes;
    segment.blocks.push_back({address, bytes, requested, snapshot.names.add_text(state), where});
  }

  MemorySnapshot snapshot;

 private:
  std::int64_t time_ = 1'700'000'000'000'000;
};

}  // namespace stashscope::test
