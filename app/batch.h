#pragma once

#include <string>

#include "app/options.h"

namespace stashscope::app {

/// What a run without a window writes.
struct BatchOptions {
  std::string format = "text";
  std::string out;
  std::string save_model;
  std::string save_session;
  std::string export_env;
  std::string svg;
  std::string fit;     ///< [LABEL=]NAME[,NAME...]
  std::string memory;  ///< a size; empty: that of the profile
};

/// Analyses, runs when a device is given, writes what is asked for. Returns 0 or throws.
int run_batch(const AnalysisOptions& analysis, const BatchOptions& options);

}  // namespace stashscope::app
