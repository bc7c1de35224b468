#include "core/recompute/region_runs.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

namespace stashscope {

namespace {

constexpr std::size_t no_run = std::numeric_limits<std::size_t>::max();

/// For each storage, the position of the run that makes the storage again for nodes after its call,
/// or `no_run`.
IdVector<StorageId, std::size_t> makers_again(const CapturedStep& step,
                                              const std::vector<RegionRun>& runs) {
  IdVector<StorageId, std::size_t> makers(step.storages.size(), no_run);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const StorageId id : runs[i].call->made_again) makers[id] = i;
  }
  return makers;
}

/// Lets the run `maker` start early enough for `reader`, which needs its outputs.
void start_before(RegionRun& maker, const RegionRun& reader) {
  if (maker.trigger < reader.trigger) return;
  if (maker.trigger > reader.trigger) maker.needed_by = 0;
  maker.trigger = reader.trigger;
  maker.needed_by = std::max(maker.needed_by, reader.needed_by + 1);
}

/// Finds the arguments that other runs make again, and lets those runs start early enough.
void connect(const CapturedStep& step, std::vector<RegionRun>& runs) {
  const IdVector<StorageId, std::size_t> makers = makers_again(step, runs);
  // A call reads only outputs of earlier calls, so the starts of later calls are final first.
  std::vector<std::size_t> from_the_end(runs.size());
  std::iota(from_the_end.begin(), from_the_end.end(), std::size_t{0});
  std::ranges::sort(from_the_end, std::greater(),
                    [&](std::size_t i) { return runs[i].call->first; });
  for (const std::size_t i : from_the_end) {
    RegionRun& reader = runs[i];
    if (!reader.trigger.valid()) continue;
    for (const StorageId id : reader.call->arguments) {
      if (makers[id] == no_run) continue;
      reader.asked.push_back(id);
      start_before(runs[makers[id]], reader);
    }
  }
}

}  // namespace

std::vector<RegionRun> region_runs(const CapturedStep& step,
                                   const std::vector<const NodePlan*>& plans) {
  std::vector<RegionRun> runs;
  for (const NodePlan* const plan : plans) {
    for (const RegionCall& call : plan->region->calls) runs.push_back({&call, call.trigger});
  }
  connect(step, runs);
  std::ranges::stable_sort(runs, [](const RegionRun& one, const RegionRun& other) {
    return std::tie(one.trigger, other.needed_by) < std::tie(other.trigger, one.needed_by);
  });
  return runs;
}

}  // namespace stashscope
