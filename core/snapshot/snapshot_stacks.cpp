#include "core/snapshot/snapshot_stacks.h"

namespace stashscope {

namespace {

/// Of an entry in a hash table and in a map.
constexpr std::size_t entry_bytes = 192;

}  // namespace

SnapshotTextId SnapshotStacks::text(PickleId value, const char* what) {
  if (!value.valid() || document_.kind(value) == PickleKind::none) return {};
  const auto known = texts_.find(value);
  if (known != texts_.end()) return known->second;
  fields_.require(value, PickleKind::text, what);
  budget_.take(document_.text(value).size() + entry_bytes);
  return texts_[value] = names_.add_text(document_.text(value));
}

SnapshotFrameId SnapshotStacks::frame(PickleId value) {
  const auto known = frames_.find(value);
  if (known != frames_.end()) return known->second;
  fields_.require(value, PickleKind::dict, "a frame");
  budget_.take(sizeof(SnapshotFrame) + entry_bytes);
  const SnapshotFrame frame{text(fields_.find(value, file_key_), "a filename"),
                            fields_.number(value, line_key_, "line", 0),
                            text(fields_.find(value, name_key_), "a frame's name")};
  return frames_[value] = names_.add_frame(frame);
}

SnapshotStackId SnapshotStacks::stack(PickleId value) {
  if (!value.valid() || document_.kind(value) == PickleKind::none) return {};
  const auto known = stacks_.find(value);
  if (known != stacks_.end()) return known->second;
  const std::vector<PickleId>& values = fields_.list(value, "the frames");
  budget_.take(values.size() * sizeof(SnapshotFrameId) + entry_bytes);
  std::vector<SnapshotFrameId> frames;
  frames.reserve(values.size());
  for (const PickleId each : values) frames.push_back(frame(each));
  return stacks_[value] = names_.add_stack(frames);
}

}  // namespace stashscope
