#include "core/study/choices/choices.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/passes/graph_pass.h"
#include "core/run/cpu/execute/evaluate.h"

namespace stashscope {

// Not inline: GCC 12 takes the members of temporaries for uninitialized otherwise.
Choices::Choices() = default;

void choose_order(Choices& choices, const std::string& order) {
  choices.order = order;
  choices.moves.clear();
}

void forget_planned(Choices& choices) {
  choices.planned = {};
  if (choices.order == planned_order) choose_order(choices, Choices().order);
}

DeviceProfile profile_in_force(const Choices& choices) {
  DeviceProfile profile = choices.profile;
  profile.link_bandwidth = choices.transfer_bandwidth.value_or(profile.link_bandwidth);
  return profile;
}

bool same_step(const Choices& a, const Choices& b) {
  Choices elsewhere = a;
  elsewhere.device = b.device;
  elsewhere.profile = b.profile;
  return elsewhere == b;
}

void add_passes(const std::string& list, Choices& choices) {
  for (const std::string& name : split(list, ',')) {
    if (name != "all") {
      choices.passes.emplace(find_pass(name).name);
      continue;
    }
    for (const GraphPass& pass : graph_passes()) {
      if (pass.among_all) choices.passes.emplace(pass.name);
    }
  }
}

namespace {

ElementType precision_named(const std::string& name) {
  if (name.empty()) return ElementType::undefined;
  for (const ElementType each : {ElementType::float16, ElementType::bfloat16}) {
    if (name == name_of(each)) return each;
  }
  fail_usage("precision '" + printable(name) + "'", "cannot be mixed with float32",
             "choose float16 or bfloat16");
}

}  // namespace

void check_precision(const std::string& name) { precision_named(name); }

void check_transfer_bandwidth(double bandwidth) {
  constexpr double least = 1e3;
  constexpr double most = 1e15;
  // Written so that what is no number is refused.
  if (bandwidth >= least && bandwidth <= most) return;
  fail_usage("transfer bandwidth", "is not between 0.000001 and 1000000 GB/s");
}

PassSelection pass_selection(const Choices& choices) {
  return {choices.passes, precision_named(choices.precision), cpu_evaluator()};
}

bool same_graph(const Choices& a, const Choices& b) {
  return a.goal == b.goal && a.same_dims == b.same_dims && a.passes == b.passes &&
         a.precision == b.precision;
}

RecomputeSearchOptions effective_search_options(const Choices& choices) {
  RecomputeSearchOptions probe = choices.recompute_search;
  if (choices.level > 0) {
    probe.level = 1;
    probe.layer_boundary = true;
  }
  return probe;
}

}  // namespace stashscope
