#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/allocator/caching_allocator.h"
#include "core/base/id.h"

namespace stashscope {

using SnapshotTextId = Id<struct SnapshotTextTag>;
using SnapshotFrameId = Id<struct SnapshotFrameTag>;
using SnapshotStackId = Id<struct SnapshotStackTag>;

/// A place in a program.
struct SnapshotFrame {
  SnapshotTextId file;
  std::int64_t line = 0;
  SnapshotTextId name;

  friend auto operator<=>(const SnapshotFrame&, const SnapshotFrame&) = default;
};

/// Texts, frames and stacks of a snapshot, each once. Ids count up in the order of the first use.
class SnapshotNames {
 public:
  SnapshotTextId add_text(std::string_view text);
  SnapshotFrameId add_frame(const SnapshotFrame& frame);
  /// @param frames from the innermost call outwards
  SnapshotStackId add_stack(const std::vector<SnapshotFrameId>& frames);

  /// The text of an id; empty for an invalid id.
  const std::string& text(SnapshotTextId id) const;
  const SnapshotFrame& frame(SnapshotFrameId id) const { return frames_[id]; }
  const std::vector<SnapshotFrameId>& stack(SnapshotStackId id) const { return *stacks_[id]; }
  std::size_t texts() const { return texts_.size(); }
  std::size_t frames() const { return frames_.size(); }
  std::size_t stacks() const { return stacks_.size(); }

  friend bool operator==(const SnapshotNames& left, const SnapshotNames& right) {
    return left.text_ids_ == right.text_ids_ && left.frame_ids_ == right.frame_ids_ &&
           left.stack_ids_ == right.stack_ids_;
  }

  SnapshotNames() = default;
  // The vectors point to keys of the maps. After a move, the pointers stay valid, because the nodes
  // of a map stay where they are.
  SnapshotNames(SnapshotNames&&) = default;
  SnapshotNames& operator=(SnapshotNames&&) = default;
  SnapshotNames(const SnapshotNames&) = delete;
  SnapshotNames& operator=(const SnapshotNames&) = delete;

 private:
  std::map<std::string, SnapshotTextId, std::less<>> text_ids_;
  std::map<SnapshotFrame, SnapshotFrameId> frame_ids_;
  std::map<std::vector<SnapshotFrameId>, SnapshotStackId> stack_ids_;
  IdVector<SnapshotTextId, const std::string*> texts_;
  IdVector<SnapshotFrameId, SnapshotFrame> frames_;
  IdVector<SnapshotStackId, const std::vector<SnapshotFrameId>*> stacks_;
};

/// A block of a segment. Sizes in bytes.
struct SnapshotBlock {
  std::int64_t address = 0;
  std::int64_t bytes = 0;
  std::int64_t requested_bytes = 0;
  SnapshotTextId state = {};   ///< `active_allocated`, `active_pending_free` or `inactive`
  SnapshotStackId stack = {};  ///< where the tensor was made; invalid: not recorded

  // PyTorch's snapshots have the two fields below only for events.
  SnapshotTextId user_metadata = {};  ///< invalid: not recorded
  SnapshotTextId category = {};       ///< invalid: not recorded

  friend bool operator==(const SnapshotBlock&, const SnapshotBlock&) = default;
};

/// Memory that an allocator holds in one piece. Sizes in bytes.
struct SnapshotSegment {
  std::int64_t device = 0;
  std::int64_t address = 0;
  std::int64_t total_bytes = 0;
  std::int64_t allocated_bytes = 0;
  std::int64_t active_bytes = 0;  ///< allocated, or still in use by another stream
  std::int64_t requested_bytes = 0;
  std::int64_t stream = 0;
  MemoryPool pool = MemoryPool::large;
  std::pair<std::int64_t, std::int64_t> pool_id = {0, 0};  ///< of a CUDA graph; zeros: none
  bool is_expandable = false;
  SnapshotStackId stack = {};  ///< invalid: not recorded
  std::vector<SnapshotBlock> blocks = {};

  friend bool operator==(const SnapshotSegment&, const SnapshotSegment&) = default;
};

/// What an allocator did.
struct SnapshotEvent {
  SnapshotTextId action;     ///< such as `alloc`; see `action_of`
  std::int64_t address = 0;  ///< for `oom` the free memory of the device in bytes
  std::int64_t bytes = 0;
  std::int64_t stream = 0;
  std::int64_t time = 0;           ///< microseconds
  SnapshotStackId stack;           ///< invalid: not recorded
  SnapshotTextId compile_context;  ///< invalid: not recorded
  SnapshotTextId user_metadata;    ///< invalid: not recorded
  SnapshotTextId category;         ///< what the tensor is for; invalid: not recorded

  friend bool operator==(const SnapshotEvent&, const SnapshotEvent&) = default;
};

struct SnapshotEntry;

/// Data without a fixed form: settings and annotations.
struct SnapshotData {
  using List = std::vector<SnapshotData>;
  using Dict = std::vector<SnapshotEntry>;
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Dict> value;

  /// The value of a key; null if this is no dict or has no such key.
  const SnapshotData* find(std::string_view key) const;

  friend bool operator==(const SnapshotData& a, const SnapshotData& b);
};

/// An entry of a dict: a key and its value.
struct SnapshotEntry {
  std::string first;
  SnapshotData second;

  friend bool operator==(const SnapshotEntry&, const SnapshotEntry&) = default;
};

/// A memory snapshot of PyTorch, as `torch.cuda.memory._snapshot()` returns it.
struct MemorySnapshot {
  SnapshotNames names;
  std::vector<SnapshotSegment> segments;
  std::vector<std::vector<SnapshotEvent>> traces;  ///< by device
  SnapshotData settings;                           ///< of the allocator; empty: not recorded
  SnapshotData annotations;                        ///< empty: not recorded

  friend bool operator==(const MemorySnapshot&, const MemorySnapshot&) = default;
};

constexpr std::string_view allocated_state = "active_allocated";
constexpr std::string_view inactive_state = "inactive";

}  // namespace stashscope
