#include "app/allocator_option.h"

#include "app/options.h"
#include "core/allocator/allocator_settings.h"
#include "core/base/error.h"

namespace stashscope::app {

void add_allocator_options(CLI::App& program, AllocatorOptions& options, CLI::Option* batch) {
  program
      .add_option("--allocator", options.allocator,
                  "also state the memory that this allocator reserves: pytorch, "
                  "pytorch:SETTING=VALUE,... as in PYTORCH_CUDA_ALLOC_CONF, or none (default: "
                  "that of the session)")
      ->type_name("NAME")
      ->needs(batch);
  program
      .add_option("--fits", options.fits,
                  "what --budget and --fit hold below their limit: tensors (the default) or "
                  "reserved memory")
      ->check(CLI::IsMember({"tensors", "reserved"}))
      ->needs(batch);
  program
      .add_option("--other-memory", options.others,
                  "memory of the device outside tensors, stated with reserved memory: context, "
                  "cublas, cublaslt, nccl or other, such as context=400MiB or nccl=1GiB:2GiB; may "
                  "be repeated")
      ->type_name("NAME=LOW[:HIGH]")
      ->allow_extra_args(false)
      ->needs(batch);
  program.add_flag("--advise-allocator", options.advises,
                   "state what other settings of PyTorch's allocator would reserve, and why; with "
                   "--batch or --replay");
}

namespace {

/// @param text `pytorch`, or `pytorch:` and its settings
AllocatorSettings settings_in(const std::string& text) {
  constexpr std::string_view name = "pytorch";
  const std::string rest = text.starts_with(name) ? text.substr(name.size()) : ".";
  if (!rest.empty() && rest[0] != ':') {
    fail_usage("--allocator " + printable(text), "is not known",
               "write pytorch, pytorch:SETTING=VALUE,... or none");
  }
  return read_option("--allocator", [&] {
    return parse_allocator_settings(rest.empty() ? rest : rest.substr(1));
  });
}

}  // namespace

void check_allocator(const AllocatorOptions& options) {
  other_memory(options);
  if (options.allocator.empty()) return;
  if (options.allocator != "none") {
    settings_in(options.allocator);
  } else if (fits_reserved(options)) {
    fail_usage("--allocator none", "cannot be used with --fits reserved", "leave one of them out");
  }
}

void choose_allocator(const AllocatorOptions& options, Choices& choices) {
  if (options.allocator == "none") {
    choices.allocator.reset();
  } else if (!options.allocator.empty()) {
    choices.allocator = to_string(settings_in(options.allocator));
  } else if (fits_reserved(options) && !choices.allocator) {
    choices.allocator.emplace();
  }
  if (!options.others.empty() && !choices.allocator) {
    fail_usage("--other-memory", "is reported only with reserved memory",
               "add --allocator pytorch");
  }
}

std::vector<OtherMemory> other_memory(const AllocatorOptions& options) {
  std::vector<OtherMemory> list = usual_other_memory();
  read_option("--other-memory", [&] {
    for (const std::string& each : options.others) change_other_memory(each, list);
  });
  return list;
}

bool fits_reserved(const AllocatorOptions& options) { return options.fits == "reserved"; }

}  // namespace stashscope::app
