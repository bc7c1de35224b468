#include "app/allocator_option.h"

#include "app/options.h"
#include "core/base/error.h"

namespace stashscope::app {

void add_allocator_options(CLI::App& program, AllocatorOptions& options, CLI::Option* batch) {
  program
      .add_option("--allocator", options.allocator,
                  "also state the memory that this allocator reserves: pytorch, or "
                  "pytorch:SETTING=VALUE,... as in PYTORCH_CUDA_ALLOC_CONF")
      ->type_name("NAME")
      ->needs(batch);
  program
      .add_option("--fits", options.fits,
                  "what --budget and --fit hold below their limit: tensors (the default) or "
                  "reserved memory")
      ->check(CLI::IsMember({"tensors", "reserved"}))
      ->needs(batch);
  program
      .add_flag("--advise-allocator", options.advises,
                "state what other settings of PyTorch's allocator would reserve, and why")
      ->needs(batch);
}

std::optional<AllocatorSettings> allocator_of(const AllocatorOptions& options) {
  constexpr std::string_view name = "pytorch";
  const std::string& text = options.allocator;
  if (text.empty()) {
    return fits_reserved(options) ? std::optional(AllocatorSettings()) : std::nullopt;
  }
  const std::string rest = text.starts_with(name) ? text.substr(name.size()) : ".";
  if (!rest.empty() && rest[0] != ':') {
    fail_usage("--allocator " + printable(text), "is not known",
               "write pytorch or pytorch:SETTING=VALUE,...");
  }
  return read_option("--allocator", [&] {
    return parse_allocator_settings(rest.empty() ? rest : rest.substr(1));
  });
}

std::optional<AllocatorSettings> allocator_of(const AllocatorOptions& options,
                                              const Choices& choices) {
  const bool is_kept = options.allocator.empty() && choices.allocator;
  return is_kept ? parse_allocator_settings(*choices.allocator) : allocator_of(options);
}

bool fits_reserved(const AllocatorOptions& options) { return options.fits == "reserved"; }

}  // namespace stashscope::app
