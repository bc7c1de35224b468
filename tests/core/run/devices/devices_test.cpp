// The device that a name means.

#include <gtest/gtest.h>

#include "core/run/devices/devices.h"
#include "core/run/step/runner.h"

namespace stashscope {
namespace devices_test {

std::string meant(const std::vector<DeviceInfo>& devices, const std::string& name) {
  const DeviceInfo* const found = device_meant(devices, name);
  return found == nullptr ? "nothing" : found->name;
}

TEST(Devices, AreMeantByTheirNames) {
  const std::vector<DeviceInfo> two = {
      {"cpu", "", true}, {"cuda:0", "", true}, {"cuda:1", "", true}};
  EXPECT_EQ(meant(two, "none"), "cpu");
  EXPECT_EQ(meant(two, "cpu"), "cpu");
  EXPECT_EQ(meant(two, "cuda"), "cuda:0");
  EXPECT_EQ(meant(two, "cuda:1"), "cuda:1");
  EXPECT_EQ(meant(two, "cuda:2"), "nothing");
  EXPECT_EQ(meant(two, "abacus"), "nothing");
}

TEST(Devices, WithoutAGpuAllGpusAreTheEntryThatSaysWhy) {
  const std::vector<DeviceInfo> none = {{"cpu", "", true}, {"cuda", "no driver", false}};
  EXPECT_EQ(meant(none, "cuda"), "cuda");
  EXPECT_EQ(meant(none, "cuda:1"), "cuda");
  EXPECT_EQ(meant(none, "none"), "cpu");
}

TEST(Devices, TheFirstOneIsThisComputersProcessor) {
  const std::vector<DeviceInfo> all = list_devices();
  ASSERT_GE(all.size(), 2U);
  EXPECT_EQ(all.front().name, "cpu");
  EXPECT_TRUE(all.front().available);
  for (const DeviceInfo& each : all) EXPECT_FALSE(each.description.empty()) << each.name;
}

}  // namespace devices_test
}  // namespace stashscope
