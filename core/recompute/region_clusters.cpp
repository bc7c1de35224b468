#include "core/recompute/region_clusters.h"

#include <algorithm>

#include "core/graph/node_path.h"

namespace stashscope {

namespace {

bool has(const RegionCall& call, NodeId node) {
  return node.valid() && node >= call.first && node.index() < call.end;
}

/// Whether derivatives of nodes in the call `reader` take outputs of the call `maker` from the
/// second run of `maker`.
bool saves_outputs(const RegionCall& reader, const RegionCall& maker) {
  return std::ranges::any_of(maker.readers, [&](NodeId node) { return has(reader, node); });
}

bool takes_arguments(const RegionCall& reader, const RegionCall& maker) {
  return std::ranges::any_of(reader.argument_makers, [&](NodeId node) { return has(maker, node); });
}

/// Whether `maker` can make again, before the second run of `reader`, the outputs that `reader`
/// reads. A second run asks only for its arguments.
bool can_ask(const RegionCall& reader, const RegionCall& maker) {
  for (std::size_t i = 0; i < reader.arguments.size(); ++i) {
    const bool is_made_again = std::ranges::binary_search(maker.made_again, reader.arguments[i]);
    if (has(maker, reader.argument_makers[i]) && !is_made_again) return false;
  }
  return reader.trigger.valid() && takes_arguments(reader, maker);
}

/// Whether `reader` needs outputs of `maker` that it cannot get again once they are freed.
bool misses_outputs(const RegionCall& reader, const RegionCall& maker) {
  const bool reads = saves_outputs(reader, maker) || takes_arguments(reader, maker);
  return reads && !can_ask(reader, maker);
}

bool share_nodes(const RegionCall& one, const RegionCall& other) {
  return one.first.index() < other.end && other.first.index() < one.end;
}

}  // namespace

bool overlap(const Region& a, const Region& b) {
  return std::ranges::any_of(a.calls, [&](const RegionCall& one) {
    return std::ranges::any_of(b.calls, [&](const RegionCall& other) {
      return share_nodes(one, other) || (b.frees_outputs && misses_outputs(one, other)) ||
             (a.frees_outputs && misses_outputs(other, one));
    });
  });
}

bool is_read_by_its_kind(const Region& region, const std::vector<Region>& all) {
  const std::string cluster = block_pattern(region.module);
  return std::ranges::any_of(all, [&](const Region& other) {
    if (block_pattern(other.module) != cluster) return false;
    return std::ranges::any_of(other.calls, [&](const RegionCall& reader) {
      return std::ranges::any_of(region.calls, [&](const RegionCall& maker) {
        return saves_outputs(reader, maker) || takes_arguments(reader, maker);
      });
    });
  });
}

}  // namespace stashscope
