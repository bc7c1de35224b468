#pragma once

#include <string>
#include <vector>

namespace stashscope {

/// A part that the program is made of.
struct PartVersion {
  std::string name;
  std::string version;
};

/// The libraries that the engine uses, and the devices it finds.
std::vector<PartVersion> part_versions();

}  // namespace stashscope
