#include "core/study/facts/equal_blocks.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/graph/node_path.h"
#include "core/study/facts/memory_tree.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace equal_blocks_test {

TEST(EqualBlocks, AreSummed) {
  const auto study = test::study_of(test::named(test::blocks(3)));
  const std::vector<ModuleMemory> modules = module_memory(*study);
  const std::vector<ModuleGroup> groups = module_groups(modules);
  const auto attention = std::ranges::find_if(
      groups, [](const ModuleGroup& each) { return each.sum.module.ends_with("h.*.attn"); });
  ASSERT_NE(attention, groups.end());
  EXPECT_EQ(attention->modules.size(), 3U);
  std::size_t members = 0;
  std::int64_t bytes = 0;
  std::int64_t stashed = 0;
  double seconds = 0;
  for (const ModuleGroup& group : groups) {
    std::int64_t of_group = 0;
    for (const ModuleMemory& each : group.modules) {
      of_group += each.peak_bytes;
      EXPECT_EQ(each.is_rest, group.sum.is_rest) << each.module;
    }
    EXPECT_EQ(group.sum.peak_bytes, of_group) << group.sum.module;
    members += group.modules.size();
    bytes += group.sum.peak_bytes;
    stashed += group.sum.stashed_bytes;
    seconds += group.sum.seconds;
  }
  EXPECT_EQ(members, modules.size());
  for (const ModuleMemory& each : modules) {
    bytes -= each.peak_bytes;
    stashed -= each.stashed_bytes;
    seconds -= each.seconds;
  }
  EXPECT_EQ(bytes, 0);
  EXPECT_EQ(stashed, 0);
  EXPECT_NEAR(seconds, 0, 1e-12);
  EXPECT_TRUE(std::ranges::is_sorted(groups, std::greater(),
                                     [](const ModuleGroup& each) { return each.sum.peak_bytes; }));
}

ModuleMemory module(const char* name, std::int64_t bytes, const char* formula) {
  return {name, false, bytes, 0, 0, formula};
}

TEST(EqualBlocks, HaveAFormulaForTheirSum) {
  const std::vector<ModuleGroup> groups =
      module_groups({module("h.0", 8, "8*N"), module("wte", 5, "5"), module("h.1", 8, "8*N"),
                     module("h.2", 4, "4*N"), module("h.3", 0, "0")});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].sum.module, "h.*");
  EXPECT_EQ(groups[0].sum.symbolic, "4*N + 2*(8*N)");
  EXPECT_EQ(groups[1].sum.module, "wte");
  EXPECT_EQ(groups[1].sum.symbolic, "5");
}

TEST(EqualBlocks, AreOneBoxOfTheTree) {
  const auto study = test::study_of(test::named(test::blocks(3)));
  const TensorHomes homes = tensor_homes(*study, *study->current);
  const Timeline& timeline = study->current->timeline;
  const auto bytes_at = [&](const MemoryTree& tree, const std::string& path) {
    const std::vector<std::int64_t> bytes = tree_bytes(tree, timeline, timeline.peak_slot);
    std::int64_t sum = 0;
    for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
      if (block_pattern(path_in_tree(tree, node)) == path) sum += bytes[node];
    }
    return std::pair(bytes[0], sum);
  };
  const MemoryTree apart =
      memory_tree(*study, *study->current, MemoryGrouping::module, homes, EqualBlocks::apart);
  const MemoryTree summed =
      memory_tree(*study, *study->current, MemoryGrouping::module, homes, EqualBlocks::summed);
  EXPECT_EQ(summed.blocks, EqualBlocks::summed);
  EXPECT_GT(bytes_at(summed, "h.*.attn").second, 0);
  EXPECT_EQ(bytes_at(summed, "h.*.attn"), bytes_at(apart, "h.*.attn"));
  for (std::size_t node = 0; node < summed.nodes.size(); ++node) {
    if (summed.nodes[node].buffer.valid()) continue;
    EXPECT_EQ(block_pattern(summed.nodes[node].name), summed.nodes[node].name);
  }
}

}  // namespace equal_blocks_test
}  // namespace stashscope
