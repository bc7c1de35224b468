#pragma once

#include <string>
#include <string_view>

#include "core/study/facts/module_memory.h"

namespace stashscope {

/// Whether modules whose names differ only in numbers count as one.
enum class EqualBlocks : std::uint8_t { apart, summed };

/// The name that equal blocks share: `h.*.attn` for `h.11.attn`. A number is a whole part of the
/// name between dots.
std::string block_pattern(std::string_view module);

/// Modules whose names differ only in numbers, with their sum.
struct ModuleGroup {
  ModuleMemory sum;                   ///< named after the pattern; a single module: itself
  std::vector<ModuleMemory> modules;  ///< at least one, largest first
};

/// The modules in groups, by descending bytes at the peak. Modules that are only the rest around
/// other modules (`is_rest`) are in groups of their own.
/// @param modules of `module_memory`
std::vector<ModuleGroup> module_groups(std::vector<ModuleMemory> modules);

}  // namespace stashscope
