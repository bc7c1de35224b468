#include "core/study/facts/data_tables.h"

#include <algorithm>

#include "tests/support/csv.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace data_tables_test {

std::shared_ptr<const Study> planned_blocks() {
  Choices choices;
  choices.dims["N"] = 64;
  choices.plans.level = 1;
  choices.update.optimizer = "adam";
  return compute_study(test::named(test::blocks(3)), choices, nullptr, Progress());
}

TEST(CurveTable, TheBandsOfASlotAddUpToItsLiveBytes) {
  const auto study = planned_blocks();
  const auto records = test::read_csv(curve_table(*study));
  const std::size_t slots =
      study->baseline->timeline.order.size() + study->current->timeline.order.size();
  ASSERT_EQ(records.size(), slots + 1);
  const std::size_t total = test::column_of(records, "bytes");
  std::map<std::string, std::int64_t> peak;
  for (std::size_t row = 1; row < records.size(); ++row) {
    ASSERT_EQ(records[row].size(), total + 1 + band_count);
    std::int64_t sum = 0;
    for (std::size_t band = 1; band <= band_count; ++band) {
      sum += std::stoll(records[row][total + band]);
    }
    EXPECT_EQ(sum, std::stoll(records[row][total]));
    std::int64_t& most = peak[records[row].front()];
    most = std::max(most, sum);
  }
  EXPECT_EQ(peak["without plans"], study->baseline->timeline.peak_bytes);
  EXPECT_EQ(peak["now"], study->current->timeline.peak_bytes);
}

TEST(IcicleTable, HasTheGroupAtTheTopAndAllInsideIt) {
  const auto study = planned_blocks();
  const Variant& variant = *study->current;
  const MemoryTree tree = memory_tree(*study, variant, MemoryGrouping::module);
  const auto bytes = tree_bytes(tree, variant.timeline, variant.timeline.peak_slot);
  const auto all = test::read_csv(icicle_table(tree, bytes, 0));
  ASSERT_GT(all.size(), 10U);
  EXPECT_EQ(all[1],
            (std::vector<std::string>{"(all)", "0", std::to_string(variant.timeline.peak_bytes)}));
  const std::uint32_t group = tree.nodes.front().first_child;
  const auto part = test::read_csv(icicle_table(tree, bytes, group));
  ASSERT_LT(part.size(), all.size());
  EXPECT_EQ(part[1].front(), path_in_tree(tree, group));
  for (std::size_t row = 1; row < part.size(); ++row) {
    EXPECT_TRUE(part[row].front().starts_with(part[1].front())) << part[row].front();
    EXPECT_NE(std::find(all.begin(), all.end(), part[row]), all.end());
  }
}

TEST(NodeTable, HasTheBytesOfAllBuffersThatNodesAllocate) {
  const auto study = planned_blocks();
  const Timeline& timeline = study->current->timeline;
  const auto records = test::read_csv(node_table(*study));
  ASSERT_EQ(records.size(), timeline.order.size() + 1);
  std::int64_t listed = 0;
  for (std::size_t row = 1; row < records.size(); ++row) {
    EXPECT_EQ(records[row].front(), std::to_string(row));
    listed += std::stoll(records[row][test::column_of(records, "bytes")]);
    EXPECT_LE(std::stoll(records[row][test::column_of(records, "first slot alive")]),
              std::stoll(records[row][test::column_of(records, "last slot alive")]));
  }
  std::int64_t allocated = 0;
  for (const Buffer& buffer : timeline.buffers) {
    const bool has_maker =
        !buffer.state && study->current->dataflow.topology.producer[buffer.root].valid();
    if (has_maker && !buffer.persistent) allocated += buffer.bytes;
  }
  EXPECT_EQ(listed, allocated);
  EXPECT_GT(listed, 0);
}

TEST(ComparisonTable, HasBothSidesToTheEndOfTheLongerOne) {
  const auto left = planned_blocks();
  const auto right = compute_study(left->model, Choices(), nullptr, Progress());
  const auto records = test::read_csv(comparison_table(*left, *right));
  const auto& left_bytes = left->current->timeline.live_bytes;
  const auto& right_bytes = right->current->timeline.live_bytes;
  ASSERT_EQ(records.size(), std::max(left_bytes.size(), right_bytes.size()) + 1);
  const auto bytes_at = [](const std::vector<std::int64_t>& bytes, std::size_t slot) {
    return slot < bytes.size() ? std::to_string(bytes[slot]) : std::string();
  };
  for (std::size_t slot = 0; slot + 1 < records.size(); ++slot) {
    EXPECT_EQ(records[slot + 1][2], bytes_at(left_bytes, slot));
    EXPECT_EQ(records[slot + 1][4], bytes_at(right_bytes, slot));
  }
}

}  // namespace data_tables_test
}  // namespace stashscope
