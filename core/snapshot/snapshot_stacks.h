#pragma once

#include <unordered_map>

#include "core/snapshot/memory_snapshot.h"
#include "core/snapshot/snapshot_fields.h"

namespace stashscope {

/// Reads the stacks of a snapshot. Events share stacks, so each is read once.
class SnapshotStacks {
 public:
  SnapshotStacks(const PickleDocument& document, MemoryBudget& budget, SnapshotNames& names)
      : document_(document),
        fields_(document),
        budget_(budget),
        names_(names),
        file_key_(fields_.key("filename")),
        line_key_(fields_.key("line")),
        name_key_(fields_.key("name")) {}

  /// @param value a list of frames; invalid or None: no stack
  SnapshotStackId stack(PickleId value);
  /// The id of a text; invalid for an absent value and None.
  SnapshotTextId text(PickleId value, const char* what);

 private:
  SnapshotFrameId frame(PickleId value);

  const PickleDocument& document_;
  SnapshotFields fields_;
  MemoryBudget& budget_;
  SnapshotNames& names_;
  PickleId file_key_;
  PickleId line_key_;
  PickleId name_key_;
  std::unordered_map<PickleId, SnapshotStackId> stacks_;
  std::unordered_map<PickleId, SnapshotFrameId> frames_;
  std::unordered_map<PickleId, SnapshotTextId> texts_;
};

}  // namespace stashscope
