#include <string_view>

#include "core/base/error.h"
#include "core/run/cpu/cpu_runner.h"
#include "core/run/runner.h"

namespace stashscope {

namespace {

/// `cuda` or `cuda:N`
bool names_cuda(const std::string& device) {
  constexpr std::string_view name = "cuda";
  if (!device.starts_with(name)) return false;
  const std::string rest = device.substr(name.size());
  if (rest.empty()) return true;
  return rest.size() > 1 && rest.size() <= 4 && rest[0] == ':' &&
         rest.find_first_not_of("0123456789", 1) == std::string::npos;
}

[[noreturn]] void fail_unknown(const std::string& device) {
  fail_usage("device '" + printable(device) + "'", "is not known", "choose none, cpu or cuda[:N]");
}

}  // namespace

void check_device_name(const std::string& device) {
  if (device != "none" && device != "cpu" && !names_cuda(device)) fail_unknown(device);
}

std::unique_ptr<Runner> make_runner(const std::string& device) {
  check_device_name(device);
  if (device == "cpu") return std::make_unique<cpu::CpuRunner>();
  for (const DeviceInfo& info : list_devices()) {
    const bool meant = info.name == device || device.starts_with(info.name + ":");
    if (meant && !info.available) fail_run("device '" + device + "'", info.description);
  }
  fail_unknown(device);
}

std::vector<DeviceInfo> list_devices() {
  return {{"cpu", "this computer's processor", true},
          {"cuda", "this version runs graphs on the processor only", false}};
}

}  // namespace stashscope
