#include "app/fit.h"

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope::app {

namespace {

std::int64_t memory_of(const BatchOptions& options, const Choices& choices) {
  if (options.memory.empty()) {
    if (choices.profile.memory_bytes > 0) return choices.profile.memory_bytes;
    fail_usage("--fit", "the profile says nothing of memory", "give it with --memory SIZE");
  }
  try {
    const std::int64_t bytes = parse_bytes(options.memory);
    if (bytes == 0) fail_usage("", "nothing fits into no memory", "give more than 0");
    return bytes;
  } catch (const Error& error) {
    throw error.within("--memory");
  }
}

/// What is looked for cannot be given. Those of a session are only where its study is.
void check_not_given(const AnalysisOptions& analysis, const std::vector<Dimension>& dimensions) {
  Choices given;
  AnalysisOptions only_dims;
  only_dims.dims = analysis.dims;
  apply_options(only_dims, given);
  for (const auto& [pattern, value] : given.dims) {
    for (const Dimension& each : dimensions) {
      if (!covers(pattern, each)) continue;
      const std::string dim = printable(pattern) + "=" + std::to_string(value);
      fail_usage("--fit", "looks for '" + printable(each.name) + "', which --dim " + dim + " gives",
                 "drop that --dim");
    }
  }
}

}  // namespace

std::optional<LargestFit> asked_fit(const AnalysisOptions& analysis, const BatchOptions& options,
                                    const Study& study) {
  if (options.fit.empty()) return std::nullopt;
  FitQuestion question = parse_fit(options.fit);
  question.memory_bytes = memory_of(options, study.choices);
  check_not_given(analysis, fit_dimensions(study, question));
  return largest_fit(study, question, Progress());
}

}  // namespace stashscope::app
