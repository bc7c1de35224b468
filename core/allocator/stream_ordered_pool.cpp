#include "core/allocator/stream_ordered_pool.h"

#include <algorithm>
#include <limits>

#include "core/base/units.h"

namespace stashscope {

StreamOrderedPool::StreamOrderedPool(const PoolSettings& settings, PoolFit fit)
    : granularity_(settings.granularity_bytes.value_or(usual_pool_granularity)),
      threshold_(
          settings.release_threshold_bytes.value_or(std::numeric_limits<std::int64_t>::max())),
      fit_(fit) {}

PoolBlockId StreamOrderedPool::allocate(std::int64_t bytes) {
  const std::int64_t rounded = rounded_up(std::max<std::int64_t>(bytes, 1), pool_alignment);
  auto found = find_free(rounded);
  if (found == free_.end()) found = add_chunk(rounded);
  const auto [address, free_bytes] = *found;
  erase_free(found);
  if (free_bytes > rounded) insert_free(address + rounded, free_bytes - rounded);
  used_bytes_ += rounded;
  most_used_bytes_ = std::max(most_used_bytes_, used_bytes_);
  return make_block({address, rounded});
}

StreamOrderedPool::Pieces::iterator StreamOrderedPool::find_free(std::int64_t bytes) {
  if (fit_ == PoolFit::first) {
    return std::ranges::find_if(free_, [&](const auto& piece) { return piece.second >= bytes; });
  }
  const auto found = by_size_.lower_bound({bytes, 0});
  return found == by_size_.end() ? free_.end() : free_.find(found->second);
}

StreamOrderedPool::Pieces::iterator StreamOrderedPool::add_chunk(std::int64_t bytes) {
  const std::int64_t chunk = rounded_up(bytes, granularity_);
  const std::int64_t address = next_address_;
  // Chunks lie apart, so that pieces of two chunks are no neighbours.
  next_address_ += chunk + granularity_;
  chunks_.emplace(address, chunk);
  reserved_bytes_ += chunk;
  most_reserved_bytes_ = std::max(most_reserved_bytes_, reserved_bytes_);
  insert_free(address, chunk);
  return free_.find(address);
}

void StreamOrderedPool::insert_free(std::int64_t address, std::int64_t bytes) {
  free_.emplace(address, bytes);
  by_size_.emplace(bytes, address);
}

StreamOrderedPool::Pieces::iterator StreamOrderedPool::erase_free(Pieces::iterator piece) {
  by_size_.erase({piece->second, piece->first});
  return free_.erase(piece);
}

PoolBlockId StreamOrderedPool::make_block(const PoolPiece& piece) {
  if (unused_.empty()) return blocks_.push_back(piece);
  const PoolBlockId block = unused_.back();
  unused_.pop_back();
  blocks_[block] = piece;
  return block;
}

void StreamOrderedPool::free(PoolBlockId block) {
  auto [address, bytes] = blocks_[block];
  used_bytes_ -= bytes;
  unused_.push_back(block);
  auto above = free_.lower_bound(address);
  if (above != free_.end() && above->first == address + bytes) {
    bytes += above->second;
    above = erase_free(above);
  }
  if (above != free_.begin()) {
    const auto below = std::prev(above);
    if (below->first + below->second == address) {
      address = below->first;
      bytes += below->second;
      erase_free(below);
    }
  }
  insert_free(address, bytes);
}

void StreamOrderedPool::synchronize() {
  for (auto chunk = chunks_.end(); chunk != chunks_.begin() && reserved_bytes_ > threshold_;) {
    --chunk;
    const auto piece = free_.find(chunk->first);
    const bool is_free = piece != free_.end() && piece->second == chunk->second;
    if (!is_free || reserved_bytes_ - chunk->second < threshold_) continue;
    reserved_bytes_ -= chunk->second;
    erase_free(piece);
    chunk = chunks_.erase(chunk);
  }
}

std::int64_t least_reserved_bytes(std::int64_t used_bytes, const PoolSettings& settings) {
  return rounded_up(used_bytes, settings.granularity_bytes.value_or(least_pool_granularity));
}

}  // namespace stashscope
