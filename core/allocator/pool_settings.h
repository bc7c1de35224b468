#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stashscope {

/// The settings of a stream-ordered memory pool of CUDA (`cudaMallocFromPoolAsync`).
///
/// Published (CUDA Programming Guide, "Stream-Ordered Memory Allocator"; CUDA Runtime API, "Stream
/// Ordered Memory Allocator"): memory that is freed on a stream can be used by the next allocation
/// on that stream; the driver reuses freed memory before it takes more from the device; a
/// synchronization tries to release what the pool holds above the release threshold; memory that
/// backs a live allocation is not released. Not published, and assumed here: `pool_alignment`, the
/// two granularities, and the fit (`PoolFit`).
struct PoolSettings {
  /// `cudaMemPoolAttrReleaseThreshold`: bytes that a synchronization leaves in the pool. Not set:
  /// the pool keeps all bytes, as the pools of the CUDA plugin do.
  std::optional<std::int64_t> release_threshold_bytes;
  /// The pool takes memory from the device in multiples of this, in bytes. Not set: the lower
  /// estimate of reserved bytes uses `least_pool_granularity`, the upper one
  /// `usual_pool_granularity`.
  std::optional<std::int64_t> granularity_bytes;

  friend bool operator==(const PoolSettings&, const PoolSettings&) = default;
};

/// Assumed: sizes and addresses of allocations are multiples of this. CUDA guarantees 256 bytes.
constexpr std::int64_t pool_alignment = 512;
/// The size of the physical pages in which CUDA maps device memory
/// (`cuMemGetAllocationGranularity`). No pool can go below it.
constexpr std::int64_t least_pool_granularity = std::int64_t{2} << 20;
/// Assumed: the bytes that a pool takes from the device at once. No documentation states them. All
/// published measurements of reserved bytes that were found are multiples of this number
/// (docs/reserved_memory.md).
constexpr std::int64_t usual_pool_granularity = std::int64_t{32} << 20;

/// Parses settings such as `release_threshold=0,granularity=2MiB`; both may be left out. Throws a
/// usage Error for unknown settings and bad values.
PoolSettings parse_pool_settings(std::string_view text);

/// The settings as `parse_pool_settings` reads them; empty for the default ones.
std::string to_string(const PoolSettings& settings);

}  // namespace stashscope
