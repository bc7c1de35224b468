#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/allocator/pool_settings.h"
#include "core/study/choices/choices.h"
#include "core/study/reserved/device_memory.h"

namespace stashscope::app {

/// The options for memory that an allocator reserves.
struct AllocatorOptions {
  /// `none`, `pytorch[:SETTINGS]` or `cuda_pool[:SETTINGS]`; empty: not given
  std::string allocator;
  /// The memory that --budget and --fit limit: tensors, reserved or device.
  std::string fits = "tensors";
  bool advises = false;             ///< whether other settings are tried
  std::vector<std::string> others;  ///< changes of the figures of `usual_other_memory`
};

/// @param batch the option that all options declared here need, except --advise-allocator
void add_allocator_options(CLI::App& program, AllocatorOptions& options, CLI::Option* batch);

/// Throws a usage Error for faults that do not depend on the model: an allocator, settings or
/// figures that are not known, and --fits reserved or device with a pool of CUDA or with
/// --allocator none.
void check_allocator(const AllocatorOptions& options);

/// The settings of the pool of CUDA if the options name one. Throws a usage Error for settings that
/// are not known.
std::optional<PoolSettings> pool_settings(const AllocatorOptions& options);

/// Throws a usage Error if the options name a pool of CUDA.
/// @param other an option that knows only PyTorch's allocator
void refuse_pool(const AllocatorOptions& options, const std::string& other);

/// Puts the allocator of the options into the choices. With a pool of CUDA or `none`, the choices
/// have no allocator. Without --allocator, they keep theirs; for --fits reserved or device, they
/// get PyTorch's allocator with its default settings if they have none. Throws a usage Error for
/// settings that are not known, and for --other-memory without an allocator.
void choose_allocator(const AllocatorOptions& options, Choices& choices);

/// The figures for memory outside tensors, with the changes of the options. Throws a usage Error
/// for a figure that cannot be read.
std::vector<OtherMemory> other_memory(const AllocatorOptions& options);

/// What --budget and --fit limit instead of the tensors: the memory that an allocator reserves for
/// them.
struct ReservedLimit {
  AllocatorSettings allocator;
  bool holds_others = false;  ///< whether memory of the device outside tensors counts, too
  std::vector<OtherMemory> others;
};

/// Whether --fits makes --budget and --fit limit reserved memory instead of the tensors.
bool limits_reserved(const AllocatorOptions& options);
/// Nothing if --budget and --fit limit only the tensors.
/// @param choices after `choose_allocator`
std::optional<ReservedLimit> reserved_limit(const AllocatorOptions& options,
                                            const Choices& choices);

}  // namespace stashscope::app
