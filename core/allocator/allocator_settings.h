#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stashscope {

/// The settings of PyTorch's caching allocator that decide where a tensor is placed, as in
/// `PYTORCH_CUDA_ALLOC_CONF`. Source: `c10/cuda/CUDACachingAllocator.cpp` and
/// `c10/core/AllocatorConfig.h` of PyTorch 2.9.
struct AllocatorSettings {
  /// `max_split_size_mb` in bytes: blocks of this size and more are not split. Not set: all blocks
  /// may be split.
  std::optional<std::int64_t> max_split_bytes;
  /// `max_non_split_rounding_mb` in bytes: a block that is not split may be larger than its tensor
  /// by less than this.
  std::int64_t unsplit_slack_bytes = std::int64_t{20} << 20;
  /// `roundup_power2_divisions`, one number for each power of two from 1 MiB to 32 GiB. The first
  /// also holds for smaller sizes, the last for larger ones. With 4, for example, sizes from 1 MiB
  /// to 2 MiB round up to multiples of 256 KiB, a quarter of the smaller power of two. With 0 and
  /// 1, sizes round up to multiples of 512 bytes; so do sizes of up to 512 bytes times the number.
  std::array<std::uint32_t, 16> roundup_divisions{};
  /// `expandable_segments`: one segment for each stream and pool grows by pages.
  bool expandable_segments = false;
  /// `garbage_collection_threshold` as a part of the memory limit, from 0 to 1. 0: no collection.
  double garbage_collection_threshold = 0;
  /// The memory that the process may reserve, in bytes. Not set: no limit.
  std::optional<std::int64_t> memory_limit;

  friend bool operator==(const AllocatorSettings&, const AllocatorSettings&) = default;
};

/// Parses settings such as `expandable_segments:True,max_split_size_mb:128`, the form of
/// `PYTORCH_CUDA_ALLOC_CONF`; `=` may stand in the place of `:`. Settings that do not decide where
/// tensors are placed are read and ignored. Throws a usage Error for unknown settings and bad
/// values.
AllocatorSettings parse_allocator_settings(std::string_view text);

/// The settings as a value of `PYTORCH_CUDA_ALLOC_CONF`; empty for the default settings. Without
/// the memory limit, which that variable does not have.
std::string to_string(const AllocatorSettings& settings);

/// The size of blocks is a multiple of this.
constexpr std::int64_t least_block_bytes = 512;

/// The bytes that the allocator takes for a tensor: at least 512, and a multiple of 512.
std::int64_t rounded_bytes(std::int64_t bytes, const AllocatorSettings& settings);

}  // namespace stashscope
