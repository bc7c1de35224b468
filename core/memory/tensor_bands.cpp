#include "core/memory/tensor_bands.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace stashscope {

namespace {

bool lies_below(const TensorBand& a, const TensorBand& b) {
  const auto place = [](const TensorBand& band) {
    return std::tuple(!band.persistent, band.first_slot, -std::int64_t{band.last_slot},
                      band.buffer);
  };
  return place(a) < place(b);
}

}  // namespace

TensorBands::TensorBands(const Timeline& timeline, std::int64_t detail)
    : live_bytes_(timeline.live_bytes) {
  const std::int64_t least = timeline.peak_bytes / std::max<std::int64_t>(1, detail);
  for (const BufferId id : IdRange<BufferId>(timeline.buffers.size())) {
    const Buffer& buffer = timeline.buffers[id];
    if (buffer.bytes == 0) continue;
    if (buffer.bytes >= least) {
      bands_.push_back({id, buffer.bytes, buffer.first_slot, buffer.last_slot, buffer.persistent});
    } else {
      ++merged_;
    }
  }
  std::sort(bands_.begin(), bands_.end(), lies_below);
  add_up();
}

void TensorBands::add_up() {
  std::vector<std::int64_t> ends;
  ends.reserve(bands_.size());
  told_apart_.assign(steps() + 1, 0);
  for (const TensorBand& band : bands_) {
    ends.push_back(band.last_slot);
    if (band.first_slot >= steps()) continue;
    told_apart_[band.first_slot] += band.bytes;
    told_apart_[std::min<std::size_t>(steps(), band.last_slot + std::size_t{1})] -= band.bytes;
  }
  std::partial_sum(told_apart_.begin(), told_apart_.end(), told_apart_.begin());
  last_slots_ = CurveExtremes(std::move(ends));
}

std::vector<StackedTensor> TensorBands::stack(std::size_t slot) const {
  StackWalk walk(*this);
  const auto found = walk.at(slot);
  return {found.begin(), found.end()};
}

std::optional<StackedTensor> TensorBands::at(std::size_t slot, std::int64_t bytes) const {
  if (slot >= steps() || bytes < 0 || bytes >= told_apart(slot)) return std::nullopt;
  const std::vector<StackedTensor> found = stack(slot);
  const auto above = std::upper_bound(
      found.begin(), found.end(), bytes,
      [](std::int64_t height, const StackedTensor& each) { return height < each.bottom; });
  return *std::prev(above);
}

std::span<const StackedTensor> StackWalk::at(std::size_t slot) {
  const auto& bands = bands_.bands();
  std::int64_t height = 0;
  const auto put = [&](StackedTensor& place, std::size_t band) {
    place = {band, height};
    height += bands[band].bytes;
  };
  std::size_t kept = 0;
  for (const StackedTensor& each : stack_) {
    if (bands[each.band].last_slot >= slot) put(stack_[kept++], each.band);
  }
  stack_.resize(kept);
  for (next_ = bands_.next_alive(next_, slot);
       next_ < bands.size() && bands[next_].first_slot <= slot; ++next_) {
    if (bands[next_].last_slot >= slot) put(stack_.emplace_back(), next_);
  }
  return stack_;
}

}  // namespace stashscope
