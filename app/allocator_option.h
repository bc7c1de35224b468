#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "core/allocator/allocator_settings.h"
#include "core/study/choices/choices.h"

namespace stashscope::app {

/// The options for memory that PyTorch's allocator reserves.
struct AllocatorOptions {
  std::string allocator;         ///< `pytorch`, or `pytorch:` and its settings; empty: not given
  std::string fits = "tensors";  ///< what must fit a budget or a memory: tensors or reserved
  bool advises = false;          ///< whether other settings are tried
};

/// @param batch the option that all options declared here need
void add_allocator_options(CLI::App& program, AllocatorOptions& options, CLI::Option* batch);

/// The settings that are asked for; nothing if no option is about reserved memory. Throws a usage
/// Error for settings that cannot be read.
std::optional<AllocatorSettings> allocator_of(const AllocatorOptions& options);

/// The same; without --allocator, the settings of the choices, which a session keeps.
std::optional<AllocatorSettings> allocator_of(const AllocatorOptions& options,
                                              const Choices& choices);

/// Whether budgets and memories must hold the reserved memory and not only the tensors.
bool fits_reserved(const AllocatorOptions& options);

}  // namespace stashscope::app
