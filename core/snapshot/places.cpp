#include "core/snapshot/places.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace stashscope {

namespace {

bool is_of_program(const std::string& file) {
  if (file.empty() || file == "??" || file.find("/torch/") != std::string::npos) return false;
  if (file.starts_with("<")) return false;
  constexpr std::string_view native[] = {".cpp", ".cc", ".c", ".h", ".hpp", ".cu", ".so"};
  return std::ranges::none_of(native, [&](std::string_view end) { return file.ends_with(end); });
}

}  // namespace

std::vector<SnapshotFrameId> program_frames(const SnapshotNames& names, SnapshotStackId stack) {
  std::vector<SnapshotFrameId> frames;
  if (!stack.valid()) return frames;
  std::ranges::copy_if(names.stack(stack), std::back_inserter(frames), [&](SnapshotFrameId id) {
    return is_of_program(names.text(names.frame(id).file));
  });
  return frames;
}

std::string frame_text(const SnapshotNames& names, SnapshotFrameId frame) {
  const std::string& file = names.text(names.frame(frame).file);
  return file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(names.frame(frame).line);
}

std::string place_of(const SnapshotNames& names, SnapshotStackId stack) {
  if (!stack.valid() || names.stack(stack).empty()) return "unknown";
  const std::vector<SnapshotFrameId> frames = program_frames(names, stack);
  if (!frames.empty()) return frame_text(names, frames.front());
  const std::string& name = names.text(names.frame(names.stack(stack).front()).name);
  return name.empty() ? "unknown" : name;
}

}  // namespace stashscope
