#pragma once

#include <filesystem>
#include <string>

#include "core/snapshot/memory_snapshot.h"

namespace stashscope {

/// Whether the file is a pickle: by its name, `.pickle` or `.pkl`, or else by its first bytes.
/// Pickles of the protocols 0 and 1 have no mark in their first bytes. False if there is no such
/// file.
bool is_snapshot_file(const std::filesystem::path& path);

/// Reads a memory snapshot of PyTorch 2.0 to 2.9. Uses at most about 450 MiB of memory, whatever
/// the file has. Throws an input Error that names the file and what is wrong in it.
MemorySnapshot load_snapshot(const std::filesystem::path& path);

/// Reads a snapshot from the bytes of a pickle. Errors name the place in it.
MemorySnapshot parse_snapshot(const std::string& pickle);

/// The snapshot as a pickle of protocol 4 that has only data.
std::string snapshot_pickle(const MemorySnapshot& snapshot);

}  // namespace stashscope
