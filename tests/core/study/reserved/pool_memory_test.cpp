#include "core/study/reserved/pool_memory.h"

#include <gtest/gtest.h>

#include "core/base/units.h"
#include "core/study/reserved/reserved_memory.h"
#include "tests/support/captured_chain.h"
#include "tests/support/fragmenting_step.h"
#include "tests/support/model_builder.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace pool_memory_test {

constexpr std::int64_t mebibyte = 1 << 20;

std::shared_ptr<const Study> blocks_of(std::int64_t batch) {
  Choices choices;
  choices.dims["N"] = batch;
  choices.update.optimizer = "adam";
  return compute_study(test::named(test::blocks(4)), choices, nullptr, Progress());
}

/// The most rounded bytes that are live in one slot.
std::int64_t most_rounded(const Timeline& timeline) {
  std::vector<std::int64_t> bytes(timeline.order.size(), 0);
  for (const Buffer& buffer : timeline.buffers) {
    if (buffer.bytes == 0) continue;
    for (std::size_t slot = buffer.first_slot; slot <= buffer.last_slot; ++slot) {
      bytes[slot] += rounded_up(buffer.bytes, pool_alignment);
    }
  }
  return *std::max_element(bytes.begin(), bytes.end());
}

TEST(PoolMemory, LiesBetweenTheTensorsAndWhatAPoolWithoutRemappingReserves) {
  for (const auto& study : {blocks_of(16), blocks_of(4096), test::fragmenting_step()}) {
    for (const auto& variant : {study->baseline, study->current}) {
      for (const PoolSettings& settings :
           {PoolSettings{}, PoolSettings{0, {}}, PoolSettings{{}, 2 * mebibyte},
            PoolSettings{64 * mebibyte, 512}}) {
        const PoolMemory memory = pool_memory(*study, *variant, settings);
        EXPECT_EQ(memory.low_bytes, rounded_up(most_rounded(variant->timeline),
                                               settings.granularity_bytes.value_or(2 * mebibyte)));
        EXPECT_GE(memory.high_bytes, memory.low_bytes);
        EXPECT_EQ(memory.high_bytes % settings.granularity_bytes.value_or(32 * mebibyte), 0);
        EXPECT_EQ(memory.fragmentation_bytes, memory.high_bytes - variant->timeline.peak_bytes);
      }
    }
  }
}

TEST(PoolMemory, HasAWiderRangeWhereTensorsLeaveGaps) {
  const auto step = test::fragmenting_step();
  const PoolSettings fine{{}, 2 * mebibyte};
  const PoolMemory memory = pool_memory(*step, *step->current, fine);
  EXPECT_GT(memory.high_bytes, memory.low_bytes + 16 * mebibyte);
  // A chunk of its own for each tensor that is larger than all before it, and one for small ones.
  std::int64_t chunks = 2 * mebibyte;
  for (const Buffer& buffer : step->current->timeline.buffers) {
    if (buffer.bytes >= mebibyte) chunks += rounded_up(buffer.bytes, 2 * mebibyte);
  }
  EXPECT_LE(memory.high_bytes, chunks);
}

TEST(PoolMemory, CountsBlocksThatTheProgramHolds) {
  const auto study = blocks_of(4096);
  const PoolSettings settings{{}, 2 * mebibyte};
  const PoolMemory alone = pool_memory(*study, *study->current, settings);
  const std::vector<std::int64_t> held = {10 * mebibyte, 6 * mebibyte};
  const PoolMemory with = pool_memory(*study, *study->current, settings, held);
  EXPECT_EQ(with.low_bytes, alone.low_bytes + 16 * mebibyte);
  EXPECT_GT(with.high_bytes, alone.high_bytes);
  std::vector<OtherMemory> others = usual_other_memory();
  for (OtherMemory& each : others) each.low_bytes = each.high_bytes = 0;
  const DeviceMemory nothing = device_memory(*study, *study->current, settings, others);
  EXPECT_EQ(nothing, (DeviceMemory{alone.low_bytes, alone.high_bytes}));
  others[0].low_bytes = 3;
  others[0].high_bytes = 5;
  const DeviceMemory context = device_memory(*study, *study->current, settings, others);
  EXPECT_EQ(context, (DeviceMemory{alone.low_bytes + 3, alone.high_bytes + 5}));
}

TEST(PoolMemory, OfLaterStepsHasTheStatesThatTheFirstMakes) {
  const auto study = test::captured_study(test::chain_with_batch());
  const PoolMemory memory = pool_memory(*study, *study->current, {{}, 512});
  EXPECT_GE(memory.low_bytes, study->current->timeline.peak_bytes);
  EXPECT_GE(memory.high_bytes, memory.low_bytes);
}

TEST(PoolMemory, OfAStepWithoutNodesIsThatOfItsInputs) {
  test::ModelBuilder m;
  m.input("x", {1 << 20});
  const auto study = compute_study(std::make_shared<const Graph>(m.output("x").build()), Choices(),
                                   nullptr, Progress());
  const PoolMemory memory = pool_memory(*study, *study->current, {});
  EXPECT_EQ(memory.low_bytes, 4 * mebibyte);
  EXPECT_EQ(memory.high_bytes, 32 * mebibyte);
}

TEST(PluginPools, HaveAPoolOfTheirOwnForWorkspaces) {
  const auto study = blocks_of(16);
  const NodeId yield = study->prepared->step.boundary.yield;
  ASSERT_TRUE(yield.valid());
  const PoolSettings settings{{}, 512};
  std::int64_t returned = 512;  // the number of the run
  for (const ValueId output : study->graph().node(yield).outputs) {
    returned += rounded_up(study->sizes->bytes[output], 512);
  }
  const PoolMemory tensors = pool_memory(*study, *study->current, settings);
  for (const std::int64_t workspace : {0, 1000}) {
    const DeviceMemory both = plugin_pools(*study, tensors, workspace, settings);
    const std::int64_t second = returned + rounded_up(workspace, 512);
    EXPECT_EQ(both, (DeviceMemory{tensors.low_bytes + second, tensors.high_bytes + second}));
  }
  EXPECT_EQ(plugin_pools(*study, {}, 0, {}), (DeviceMemory{2 * mebibyte, 32 * mebibyte}));
}

}  // namespace pool_memory_test
}  // namespace stashscope
