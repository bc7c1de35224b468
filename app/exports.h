#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/allocator/allocator_settings.h"
#include "core/study/arena/step_arena.h"
#include "core/study/files/overwrite_guard.h"
#include "core/study/step/study.h"

namespace stashscope::app {

/// Files of the predicted step for other programs; an empty path means no file.
struct ExportOptions {
  std::string snapshot;
  std::string snapshot_at = "end";  ///< end or peak
  std::string perfetto;
  std::string node_data;
  std::string csv;
  std::string arena;
};

/// @param batch the option that all options declared here need
void add_export_options(CLI::App& program, ExportOptions& options, CLI::Option* batch);

/// The paths of all files, including the second files that --export-csv and --export-node-data
/// write.
std::vector<std::string> export_paths(const ExportOptions& options);

/// Throws a usage Error if a file would overwrite an input or another output.
void claim_exports(const ExportOptions& options, OverwriteGuard& files);

/// @param allocator not set: the CSV file and the Perfetto trace have no reserved bytes, and the
/// snapshot is made with PyTorch's default settings
/// @param arena the arena of the current variant; not null if `options.arena` names a file. If it
/// holds a failure instead of an arena, throws the failure after the other files are written.
void write_exports(const ExportOptions& options, const Study& study,
                   const std::optional<AllocatorSettings>& allocator, const FoundArena* arena);

}  // namespace stashscope::app
