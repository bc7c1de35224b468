#include "core/study/facts/memory_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/study/facts/icicle.h"
#include "core/study/facts/module_memory.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace memory_tree_test {

constexpr MemoryGrouping groupings[] = {MemoryGrouping::module, MemoryGrouping::band,
                                        MemoryGrouping::op_type, MemoryGrouping::source_line};

std::shared_ptr<const Study> trained_blocks(int level = 0) {
  Choices choices;
  choices.dims["N"] = 64;
  choices.plans.level = level;
  choices.update.optimizer = "adam";
  return compute_study(test::named(test::blocks(3)), choices, nullptr, Progress());
}

/// Bytes by path at a slot.
std::map<std::string, std::int64_t> paths(const MemoryTree& tree, const Timeline& timeline,
                                          std::size_t slot) {
  const std::vector<std::int64_t> bytes = tree_bytes(tree, timeline, slot);
  std::map<std::string, std::int64_t> found;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) found[path_in_tree(tree, i)] = bytes[i];
  return found;
}

void expect_sums(const MemoryTree& tree, const Timeline& timeline, std::size_t slot) {
  const std::vector<std::int64_t> bytes = tree_bytes(tree, timeline, slot);
  ASSERT_EQ(bytes.size(), tree.nodes.size());
  EXPECT_EQ(bytes[0], timeline.live_bytes[slot]);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const MemoryTreeNode& node = tree.nodes[i];
    EXPECT_GE(bytes[i], 0) << path_in_tree(tree, i);
    if (node.child_count == 0) continue;
    std::int64_t children = 0;
    for (std::uint32_t child = 0; child < node.child_count; ++child) {
      EXPECT_EQ(tree.nodes[node.first_child + child].parent, i);
      EXPECT_EQ(tree.nodes[node.first_child + child].depth, node.depth + 1);
      children += bytes[node.first_child + child];
    }
    EXPECT_EQ(children, bytes[i]) << path_in_tree(tree, i);
  }
}

TEST(MemoryTree, AddsUpToTheLiveBytesOfEverySlot) {
  for (const auto& study : {trained_blocks(), trained_blocks(1),
                            test::study_of(test::named(test::random_model(7, 60)))}) {
    for (const auto& variant : {study->baseline, study->current}) {
      for (const MemoryGrouping grouping : groupings) {
        const MemoryTree tree = memory_tree(*study, *variant, grouping);
        for (std::size_t slot = 0; slot < variant->timeline.order.size(); ++slot) {
          expect_sums(tree, variant->timeline, slot);
        }
      }
    }
  }
}

TEST(MemoryTree, HasTheBandsOfTheCurveAtEverySlot) {
  for (const auto& study :
       {trained_blocks(), test::study_of(test::named(test::random_model(7, 60)))}) {
    const Variant& variant = *study->baseline;
    const TensorHomes homes = tensor_homes(*study, variant);
    const MemoryTree tree = memory_tree(*study, variant, MemoryGrouping::band, homes);
    for (std::size_t slot = 0; slot < variant.timeline.order.size(); ++slot) {
      expect_sums(tree, variant.timeline, slot);
      const auto at_slot = paths(tree, variant.timeline, slot);
      for (std::size_t i = 0; i < band_count; ++i) {
        const std::string title(title_of(static_cast<Band>(i)));
        const auto found = at_slot.find(title);
        EXPECT_EQ(found == at_slot.end() ? 0 : found->second, variant.bands[slot][i])
            << title << " at " << slot;
      }
    }
  }
}

TEST(MemoryTree, GradientsAndOptimizerStatesBelongToTheModuleOfTheirParameter) {
  const auto study = trained_blocks();
  const MemoryTree tree = memory_tree(*study, *study->baseline, MemoryGrouping::module);
  const Timeline& timeline = study->baseline->timeline;
  const auto at_end = paths(tree, timeline, timeline.order.size() - 1);
  const std::int64_t weight = 16 * 16 * 4;
  for (const std::string module : {"h.0.attn", "h.1.mlp", "h.2.attn"}) {
    EXPECT_EQ(at_end.at(module + ".parameters"), weight) << module;
    EXPECT_EQ(at_end.at(module + ".gradients"), weight) << module;
    EXPECT_EQ(at_end.at(module + ".optimizer states"), 2 * weight) << module;
  }
}

TEST(MemoryTree, RecomputedTensorsBelongToTheModuleOfTheirOriginal) {
  const auto study = trained_blocks(1);
  ASSERT_FALSE(study->applied.empty());
  const MemoryTree tree = memory_tree(*study, *study->current, MemoryGrouping::module);
  int recomputed = 0;
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    const std::string path = path_in_tree(tree, i);
    if (path.find("_recompute") == std::string::npos) continue;
    EXPECT_TRUE(path.starts_with("h.")) << path;
    ++recomputed;
  }
  EXPECT_GT(recomputed, 0);
}

TEST(MemoryTree, OperatorsHoldTheTensorsThatTheyMake) {
  const auto study = trained_blocks();
  const Timeline& timeline = study->baseline->timeline;
  const MemoryTree tree = memory_tree(*study, *study->baseline, MemoryGrouping::op_type);
  const auto at_peak = paths(tree, timeline, timeline.peak_slot);
  std::int64_t products = 0;
  for (const BufferId id : alive_at(timeline, timeline.peak_slot)) {
    const Buffer& buffer = timeline.buffers[id];
    const NodeId maker = study->graph().topology().producer[buffer.root];
    const bool is_made = maker.valid() && !buffer.persistent;
    if (is_made && study->graph().node(maker).op_type == "MatMul") products += buffer.bytes;
  }
  EXPECT_GT(products, 0);
  EXPECT_EQ(at_peak.at("MatMul"), products);
  EXPECT_EQ(at_peak.at("parameters"), 6 * 16 * 16 * 4);
}

TEST(MemoryTree, ModulesHoldEveryNodeOnceAndOtherGroupsTheMakers) {
  const auto study = trained_blocks();
  const TensorHomes homes = tensor_homes(*study, *study->current);
  for (const EqualBlocks blocks : {EqualBlocks::apart, EqualBlocks::summed}) {
    const MemoryTree tree =
        memory_tree(*study, *study->current, MemoryGrouping::module, homes, blocks);
    std::vector<NodeId> all;
    for (std::uint32_t child = 0; child < tree.nodes[0].child_count; ++child) {
      const std::uint32_t group = tree.nodes[0].first_child + child;
      if (tree.nodes[group].band == Band::workspace) continue;
      const std::vector<NodeId> inside = nodes_in_tree(tree, *study->current, homes.modules, group);
      all.insert(all.end(), inside.begin(), inside.end());
    }
    std::ranges::sort(all);
    std::vector<NodeId> expected;
    for (const NodeId id : IdRange<NodeId>(study->graph().nodes().size())) expected.push_back(id);
    EXPECT_EQ(all, expected);
  }
  const MemoryTree tree = memory_tree(*study, *study->current, MemoryGrouping::op_type, homes);
  for (std::uint32_t group = 1; group < tree.nodes.size(); ++group) {
    if (tree.nodes[group].depth != 1) continue;
    for (const NodeId node : nodes_in_tree(tree, *study->current, homes.modules, group)) {
      EXPECT_EQ(study->graph().node(node).op_type, tree.nodes[group].name);
    }
  }
}

TEST(Icicle, BoxesLieInTheirParentsAndFillThem) {
  const auto study = trained_blocks();
  const Timeline& timeline = study->baseline->timeline;
  const MemoryTree tree = memory_tree(*study, *study->baseline, MemoryGrouping::module);
  const auto bytes = tree_bytes(tree, timeline, timeline.peak_slot);
  const std::vector<IcicleBox> boxes = icicle_boxes(tree, bytes, 0, 0);
  std::map<std::uint32_t, IcicleBox> by_node;
  std::map<std::uint32_t, double> filled;
  for (const IcicleBox& box : boxes) {
    by_node[box.node] = box;
    EXPECT_NEAR(box.right - box.left,
                static_cast<double>(bytes[box.node]) / static_cast<double>(bytes[0]), 1e-9);
    if (box.node == 0) continue;
    const IcicleBox& parent = by_node.at(tree.nodes[box.outer].parent);
    EXPECT_EQ(box.row, parent.row + 1);
    EXPECT_GE(box.left, parent.left - 1e-9);
    EXPECT_LE(box.right, parent.right + 1e-9);
    filled[tree.nodes[box.outer].parent] += box.right - box.left;
  }
  for (const auto& [node, share] : filled) {
    EXPECT_NEAR(share, by_node.at(node).right - by_node.at(node).left, 1e-9);
  }
}

MemoryTreeNode group(const std::string& name, std::uint32_t parent, std::uint32_t first_child,
                     std::uint32_t child_count) {
  MemoryTreeNode node;
  node.name = name;
  node.parent = parent;
  node.first_child = first_child;
  node.child_count = child_count;
  return node;
}

TEST(Icicle, GroupsThatHoldOneGroupShareItsRow) {
  const MemoryTree tree = {MemoryGrouping::module,
                           {group("", 0, 1, 1), group("model", 0, 2, 1), group("h", 1, 3, 2),
                            group("a", 2, 0, 0), group("b", 2, 0, 0)}};
  const std::vector<IcicleBox> boxes = icicle_boxes(tree, {4, 4, 4, 3, 1}, 0, 0);
  ASSERT_EQ(boxes.size(), 4U);
  EXPECT_EQ(boxes[1].outer, 1U);
  EXPECT_EQ(boxes[1].node, 2U);
  EXPECT_EQ(boxes[2].row, 2U);
}

TEST(Icicle, ZoomsAndLeavesOutWhatIsTooNarrow) {
  const auto study = trained_blocks();
  const Timeline& timeline = study->baseline->timeline;
  const MemoryTree tree = memory_tree(*study, *study->baseline, MemoryGrouping::module);
  const auto bytes = tree_bytes(tree, timeline, timeline.peak_slot);
  const std::uint32_t model = tree.nodes[0].first_child;
  const std::vector<IcicleBox> zoomed = icicle_boxes(tree, bytes, model, 0);
  EXPECT_EQ(zoomed.front().node, model);
  EXPECT_EQ(zoomed.front().row, 0U);
  EXPECT_EQ(zoomed.front().right, 1);
  const std::vector<IcicleBox> wide = icicle_boxes(tree, bytes, 0, 0.05);
  EXPECT_LT(wide.size(), icicle_boxes(tree, bytes, 0, 0).size());
  for (const IcicleBox& box : wide) EXPECT_GE(box.right - box.left, 0.05);
  EXPECT_TRUE(icicle_boxes(tree, std::vector<std::int64_t>(bytes.size(), 0), 0, 0).empty());
}

TEST(ModuleMemory, StashesAtThePeakWhatTheCurveHasThere) {
  for (const int level : {0, 1}) {
    const auto study = trained_blocks(level);
    const TensorHomes homes = tensor_homes(*study, *study->current);
    const std::vector<ModuleMemory> modules = module_memory(*study, homes);
    std::int64_t stashed = memory_outside(*study, homes, modules).stashed_at_peak;
    for (const ModuleMemory& each : modules) {
      stashed += each.stashed_at_peak;
      EXPECT_LE(each.stashed_at_peak, each.peak_bytes) << each.module;
    }
    const std::size_t peak = study->current->timeline.peak_slot;
    EXPECT_EQ(stashed, of(study->current->bands[peak], Band::stashed));
  }
}

TEST(ModuleMemory, AddsUpToThePeakAndTheTimeOfTheStep) {
  const auto study = trained_blocks(1);
  const Variant& variant = *study->current;
  const MemoryTree tree = memory_tree(*study, variant, MemoryGrouping::module);
  const auto at_peak = tree_bytes(tree, variant.timeline, variant.timeline.peak_slot);
  std::int64_t in_modules = 0;
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    const MemoryTreeNode& node = tree.nodes[i];
    const bool is_module =
        node.parent == 0 && node.child_count > 0 && node.name != outside_of_modules;
    if (is_module) in_modules += at_peak[i];
  }
  const std::vector<ModuleMemory> modules = module_memory(*study);
  EXPECT_TRUE(std::ranges::is_sorted(modules, std::greater(), &ModuleMemory::peak_bytes));
  std::int64_t held = 0;
  double seconds = 0;
  for (const ModuleMemory& each : modules) {
    held += each.peak_bytes;
    seconds += each.seconds;
    EXPECT_GE(each.stashed_bytes, 0);
    EXPECT_FALSE(each.symbolic.empty());
  }
  EXPECT_GT(held, 0);
  EXPECT_EQ(held, in_modules);
  EXPECT_GT(seconds, 0);
  EXPECT_LE(seconds, step_seconds(*study, variant) * (1 + 1e-9));
}

TEST(ModuleMemory, AModuleAroundOthersCountsTheRest) {
  for (const ModuleMemory& each : module_memory(*trained_blocks())) {
    const bool is_block = each.module.ends_with("attn") || each.module.ends_with("mlp");
    EXPECT_EQ(each.is_rest, !is_block) << each.module;
  }
}

TEST(ModuleMemory, IsEmptyWithoutModules) {
  const auto study = test::study_of(std::make_shared<const Graph>(test::perceptron().build()));
  EXPECT_TRUE(module_memory(*study).empty());
}

}  // namespace memory_tree_test
}  // namespace stashscope
