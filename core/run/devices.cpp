#include "core/base/error.h"
#include "core/run/cpu/cpu_runner.h"
#include "core/run/runner.h"

namespace stashscope {

std::unique_ptr<Runner> make_runner(const std::string& device) {
  if (device == "cpu") return std::make_unique<cpu::CpuRunner>();
  for (const DeviceInfo& info : list_devices()) {
    const bool meant = info.name == device || device.starts_with(info.name + ":");
    if (meant && !info.available) fail_run("device '" + device + "'", info.description);
  }
  fail_usage("device '" + printable(device) + "'", "is not known", "choose none, cpu or cuda[:N]");
}

std::vector<DeviceInfo> list_devices() {
  return {{"cpu", "this computer's processor", true},
          {"cuda", "this version runs graphs on the processor only", false}};
}

}  // namespace stashscope
