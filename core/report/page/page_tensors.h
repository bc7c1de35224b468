#pragma once

#include <nlohmann/json.hpp>

#include "core/report/page/limits.h"
#include "core/study/facts/module_memory.h"

namespace stashscope {

/// The tensors of the current step for the page's script.
struct PageTensors {
  /// Columns with one entry per tensor: `shared` and `name` (the first `shared` UTF-16 units of the
  /// previous name, then `name`), `bytes`, `first` and `last` (slots), `band`, `module` (a row of
  /// the table of modules or -1), and `group` with one column per grouping.
  nlohmann::json columns;
  /// By grouping, the columns `name`, `parent` and `band` (-1: several) of the groups. Group 0 is
  /// the root; parents come before their children.
  nlohmann::json trees;
  /// Whether all tensors of the step are there. If not: those alive at the peak, of which the
  /// smallest are summed by group.
  bool is_complete = true;
  std::size_t summed = 0;                    ///< tensors that stand in no entry of their own
  IdVector<BufferId, std::size_t> entry_of;  ///< `no_entry`: the buffer has no entry of its own
  static constexpr std::size_t no_entry = static_cast<std::size_t>(-1);
};

/// @param modules the rows of the table of modules @param homes of the current variant
PageTensors page_tensors(const Study& study, const TensorHomes& homes,
                         const std::vector<ModuleMemory>& modules, const PageLimits& limits);

}  // namespace stashscope
