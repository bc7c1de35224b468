#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/snapshot/memory_snapshot.h"

namespace stashscope {

/// Whether a file belongs to the user's program, and not to PyTorch or to native code.
bool is_of_program(std::string_view file);

/// The frames of a stack that belong to the user's program, from the innermost call outwards.
std::vector<SnapshotFrameId> program_frames(const SnapshotNames& names, SnapshotStackId stack);

/// A frame, as `train.py:12`.
std::string frame_text(const SnapshotNames& names, SnapshotFrameId frame);

/// A frame with all folders of its file, as `/home/me/train.py:12`.
std::string whole_frame_text(const SnapshotNames& names, SnapshotFrameId frame);

/// The result of `place_of` for a stack without frames or names.
inline constexpr std::string_view unknown_place = "unknown";

/// The line of the user's program in a stack: its innermost program frame. Without such a frame,
/// the innermost function.
std::string place_of(const SnapshotNames& names, SnapshotStackId stack);

}  // namespace stashscope
