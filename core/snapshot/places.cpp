#include "core/snapshot/places.h"

#include <algorithm>
#include <iterator>

namespace stashscope {

namespace {

constexpr std::string_view native_endings[] = {".cpp", ".cc", ".c", ".h", ".hpp", ".cu", ".so"};

/// A file whose path contains one of these parts does not belong to the user's program. It belongs
/// to PyTorch, installed or run from its sources, or PyTorch's compiler wrote it.
constexpr std::string_view parts_of_pytorch[] = {
    "-packages/torch/",   "/torch/nn/",      "/torch/autograd/",    "/torch/optim/",
    "/torch/utils/",      "/torch/_dynamo/", "/torch/_inductor/",   "/torch/_functorch/",
    "/torch/cuda/",       "/torch/amp/",     "/torch/distributed/", "/torch/fx/",
    "/torch/_tensor.py",  "/torch/_ops.py",  "/torch/_subclasses/", "/torch/functional.py",
    "/torch/_compile.py", "/torchinductor_",
};

std::string line_text(const SnapshotNames& names, SnapshotFrameId frame, std::string_view file) {
  return std::string(file) + ":" + std::to_string(names.frame(frame).line);
}

}  // namespace

bool is_of_program(std::string_view file) {
  if (file.empty() || file == "??" || file.starts_with("<")) return false;
  std::string path(file);
  std::ranges::replace(path, '\\', '/');
  const auto has = [&](std::string_view part) { return path.find(part) != std::string::npos; };
  const auto ends = [&](std::string_view ending) { return path.ends_with(ending); };
  return std::ranges::none_of(parts_of_pytorch, has) && std::ranges::none_of(native_endings, ends);
}

std::vector<SnapshotFrameId> program_frames(const SnapshotNames& names, SnapshotStackId stack) {
  std::vector<SnapshotFrameId> frames;
  if (!stack.valid()) return frames;
  std::ranges::copy_if(names.stack(stack), std::back_inserter(frames), [&](SnapshotFrameId id) {
    return is_of_program(names.text(names.frame(id).file));
  });
  return frames;
}

std::string frame_text(const SnapshotNames& names, SnapshotFrameId frame) {
  const std::string_view file = names.text(names.frame(frame).file);
  return line_text(names, frame, file.substr(file.find_last_of("/\\") + 1));
}

std::string whole_frame_text(const SnapshotNames& names, SnapshotFrameId frame) {
  return line_text(names, frame, names.text(names.frame(frame).file));
}

std::string place_of(const SnapshotNames& names, SnapshotStackId stack) {
  if (!stack.valid() || names.stack(stack).empty()) return std::string(unknown_place);
  const std::vector<SnapshotFrameId> frames = program_frames(names, stack);
  if (!frames.empty()) return frame_text(names, frames.front());
  const std::string& name = names.text(names.frame(names.stack(stack).front()).name);
  return name.empty() ? std::string(unknown_place) : name;
}

}  // namespace stashscope
