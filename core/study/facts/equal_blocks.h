#pragma once

#include <string>

#include "core/study/facts/module_memory.h"

namespace stashscope {

/// Whether modules whose names differ only in numbers are counted as one module.
enum class EqualBlocks : std::uint8_t { apart, summed };

/// Modules whose names differ only in numbers, with the sums of their figures.
struct ModuleGroup {
  /// The sums. The name is the pattern of the modules' names, or the name of the module if there is
  /// only one.
  ModuleMemory sum;
  std::vector<ModuleMemory> modules;  ///< at least one, largest first
};

/// The modules in groups, by descending bytes at the peak. A row that counts only the part of a
/// module outside of its inner modules (`is_rest`) never shares a group with a row that counts a
/// whole module.
/// @param modules from `module_memory`
std::vector<ModuleGroup> module_groups(std::vector<ModuleMemory> modules);

}  // namespace stashscope
