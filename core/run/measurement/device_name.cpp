#include "core/run/measurement/device_name.h"

#include <string_view>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

bool names_cuda(const std::string& device) {
  constexpr std::string_view name = "cuda";
  if (!device.starts_with(name)) return false;
  const std::string rest = device.substr(name.size());
  if (rest.empty()) return true;
  return rest.size() > 1 && rest.size() <= 4 && rest[0] == ':' &&
         rest.find_first_not_of("0123456789", 1) == std::string::npos;
}

void check_device_name(const std::string& device) {
  if (device == "none" || device == "cpu" || names_cuda(device)) return;
  fail_usage("device '" + printable(device) + "'", "is not known", "choose none, cpu or cuda[:N]");
}

}  // namespace stashscope
