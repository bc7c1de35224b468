// Which regions are applied together, and which exclude each other.

#include "core/recompute/region_clusters.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stashscope {
namespace region_clusters_test {

/// @param readers nodes after the call that save the storage 0, which the call makes
RegionCall call(std::size_t first, std::size_t end, std::vector<NodeId> readers = {}) {
  RegionCall made;
  made.first = NodeId(first);
  made.end = end;
  made.trigger = NodeId(100);
  if (!readers.empty()) made.made_again = {StorageId(0)};
  made.readers = std::move(readers);
  return made;
}

/// The call with a storage that the node `maker` allocates as its argument.
RegionCall taking(RegionCall call, StorageId argument, NodeId maker) {
  call.arguments = {argument};
  call.argument_makers = {maker};
  return call;
}

Region region(const std::string& module, std::vector<RegionCall> calls) {
  Region made{module, std::move(calls), {}};
  made.frees_outputs =
      std::ranges::any_of(made.calls, [](const RegionCall& each) { return !each.readers.empty(); });
  return made;
}

TEST(RegionClusters, ExcludeEachOtherIfOneReadsAFreedOutputThatIsNotItsArgument) {
  const Region first = region("h.0", {call(0, 4, {NodeId(5)})});
  const Region second = region("h.1", {call(4, 8)});
  EXPECT_TRUE(overlap(first, second));
  EXPECT_TRUE(overlap(second, first));
  EXPECT_FALSE(overlap(region("h.0", {call(0, 4, {NodeId(9)})}), second));
  EXPECT_TRUE(overlap(region("h", {call(0, 8)}), second)) << "a node in common";
}

TEST(RegionClusters, AreAppliedTogetherIfAFreedArgumentIsMadeAgain) {
  const Region first = region("h.0", {call(0, 4, {NodeId(5)})});
  const RegionCall reader = taking(call(4, 8), StorageId(0), NodeId(3));
  EXPECT_FALSE(overlap(first, region("h.1", {reader})));
  EXPECT_FALSE(overlap(region("h.1", {reader}), first));
  EXPECT_TRUE(overlap(first, region("h.1", {taking(call(4, 8), StorageId(1), NodeId(3))})))
      << "an output that no node saves";
  RegionCall never_again = reader;
  never_again.trigger = NodeId();
  EXPECT_TRUE(overlap(first, region("h.1", {never_again})));
}

TEST(RegionClusters, MayReadWhatARegionKeeps) {
  const Region first = region("h.0", {call(0, 4)});
  EXPECT_FALSE(overlap(first, region("h.1", {taking(call(4, 8), StorageId(1), NodeId(3))})));
}

TEST(RegionClusters, AreReadByTheirKindOnlyInTheSameCluster) {
  const Region maker = region("h.0", {call(0, 4, {NodeId(5)})});
  const Region same = region("h.1", {call(4, 8)});
  const Region other = region("g.1", {call(4, 8)});
  EXPECT_TRUE(is_read_by_its_kind(maker, {maker, same}));
  EXPECT_FALSE(is_read_by_its_kind(maker, {maker, other}));
  EXPECT_FALSE(is_read_by_its_kind(same, {maker, same}));
  const Region taker = region("h.1", {taking(call(6, 8), StorageId(1), NodeId(3))});
  EXPECT_TRUE(is_read_by_its_kind(maker, {maker, taker})) << "as an argument";
  const Region twice = region("h.0", {call(0, 4, {NodeId(6)}), call(5, 9)});
  EXPECT_TRUE(is_read_by_its_kind(twice, {twice})) << "its own second call reads it";
}

}  // namespace region_clusters_test
}  // namespace stashscope
