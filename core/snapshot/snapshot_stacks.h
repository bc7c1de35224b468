#pragma once

#include <cstdint>

#include "core/snapshot/memory_snapshot.h"
#include "core/snapshot/snapshot_fields.h"

namespace stashscope {

/// Reads the stacks of a snapshot. Events share stacks, so each is read once.
class SnapshotStacks {
 public:
  SnapshotStacks(const PickleDocument& document, MemoryBudget& budget, SnapshotNames& names);

  /// @param value a list of frames; invalid or None: no stack
  SnapshotStackId stack(PickleId value);
  /// The id of a text; invalid for an absent value and None.
  SnapshotTextId text(PickleId value, const char* what);

 private:
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};

  SnapshotFrameId frame(PickleId value);

  const PickleDocument& document_;
  SnapshotFields fields_;
  MemoryBudget& budget_;
  SnapshotNames& names_;
  PickleId file_key_;
  PickleId line_key_;
  PickleId name_key_;
  /// For each value of the document, the index of the text, frame or stack that was read from it.
  IdVector<PickleId, std::uint32_t> known_;
};

}  // namespace stashscope
