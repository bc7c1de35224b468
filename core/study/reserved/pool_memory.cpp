#include "core/study/reserved/pool_memory.h"

#include <algorithm>

#include "core/base/units.h"
#include "core/study/reserved/step_player.h"

namespace stashscope {

PoolMemory pool_memory(const Study& study, const Variant& variant, const PoolSettings& settings,
                       std::span<const std::int64_t> held) {
  const auto played = [&](PoolFit fit) {
    BasicStepPlayer player(study.prepared->rules, variant.timeline,
                           StreamOrderedPool(settings, fit));
    player.play(held);
    return player.allocator();
  };
  const StreamOrderedPool smallest = played(PoolFit::smallest);
  const StreamOrderedPool first = played(PoolFit::first);
  PoolMemory memory;
  memory.low_bytes = least_reserved_bytes(smallest.most_used_bytes(), settings);
  memory.high_bytes = std::max(smallest.most_reserved_bytes(), first.most_reserved_bytes());
  memory.fragmentation_bytes = memory.high_bytes - variant.timeline.peak_bytes;
  return memory;
}

DeviceMemory device_memory(const Study& study, const Variant& variant, const PoolSettings& settings,
                           const std::vector<OtherMemory>& others) {
  return device_memory(study, others, [&](std::span<const std::int64_t> blocks) {
    const PoolMemory memory = pool_memory(study, variant, settings, blocks);
    return DeviceMemory{memory.low_bytes, memory.high_bytes};
  });
}

DeviceMemory plugin_pools(const Study& study, const PoolMemory& tensors,
                          std::int64_t workspace_bytes, const PoolSettings& settings) {
  StreamOrderedPool pool(settings);
  pool.allocate(sizeof(std::int64_t));
  const NodeId yield = study.prepared->step.boundary.yield;
  if (yield.valid()) {
    for (const ValueId output : study.graph().node(yield).outputs) {
      if (output.valid()) pool.allocate(study.sizes->bytes[output]);
    }
  }
  if (workspace_bytes > 0) pool.allocate(workspace_bytes);
  return {tensors.low_bytes + least_reserved_bytes(pool.used_bytes(), settings),
          tensors.high_bytes + pool.reserved_bytes()};
}

}  // namespace stashscope
