#pragma once

#include <nlohmann/json.hpp>

#include "core/report/page/limits.h"
#include "core/study/facts/module_memory.h"

namespace stashscope {

/// The tensors of the current step for the page's script.
struct PageTensors {
  /// Columns with one entry for each band that a tensor belongs to over its life: `shared` and
  /// `name` (the whole name is the first `shared` UTF-16 units of the previous name, then `name`),
  /// `bytes`, `first` and `last` (slots), `band`, `module` (a row of the table of modules or -1),
  /// and `group` with one column per grouping.
  nlohmann::json columns;
  /// By grouping, the columns `name`, `parent` and `band` (-1: several) of the groups. Group 0 is
  /// the root; parents come before their children.
  nlohmann::json trees;
  /// Whether the page has all tensors of the step. If not, it has only the tensors alive at the
  /// peak. The smallest of these, for which there is no room, are then summed by group.
  bool is_complete = true;
  /// Whether the page has all groups. If not, the outer groups hold the tensors of the groups that
  /// were left out.
  bool has_all_groups = true;
  std::size_t summed = 0;  ///< number of tensors that are summed by group
  /// The entries of each buffer, one for each band over its life; empty: the buffer has no entry of
  /// its own.
  IdVector<BufferId, std::vector<std::size_t>> entries_of;
};

/// @param homes the result of `tensor_homes` for the current variant
/// @param modules the rows of the table of modules
PageTensors page_tensors(const Study& study, const TensorHomes& homes,
                         const std::vector<ModuleMemory>& modules, const PageLimits& limits);

}  // namespace stashscope
