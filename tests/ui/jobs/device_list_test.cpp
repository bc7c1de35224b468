// Devices are looked for beside the window, and another machine's are not those of this computer.

#include "ui/jobs/device_list.h"
#include "core/run/devices/devices.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <future>
#include <thread>

#include "tests/ui/support/samples.h"

namespace stashscope::ui::test {
namespace device_list_test {

const std::vector<DeviceInfo> one_gpu = {{"cpu", "processor", true}, {"cuda:0", "a GPU", true}};

TEST(Devices, AreLookedForOnAnotherThread) {
  std::promise<void> driver;
  std::thread::id looked_on;
  DeviceList devices([&] {
    driver.get_future().wait();
    looked_on = std::this_thread::get_id();
    return one_gpu;
  });
  const QSignalSpy changes(&devices, &DeviceList::changed);
  EXPECT_TRUE(devices.all().empty()) << "nobody waits for the driver";
  EXPECT_EQ(devices.meant_by("cpu"), nullptr);
  driver.set_value();
  ASSERT_TRUE(comes_true([&] { return changes.count() == 1; }));
  EXPECT_NE(looked_on, std::this_thread::get_id());
  ASSERT_NE(devices.meant_by("cuda"), nullptr);
  EXPECT_EQ(devices.meant_by("cuda")->name, "cuda:0");
  EXPECT_EQ(devices.meant_by("cuda:1"), nullptr);
}

TEST(Devices, OfAnotherMachineMayBeAnyOfIts) {
  DeviceList devices([] { return one_gpu; });
  const QSignalSpy changes(&devices, &DeviceList::changed);
  devices.set_remote(true);
  EXPECT_EQ(changes.count(), 1);
  for (const char* const name : {"cpu", "cuda:0", "cuda:1", "cuda:7"}) {
    ASSERT_NE(devices.meant_by(name), nullptr) << name;
    EXPECT_EQ(devices.meant_by(name)->name, name);
    EXPECT_TRUE(devices.meant_by(name)->available) << name;
  }
  EXPECT_EQ(devices.meant_by("cuda")->name, "cuda:0");
  ASSERT_TRUE(comes_true([&] { return devices.here().size() == one_gpu.size(); }));
  EXPECT_EQ(devices.here().back().name, "cuda:0") << "this computer's stay known";
  EXPECT_EQ(devices.meant_by("cuda:7")->name, "cuda:7");
  devices.set_remote(false);
  EXPECT_TRUE(comes_true([&] { return devices.all().size() == one_gpu.size(); }));
}

}  // namespace device_list_test
}  // namespace stashscope::ui::test
