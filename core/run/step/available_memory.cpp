#include "core/run/step/available_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "core/base/text.h"
#include "core/run/step/runner.h"

namespace stashscope {

namespace {

constexpr std::int64_t unlimited = std::int64_t{1} << 60;

std::int64_t system_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::int64_t kibibytes = 0;
  std::string unit;
  while (file >> name >> kibibytes) {
    if (name == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, unit);
  }
  return unlimited;
}

/// Address space that libraries take for code that they generate, for scratch memory and for the
/// stacks of their threads. Libraries fail without it.
constexpr std::int64_t reserved_for_libraries = std::int64_t{48} << 20;

std::int64_t address_space() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::int64_t used = pages * ::sysconf(_SC_PAGESIZE);
  const std::int64_t taken = used + reserved_for_libraries;
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(limit.rlim_cur) - taken);
}

}  // namespace

std::int64_t available_memory() { return std::min(system_memory(), address_space()); }

void require_memory(std::int64_t wanted) {
  const std::int64_t available = available_memory();
  if (wanted <= available) return;
  throw OutOfMemory("",
                    "the step is predicted to need " + format_bytes(wanted) +
                        " of memory, but only " + format_bytes(available) + " are available",
                    available,
                    address_space() == available
                        ? "choose smaller dimensions, or raise the limit of the address space"
                        : "choose smaller dimensions");
}

}  // namespace stashscope
