#include "core/study/choices/choices.h"

#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/passes/graph_pass.h"

namespace stashscope {

// Not inline, because GCC 12 would then warn that the members of temporaries are uninitialized.
Choices::Choices() = default;

std::string choice_text(const std::optional<std::string>& choice, std::string_view word) {
  return choice.value_or(std::string(word));
}

std::optional<std::string> choice_of(std::string_view text, std::string_view word) {
  return text == word ? std::nullopt : std::optional<std::string>(text);
}

void choose_order(Choices& choices, std::optional<std::string> strategy) {
  choices.order = {std::move(strategy), {}};
}

void forget_planned(Choices& choices) {
  choices.plans.sequence.reset();
  if (!choices.order.strategy) choices.order = {};
}

std::int64_t whole_memory(const TimeChoices& choices) {
  return choices.device_memory.value_or(choices.profile.memory_bytes);
}

DeviceProfile profile_in_force(const TimeChoices& choices) {
  DeviceProfile profile = choices.profile;
  profile.link_bandwidth = choices.transfer_bandwidth.value_or(profile.link_bandwidth);
  profile.memory_bytes = whole_memory(choices) - kept_free_bytes(choices);
  return profile;
}

std::int64_t kept_free_bytes(const TimeChoices& choices) {
  return std::llround(choices.reserve_percent / 100 * static_cast<double>(whole_memory(choices)));
}

bool same_step(const Choices& a, const Choices& b) {
  Choices elsewhere = a;
  elsewhere.device = b.device;
  elsewhere.times = b.times;
  if (a.plans.overlaps_copies && !offloads_in(a.plans.config).empty()) {
    elsewhere.times.profile = a.times.profile;
    elsewhere.times.profile.name = b.times.profile.name;
    elsewhere.times.profile.memory_bytes = b.times.profile.memory_bytes;
    elsewhere.times.transfer_bandwidth = a.times.transfer_bandwidth;
  }
  elsewhere.allocator = b.allocator;
  return elsewhere == b;
}

void choose_dimension(const std::string& name, const std::string& value, Choices& choices) {
  std::int64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, number);
  if (parsed.ec == std::errc::result_out_of_range) fail_usage("", "does not fit into 64 bits");
  if (parsed.ec == std::errc() && parsed.ptr == end) {
    choices.dims[name] = number;
  } else {
    choices.graph.same_dims[name] = value;
  }
}

std::vector<std::string> pass_titles(const Choices& choices) {
  std::vector<std::string> titles;
  for (const std::string& name : choices.graph.passes) titles.emplace_back(find_pass(name).title);
  return titles;
}

Choices with_what_if(Choices choices, std::string_view name, std::string_view value) {
  choices.graph.what_ifs.insert_or_assign(std::string(name), std::string(value));
  return choices;
}

void add_passes(const std::string& list, Choices& choices) {
  std::set<std::string>& passes = choices.graph.passes;
  for (const std::string& name : split(list, ',')) {
    if (name != "all") {
      passes.emplace(find_pass(name).name);
      continue;
    }
    for (const GraphPass& pass : graph_passes()) {
      if (pass.among_all) passes.emplace(pass.name);
    }
  }
}

namespace {

std::optional<ElementType> parse_half(const std::string& name, const char* what,
                                      const char* reason) {
  if (name.empty()) return std::nullopt;
  for (const ElementType each : {ElementType::float16, ElementType::bfloat16}) {
    if (name == name_of(each)) return each;
  }
  fail_usage(std::string(what) + " '" + printable(name) + "'", reason,
             "choose float16 or bfloat16");
}

}  // namespace

std::optional<ElementType> parse_precision(const std::string& name) {
  return parse_half(name, "precision", "cannot be mixed with float32");
}

std::optional<ElementType> parse_gradient_type(const std::string& name) {
  return parse_half(name, "type of gradients", "is not a floating-point type of 16 bits");
}

std::string precision_name(const std::optional<ElementType>& precision) {
  return precision ? std::string(name_of(*precision)) : "";
}

void check_transfer_bandwidth(double bandwidth) {
  constexpr double least = 1e3;
  constexpr double most = 1e15;
  // NaN fails this comparison too and is rejected.
  if (bandwidth >= least && bandwidth <= most) return;
  fail_usage("transfer bandwidth", "is not between 0.000001 and 1000000 GB/s");
}

void check_reserve(double percent) {
  if (percent >= 0 && percent < 100) return;
  fail_usage("reserve of the device", "must be at least 0 and below 100 percent");
}

RecomputeSearchOptions effective_search_options(const PlanChoices& choices) {
  RecomputeSearchOptions options = choices.search;
  if (choices.level > 0) {
    options.level = 1;
    options.layer_boundary = true;
  }
  return options;
}

}  // namespace stashscope
