#include "core/memory/tensor_bands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stashscope {
namespace tensor_bands_test {

using Stack = std::vector<StackedTensor>;

/// A timeline made from buffers only; its live bytes are their sums.
Timeline timeline_of(std::size_t steps, const std::vector<Buffer>& buffers) {
  Timeline timeline;
  timeline.order.resize(steps);
  timeline.live_bytes.assign(steps, 0);
  for (const Buffer& buffer : buffers) {
    timeline.buffers.push_back(buffer);
    for (std::size_t step = buffer.first_slot; step <= buffer.last_slot; ++step) {
      timeline.live_bytes[step] += buffer.bytes;
    }
  }
  const auto peak = std::max_element(timeline.live_bytes.begin(), timeline.live_bytes.end());
  timeline.peak_bytes = *peak;
  timeline.peak_slot = static_cast<std::size_t>(peak - timeline.live_bytes.begin());
  return timeline;
}

Buffer buffer(std::int64_t bytes, std::uint32_t first, std::uint32_t last,
              bool persistent = false) {
  return {ValueId(0), bytes, first, last, persistent, false, {}};
}

TEST(TensorBands, SinkWhenOneBelowIsFreed) {
  const TensorBands tensors(
      timeline_of(4, {buffer(10, 1, 2), buffer(100, 0, 3, true), buffer(20, 2, 3)}));
  EXPECT_EQ(tensors.stack(0), (Stack{{0, 0}}));
  EXPECT_EQ(tensors.stack(1), (Stack{{0, 0}, {1, 100}}));
  EXPECT_EQ(tensors.stack(2), (Stack{{0, 0}, {1, 100}, {2, 110}}));
  EXPECT_EQ(tensors.stack(3), (Stack{{0, 0}, {2, 100}}));
  EXPECT_EQ(tensors.bands()[2].bytes, 20);
}

TEST(TensorBands, WhatIsMadeFirstAndStaysLongestLiesBelow) {
  const TensorBands tensors(
      timeline_of(3, {buffer(1, 0, 0), buffer(2, 0, 2), buffer(4, 0, 2, true)}));
  std::vector<std::int64_t> sizes;
  for (const TensorBand& band : tensors.bands()) sizes.push_back(band.bytes);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{4, 2, 1}));
}

TEST(TensorBands, AreFoundWhereTheyLie) {
  const TensorBands tensors(
      timeline_of(2, {buffer(100, 0, 1, true), buffer(10, 0, 1), buffer(20, 1, 1)}));
  EXPECT_EQ(tensors.at(1, 0), (StackedTensor{0, 0}));
  EXPECT_EQ(tensors.at(1, 99), (StackedTensor{0, 0}));
  EXPECT_EQ(tensors.at(1, 100), (StackedTensor{1, 100}));
  EXPECT_EQ(tensors.at(1, 129), (StackedTensor{2, 110}));
  EXPECT_FALSE(tensors.at(1, 130));
  EXPECT_FALSE(tensors.at(0, 110)) << "it is not made yet";
  EXPECT_FALSE(tensors.at(0, -1));
  EXPECT_FALSE(tensors.at(2, 0));
}

TEST(TensorBands, SmallOnesAreMergedWithoutLosingBytes) {
  std::vector<Buffer> buffers = {buffer(1000, 0, 9)};
  for (std::uint32_t step = 0; step < 10; ++step) buffers.push_back(buffer(3, step, step));
  const TensorBands tensors(timeline_of(10, buffers), 100);
  EXPECT_EQ(tensors.bands().size(), 1U);
  EXPECT_EQ(tensors.merged(), 10U);
  for (std::size_t step = 0; step < 10; ++step) {
    EXPECT_EQ(tensors.rest_bytes(step), 3);
    EXPECT_FALSE(tensors.at(step, 1001)) << "the rest is no tensor";
  }
}

/// The stack by definition: all live bands, one on top of the other.
Stack plain_stack(const TensorBands& tensors, std::size_t step) {
  Stack stack;
  std::int64_t height = 0;
  for (std::size_t i = 0; i < tensors.bands().size(); ++i) {
    const TensorBand& band = tensors.bands()[i];
    if (band.first_slot > step || band.last_slot < step) continue;
    stack.push_back({i, height});
    height += band.bytes;
  }
  return stack;
}

TEST(TensorBands, StacksAreThoseOfTheDefinition) {
  std::mt19937 random(20240607);
  for (int round = 0; round < 60; ++round) {
    const std::size_t steps = 1 + random() % 200;
    std::vector<Buffer> buffers;
    for (std::size_t i = 0; i < random() % 300; ++i) {
      const auto first = static_cast<std::uint32_t>(random() % steps);
      const auto last = static_cast<std::uint32_t>(first + random() % (steps - first));
      buffers.push_back(buffer(static_cast<std::int64_t>(random() % 500), first, last));
    }
    const Timeline timeline = timeline_of(steps, buffers);
    const TensorBands tensors(timeline, 64);
    StackWalk walk(tensors);
    for (std::size_t step = 0; step < steps; step += 1 + random() % 4) {
      const Stack expected = plain_stack(tensors, step);
      const auto found = walk.at(step);
      ASSERT_EQ(Stack(found.begin(), found.end()), expected) << round << " at " << step;
      const std::int64_t top =
          expected.empty() ? 0
                           : expected.back().bottom + tensors.bands()[expected.back().band].bytes;
      ASSERT_EQ(tensors.told_apart(step), top);
      ASSERT_EQ(top + tensors.rest_bytes(step), timeline.live_bytes[step]);
      if (top > 0) {
        const auto height = static_cast<std::int64_t>(random()) % top;
        const StackedTensor hit = *tensors.at(step, height);
        ASSERT_LE(hit.bottom, height);
        ASSERT_GT(hit.bottom + tensors.bands()[hit.band].bytes, height);
      }
    }
  }
}

TEST(TensorBands, OfNothingAreNone) {
  const TensorBands tensors((Timeline()));
  EXPECT_EQ(tensors.steps(), 0U);
  EXPECT_TRUE(tensors.bands().empty());
  EXPECT_FALSE(tensors.at(0, 0));
}

}  // namespace tensor_bands_test
}  // namespace stashscope
