#pragma once

#include <string>
#include <vector>

#include "core/snapshot/memory_snapshot.h"

namespace stashscope {

/// The bytes of all tensors that one place or module of the program made, or that are of one kind.
struct SnapshotShare {
  std::string name;
  std::int64_t bytes = 0;

  friend bool operator==(const SnapshotShare&, const SnapshotShare&) = default;
};

/// The memory of one device in a snapshot. Tensors count with the bytes that were asked for.
struct SnapshotUse {
  std::int64_t device = 0;
  std::int64_t peak_bytes = 0;      ///< of tensors; without a trace, at the end
  std::int64_t end_bytes = 0;       ///< of tensors at the end
  std::int64_t reserved_bytes = 0;  ///< most that was reserved
  std::int64_t reserved_end_bytes = 0;
  // The tensors at the peak, most bytes first.
  std::vector<SnapshotShare> frames;   ///< by file and line, such as `train.py:12`
  std::vector<SnapshotShare> modules;  ///< by module, where the snapshot knows it
  std::vector<SnapshotShare> kinds;    ///< such as `parameters`, where the snapshot knows it
};

/// The memory of the device that reserves the most.
SnapshotUse snapshot_use(const MemorySnapshot& snapshot);

/// The shares of one name on both sides.
struct SharePair {
  std::string name;
  std::int64_t left = 0;
  std::int64_t right = 0;

  std::int64_t difference() const { return right - left; }
};

/// All shares of both sides, the largest difference first.
std::vector<SharePair> paired(const std::vector<SnapshotShare>& left,
                              const std::vector<SnapshotShare>& right);

}  // namespace stashscope
