#include "app/allocator_option.h"

#include "app/options.h"
#include "core/allocator/allocator_settings.h"
#include "core/base/error.h"

namespace stashscope::app {

void add_allocator_options(CLI::App& program, AllocatorOptions& options, CLI::Option* batch) {
  program
      .add_option("--allocator", options.allocator,
                  "also state the memory that this allocator reserves: pytorch, "
                  "pytorch:SETTING=VALUE,... as in PYTORCH_CUDA_ALLOC_CONF, cuda_pool for a "
                  "stream-ordered pool of CUDA, cuda_pool:release_threshold=BYTES,"
                  "granularity=BYTES, or none (default: that of the session)")
      ->type_name("NAME")
      ->needs(batch);
  program
      .add_option(
          "--fits", options.fits,
          "memory that --budget and --fit limit: tensors (the default), reserved (what the "
          "allocator reserves for them), or device (reserved memory and --other-memory together)")
      ->check(CLI::IsMember({"tensors", "reserved", "device"}))
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

constexpr std::string_view pytorch_name = "pytorch";
constexpr std::string_view pool_name = "cuda_pool";

/// The settings in a text of the form `NAME` or `NAME:SETTINGS`, where NAME is `name`; empty for
/// the first form. Nothing if the text names another allocator.
std::optional<std::string> settings_of(std::string_view name, const std::string& text) {
  if (!text.starts_with(name)) return std::nullopt;
  const std::string rest = text.substr(name.size());
  if (rest.empty()) return rest;
  return rest[0] == ':' ? std::optional(rest.substr(1)) : std::nullopt;
}

/// Throws a usage Error if the text does not name PyTorch's allocator, or for settings that are not
/// known.
AllocatorSettings pytorch_settings(const std::string& text) {
  const auto settings = settings_of(pytorch_name, text);
  if (!settings) {
    fail_usage("--allocator " + printable(text), "is not known",
               "write pytorch, pytorch:SETTING=VALUE,..., cuda_pool, cuda_pool:SETTING=BYTES,... "
               "or none");
  }
  return read_option("--allocator", [&] { return parse_allocator_settings(*settings); });
}

}  // namespace

std::optional<PoolSettings> pool_settings(const AllocatorOptions& options) {
  const auto settings = settings_of(pool_name, options.allocator);
  if (!settings) return std::nullopt;
  return read_option("--allocator", [&] { return parse_pool_settings(*settings); });
}

void refuse_pool(const AllocatorOptions& options, const std::string& other) {
  if (!pool_settings(options)) return;
  fail_usage("--allocator cuda_pool",
             "cannot be used with " + other + ", which knows only PyTorch's allocator",
             "leave one of them out, or choose --allocator pytorch");
}

void check_allocator(const AllocatorOptions& options) {
  other_memory(options);
  if (options.allocator.empty()) return;
  if (limits_reserved(options)) refuse_pool(options, "--fits " + options.fits);
  if (pool_settings(options)) return;
  if (options.allocator != "none") {
    pytorch_settings(options.allocator);
  } else if (limits_reserved(options)) {
    fail_usage("--allocator none", "cannot be used with --fits " + options.fits,
               "leave one of them out");
  }
}

void choose_allocator(const AllocatorOptions& options, Choices& choices) {
  const bool is_pool = pool_settings(options).has_value();
  if (options.allocator == "none" || is_pool) {
    choices.allocator.reset();
  } else if (!options.allocator.empty()) {
    choices.allocator = to_string(pytorch_settings(options.allocator));
  } else if (limits_reserved(options) && !choices.allocator) {
    choices.allocator.emplace();
  }
  if (!options.others.empty() && !choices.allocator && !is_pool) {
    fail_usage("--other-memory", "is reported only with reserved memory",
               "add --allocator pytorch or cuda_pool");
  }
}

std::vector<OtherMemory> other_memory(const AllocatorOptions& options) {
  std::vector<OtherMemory> list = usual_other_memory();
  read_option("--other-memory", [&] {
    for (const std::string& each : options.others) change_other_memory(each, list);
  });
  return list;
}

bool limits_reserved(const AllocatorOptions& options) { return options.fits != "tensors"; }

std::optional<ReservedLimit> reserved_limit(const AllocatorOptions& options,
                                            const Choices& choices) {
  const auto settings = allocator_settings(choices);
  if (!limits_reserved(options) || !settings) return std::nullopt;
  return ReservedLimit{*settings, options.fits == "device", other_memory(options)};
}

}  // namespace stashscope::app
