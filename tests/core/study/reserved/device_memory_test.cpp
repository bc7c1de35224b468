#include "core/study/reserved/device_memory.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/model_builder.h"
#include "tests/support/named_model.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace device_memory_test {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

std::shared_ptr<const Study> training_step() {
  Choices choices;
  choices.dims["N"] = 4096;
  return compute_study(test::named(test::blocks(3)), choices, nullptr, Progress());
}

DeviceMemory of(const Study& study, const std::vector<OtherMemory>& others) {
  return device_memory(study, study.current->timeline, AllocatorSettings(), others);
}

TEST(DeviceMemory, WithoutOtherMemoryIsWhatIsReserved) {
  const auto study = training_step();
  const std::int64_t reserved =
      reserved_memory(*study, *study->current, AllocatorSettings()).reserved_bytes;
  EXPECT_EQ(of(*study, {}), (DeviceMemory{reserved, reserved}));
  EXPECT_EQ(of(*study, {{"context", "", 3, 5, false}}), (DeviceMemory{reserved + 3, reserved + 5}));
}

TEST(DeviceMemory, WorkspacesAreBlocksOfTheAllocatorForEachThread) {
  const auto study = training_step();
  const std::int64_t reserved = of(*study, {}).low_bytes;
  const std::int64_t block = 64 * mebibyte;
  EXPECT_EQ(of(*study, {{"cublas", "", 0, block, true}}),
            (DeviceMemory{reserved, reserved + 2 * block}))
      << "a large block has a segment of its own";

  test::ModelBuilder m;
  m.input("x", {1024}).node("Relu", {"x"}, {"y"}).output("y");
  Choices nothing_trains;
  nothing_trains.graph.goal.frozen = {"*"};
  const auto forward =
      compute_study(std::make_shared<const Graph>(m.build()), nothing_trains, nullptr, Progress());
  const std::int64_t without = of(*forward, {}).high_bytes;
  EXPECT_EQ(of(*forward, {{"cublas", "", 0, block, true}}).high_bytes, without + block);
}

TEST(DeviceMemory, ASmallerBlockMayReserveMore) {
  const auto study = training_step();
  // A block below 10 MiB takes a segment of 20 MiB.
  const std::vector<OtherMemory> others = {{"cublas", "", 9 * mebibyte, 12 * mebibyte, true}};
  const auto with = [&](std::int64_t bytes) {
    return of(*study, {{"cublas", "", bytes, bytes, true}}).low_bytes;
  };
  const auto [least, most] = std::minmax({with(9 * mebibyte), with(12 * mebibyte)});
  EXPECT_NE(least, most);
  EXPECT_EQ(of(*study, others), (DeviceMemory{least, most}));
}

TEST(DeviceMemory, AllCombinationsOfFiguresAreWithinTheResult) {
  const auto study = training_step();
  const std::vector<OtherMemory> others = {{"cublas", "", 6 * mebibyte, 14 * mebibyte, true},
                                           {"cublaslt", "", 0, 11 * mebibyte, true}};
  const DeviceMemory all = of(*study, others);
  std::vector<std::int64_t> seen;
  for (const std::int64_t one : {6, 14}) {
    for (const std::int64_t other : {0, 11}) {
      seen.push_back(of(*study, {{"", "", one * mebibyte, one * mebibyte, true},
                                 {"", "", other * mebibyte, other * mebibyte, true}})
                         .low_bytes);
    }
  }
  EXPECT_EQ(all, (DeviceMemory{std::ranges::min(seen), std::ranges::max(seen)}));
}

TEST(OtherMemory, FiguresAreChangedByName) {
  std::vector<OtherMemory> list = usual_other_memory();
  change_other_memory("context=400MiB", list);
  change_other_memory("nccl=1MiB:2MiB", list);
  const auto named = [&](const char* name) {
    return *std::ranges::find(list, name, &OtherMemory::name);
  };
  EXPECT_EQ(named("context").low_bytes, 400 * mebibyte);
  EXPECT_EQ(named("context").high_bytes, 400 * mebibyte);
  EXPECT_EQ(named("nccl").low_bytes, mebibyte);
  EXPECT_EQ(named("nccl").high_bytes, 2 * mebibyte);
  EXPECT_EQ(named("cublas").low_bytes, 8'519'680);
}

TEST(OtherMemory, WrongTextsAreRefused) {
  for (const char* const wrong : {"", "context", "contex=1MiB", "context=", "context=1MiB:",
                                  "context=2MiB:1MiB", "context=-1", "context=2PiB"}) {
    std::vector<OtherMemory> list = usual_other_memory();
    EXPECT_FALSE(test::refusal(ErrorKind::usage, [&] { change_other_memory(wrong, list); }).empty())
        << wrong;
  }
}

}  // namespace device_memory_test
}  // namespace stashscope
