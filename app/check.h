#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/report/check/limit_check.h"
#include "core/study/files/overwrite_guard.h"
#include "core/study/step/study.h"

namespace stashscope::app {

struct CheckOptions {
  std::string limits;  ///< file with limits; empty: no check
  std::string markdown;
  std::string junit;
  std::string save_baseline;
};

/// @param batch the option that all options declared here need
void add_check_options(CLI::App& program, CheckOptions& options, CLI::Option* batch);

/// The limits of a check, and the record to which limits of growth refer.
struct Check {
  MemoryLimits limits;
  std::optional<MemoryRecord> baseline;
};

/// Reads the files of a check; nothing if none is asked for. Throws an input Error that names the
/// file.
std::optional<Check> read_check(const CheckOptions& options);

/// Claims the files that a check writes. Throws a usage Error if one of them is an input or another
/// output.
void claim_check_outputs(const CheckOptions& options, const std::optional<Check>& check,
                         OverwriteGuard& files);

/// Checks the study, writes the files that are asked for, and prints the result: as JSON if
/// `format` is `json`, else as Markdown. Without a check, only writes the baseline if it is asked
/// for. Returns the exit code.
int run_check(const CheckOptions& options, const std::optional<Check>& check, const Study& study,
              const AllocatorSettings& allocator, const std::string& model,
              const std::string& format);

}  // namespace stashscope::app
