#pragma once

#include <string>
#include <vector>

namespace stashscope {

/// A library that the program is linked with.
struct PartVersion {
  std::string name;
  std::string version;
};

/// The libraries that the engine uses.
std::vector<PartVersion> part_versions();

}  // namespace stashscope
