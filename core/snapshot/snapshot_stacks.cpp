#include "core/snapshot/snapshot_stacks.h"

namespace stashscope {

namespace {

/// Approximate bytes of an entry in the maps of SnapshotNames.
constexpr std::size_t entry_bytes = 128;

}  // namespace

SnapshotStacks::SnapshotStacks(const PickleDocument& document, MemoryBudget& budget,
                               SnapshotNames& names)
    : document_(document),
      fields_(document),
      budget_(budget),
      names_(names),
      file_key_(fields_.key("filename")),
      line_key_(fields_.key("line")),
      name_key_(fields_.key("name")) {
  budget_.take(document.size() * sizeof(std::uint32_t));
  known_ = IdVector<PickleId, std::uint32_t>(document.size(), unknown);
}

SnapshotTextId SnapshotStacks::text(PickleId value, const char* what) {
  if (!value.valid() || document_.kind(value) == PickleKind::none) return {};
  fields_.require(value, PickleKind::text, what);
  if (known_[value] != unknown) return SnapshotTextId(known_[value]);
  budget_.take(document_.text(value).size() + entry_bytes);
  const SnapshotTextId id = names_.add_text(document_.text(value));
  known_[value] = static_cast<std::uint32_t>(id.index());
  return id;
}

SnapshotFrameId SnapshotStacks::frame(PickleId value) {
  fields_.require(value, PickleKind::dict, "a frame");
  if (known_[value] != unknown) return SnapshotFrameId(known_[value]);
  const SnapshotFrame frame{text(fields_.find(value, file_key_), "a filename"),
                            fields_.number(value, line_key_, "line", 0),
                            text(fields_.find(value, name_key_), "a frame's name")};
  const std::size_t before = names_.frames();
  const SnapshotFrameId id = names_.add_frame(frame);
  if (names_.frames() > before) budget_.take(2 * sizeof(SnapshotFrame) + entry_bytes);
  known_[value] = static_cast<std::uint32_t>(id.index());
  return id;
}

SnapshotStackId SnapshotStacks::stack(PickleId value) {
  if (!value.valid() || document_.kind(value) == PickleKind::none) return {};
  const std::vector<PickleId>& values = fields_.list(value, "the frames");
  if (known_[value] != unknown) return SnapshotStackId(known_[value]);
  std::vector<SnapshotFrameId> frames;
  frames.reserve(values.size());
  for (const PickleId each : values) frames.push_back(frame(each));
  const std::size_t before = names_.stacks();
  const SnapshotStackId id = names_.add_stack(frames);
  if (names_.stacks() > before) {
    budget_.take(values.size() * sizeof(SnapshotFrameId) + entry_bytes);
  }
  known_[value] = static_cast<std::uint32_t>(id.index());
  return id;
}

}  // namespace stashscope
