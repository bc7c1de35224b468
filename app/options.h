#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/search_limit.h"
#include "core/study/files/loaded_model.h"

namespace stashscope::app {

/// The options for the model and the choices, which `stashscope` and `stashscope-run` share.
struct AnalysisOptions {
  std::string file;  ///< model or session
  std::vector<std::string> dims;
  std::string reference;  ///< name of a version of ONNX Runtime
  std::string recompute_search;
  std::vector<std::string> plans;
  std::vector<std::string> pinned;
  std::vector<std::string> modules;  ///< modules whose outputs are recomputed
  int level = -1;                    ///< -1: not given
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
  std::optional<double> transfer_bandwidth;  ///< in 1e9 bytes per second
  std::optional<bool> overlaps_transfers;
  std::string host_memory;          ///< such as 64GiB; none: no limit; empty: not given
  std::string device_memory;        ///< such as 24GiB; empty: not given
  std::optional<double> keep_free;  ///< percent of the device's memory
  std::string optimizer;
  bool master_weights = false;
  bool release_gradients = false;
  std::vector<std::string> passes;
  std::string precision;
  std::vector<std::string> what_ifs;  ///< NAME=VALUE
  std::string gradient_type;
  std::string measurement;  ///< file with a measurement of the step; only in `stashscope`
};

/// Declares the options; `file` is a positional argument.
void add_analysis_options(CLI::App& program, AnalysisOptions& options);

/// Applies the options to choices. Throws a usage Error for an invalid value.
void apply_options(const AnalysisOptions& options, Choices& choices);

/// Loads the file that the options name and applies the options. Throws an input or usage Error.
LoadedModel load_model_or_session(const AnalysisOptions& options);

/// Checks of numbers in options. Each function returns an error text, which is empty for a valid
/// number.
std::string finite_and_not_negative(const std::string& text);
std::string whole_and_not_negative(const std::string& text);

/// Declares and returns the options that limit searches.
std::vector<CLI::Option*> add_limit_options(CLI::App& program, SearchLimit& limit);

/// Throws a usage Error for a search that would never end.
void check_limit(const SearchLimit& limit);

/// Returns the result of `read`. If `read` throws an Error, adds the option's name to the Error.
template <class Read>
auto read_option(const std::string& option, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw error.within(option);
  }
}

/// Parses a number of bytes above 0, such as `12GiB`. Throws a usage Error that names the option.
std::int64_t memory_in(const std::string& option, const std::string& text);

/// A warning about a size below 1 MiB that is written without a unit, such as `24` for 24 bytes.
/// Empty for any other text.
std::vector<std::string> warnings_of_size(const std::string& option, const std::string& text);

/// Parses the command line. Returns the exit code if the program must end (after --help, --version
/// or a usage error), else nothing.
std::optional<int> parse_command_line(CLI::App& program, int argc, char** argv);

/// Flushes standard output. Throws a run Error if it cannot be written. A closed pipe is not an
/// error, because the reader of the pipe needs no more output.
void flush_output();

/// Thrown when the reader of standard output has closed it and nothing is left to do.
struct OutputClosed {};

/// Runs `body` and turns errors into one line on standard error and an exit code; OutputClosed ends
/// the program quietly.
int guarded(const char* program, const std::function<int()>& body);

/// Prints one line per warning on standard error.
void print_warnings(const char* program, const std::vector<std::string>& warnings);

/// Like print_warnings, but prints only the first eight and the number of further warnings, because
/// a model may have many warnings of one kind.
/// @param all the options that list all warnings, such as `--format json`
void print_first_warnings(const char* program, const std::vector<std::string>& warnings,
                          const std::string& all);

}  // namespace stashscope::app
