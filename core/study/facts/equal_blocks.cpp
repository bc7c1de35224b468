#include "core/study/facts/equal_blocks.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/graph/node_path.h"

namespace stashscope {

namespace {

void add_to(ModuleMemory& sum, const ModuleMemory& module) {
  sum.peak_bytes += module.peak_bytes;
  sum.stashed_bytes += module.stashed_bytes;
  sum.stashed_at_peak += module.stashed_at_peak;
  sum.seconds += module.seconds;
}

/// The sum of the formulas. Equal formulas are written once, with a factor: `12*(2*N*S)`.
std::string sum_of_formulas(const std::vector<ModuleMemory>& modules) {
  std::map<std::string, std::size_t> counts;
  for (const ModuleMemory& each : modules) ++counts[each.symbolic];
  std::vector<std::string> parts;
  for (const auto& [formula, count] : counts) {
    if (formula == "0") continue;
    parts.push_back(count == 1 ? formula : std::to_string(count) + "*(" + formula + ")");
  }
  return parts.empty() ? "0" : join(parts, " + ");
}

ModuleGroup group_of(const std::string& pattern, std::vector<ModuleMemory> modules) {
  if (modules.size() == 1) return {modules.front(), std::move(modules)};
  ModuleMemory sum;
  sum.module = pattern;
  sum.is_rest = modules.front().is_rest;
  for (const ModuleMemory& each : modules) add_to(sum, each);
  sum.symbolic = sum_of_formulas(modules);
  return {std::move(sum), std::move(modules)};
}

}  // namespace

std::vector<ModuleGroup> module_groups(std::vector<ModuleMemory> modules) {
  using Key = std::pair<std::string, bool>;
  std::vector<Key> keys;
  std::map<Key, std::vector<ModuleMemory>> members;
  for (ModuleMemory& each : modules) {
    Key key = {block_pattern(each.module), each.is_rest};
    std::vector<ModuleMemory>& same = members[key];
    if (same.empty()) keys.push_back(std::move(key));
    same.push_back(std::move(each));
  }
  std::vector<ModuleGroup> groups;
  groups.reserve(keys.size());
  for (const Key& key : keys) groups.push_back(group_of(key.first, std::move(members[key])));
  std::ranges::stable_sort(groups, std::greater(),
                           [](const ModuleGroup& group) { return group.sum.peak_bytes; });
  return groups;
}

}  // namespace stashscope
