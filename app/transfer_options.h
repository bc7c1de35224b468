#pragma once

#include "app/options.h"

namespace stashscope::app {

/// Declares the options for tensors that are offloaded to the host.
void add_transfer_options(CLI::App& program, AnalysisOptions& options);

/// Applies these options to choices. Throws a usage Error for an invalid value.
void apply_transfer_options(const AnalysisOptions& options, Choices& choices);

}  // namespace stashscope::app
