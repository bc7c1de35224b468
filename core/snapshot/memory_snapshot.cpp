#include "core/snapshot/memory_snapshot.h"

#include <algorithm>

namespace stashscope {

SnapshotTextId SnapshotNames::add_text(std::string_view text) {
  const auto known = text_ids_.find(text);
  if (known != text_ids_.end()) return known->second;
  const auto added = text_ids_.emplace(std::string(text), SnapshotTextId(texts_.size())).first;
  return texts_.push_back(&added->first);
}

SnapshotFrameId SnapshotNames::add_frame(const SnapshotFrame& frame) {
  const auto [found, is_new] = frame_ids_.emplace(frame, SnapshotFrameId(frames_.size()));
  return is_new ? frames_.push_back(frame) : found->second;
}

SnapshotStackId SnapshotNames::add_stack(const std::vector<SnapshotFrameId>& frames) {
  const auto [found, is_new] = stack_ids_.emplace(frames, SnapshotStackId(stacks_.size()));
  return is_new ? stacks_.push_back(&found->first) : found->second;
}

const std::string& SnapshotNames::text(SnapshotTextId id) const {
  static const std::string none;
  return id.valid() ? *texts_[id] : none;
}

bool operator==(const SnapshotData& a, const SnapshotData& b) { return a.value == b.value; }

const SnapshotData* SnapshotData::find(std::string_view key) const {
  const auto* const dict = std::get_if<Dict>(&value);
  if (dict == nullptr) return nullptr;
  const auto found = std::ranges::find(*dict, key, &Dict::value_type::first);
  return found == dict->end() ? nullptr : &found->second;
}

}  // namespace stashscope
