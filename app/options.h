#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/schedule/tasks/search_limit.h"
#include "core/study/files/loaded_model.h"
#include "core/study/step/study.h"

namespace stashscope::app {

/// The options by which all programs are told what to analyse.
struct AnalysisOptions {
  std::string file;  ///< model or session
  std::vector<std::string> dims;
  std::string recompute_search;
  std::vector<std::string> plans;
  std::vector<std::string> pinned;
  int level = -1;  ///< -1: not given
  std::string order;
  std::string fusion;
  std::vector<std::string> splits;
  std::vector<std::string> no_merges;
  std::string device;
  std::string loss;
  std::vector<std::string> trainable;
  std::vector<std::string> frozen;
  bool newer_versions = false;
  std::vector<std::string> recomputable;
  std::string compress_to;
  std::string profile;                       ///< name or file
  std::optional<double> transfer_bandwidth;  ///< 1e9 bytes per second
  std::string optimizer;
  bool master_weights = false;
  bool release_gradients = false;
  std::vector<std::string> passes;
  std::string precision;
};

/// Declares the options; `file` is a positional argument.
void add_analysis_options(CLI::App& program, AnalysisOptions& options);

/// One line for each order that can be chosen.
std::string order_list();

/// One line for each fusion strategy.
std::string fusion_list();

/// One line for each pass that can be chosen.
std::string pass_list();

/// Changes choices as the options ask. Throws a usage Error.
void apply_options(const AnalysisOptions& options, Choices& choices);

/// Loads the file that the options name, with the options applied. Throws an input or usage Error.
LoadedModel load_model_or_session(const AnalysisOptions& options);

/// The study of a loaded; errors about the model name its file.
std::shared_ptr<const Study> study_of(const LoadedModel& loaded);

/// Prints what can be given as --optimizer.
int print_optimizers();

/// Prints what can be given as --profile.
int print_profiles();

/// Declares how long searches may go on; returns the options.
std::vector<CLI::Option*> add_limit_options(CLI::App& program, SearchLimit& limit);

/// Throws a usage Error for a search that would never end.
void check_limit(const SearchLimit& limit);

/// Bytes above 0, as people write them. Throws a usage Error that names the option.
std::int64_t memory_in(const std::string& option, const std::string& text);

/// Parses the command line. Returns the exit code when the program is to end (after --help or with
/// the usage error already printed), else nothing.
std::optional<int> parse_command_line(CLI::App& program, int argc, char** argv);

/// Brings out what is held back of standard output. Throws a run Error when it cannot be written; a
/// reader that has gone away wanted no more.
void flush_output();

/// Runs `body` and turns errors into one line on standard error and an exit code.
int guarded(const char* program, const std::function<int()>& body);

/// One line on standard error for each.
void print_warnings(const char* program, const std::vector<std::string>& warnings);

}  // namespace stashscope::app
