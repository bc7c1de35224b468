#pragma once

#include <string>
#include <vector>

namespace stashscope {

/// A library or device, with its version.
struct PartVersion {
  std::string name;
  std::string version;
};

/// The libraries that the engine uses, and the devices that it finds.
std::vector<PartVersion> part_versions();

}  // namespace stashscope
