#pragma once

#include <string>
#include <vector>

namespace stashscope {

/// A library that the program is linked with.
struct PartVersion {
  std::string name;
  std::string version;
};

/// The main libraries of the engine, as the about box and the HTML report name them.
std::vector<PartVersion> part_versions();

}  // namespace stashscope
