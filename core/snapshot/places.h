#pragma once

#include <string>
#include <vector>

#include "core/snapshot/memory_snapshot.h"

namespace stashscope {

/// The frames of a stack that are neither in PyTorch nor in C++, from the innermost call outwards.
std::vector<SnapshotFrameId> program_frames(const SnapshotNames& names, SnapshotStackId stack);

/// A frame, as `train.py:12`.
std::string frame_text(const SnapshotNames& names, SnapshotFrameId frame);

/// The line of the user's program in a stack: its innermost program frame. Without such a frame,
/// the innermost function.
std::string place_of(const SnapshotNames& names, SnapshotStackId stack);

}  // namespace stashscope
