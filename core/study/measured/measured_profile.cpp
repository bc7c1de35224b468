#include "core/study/measured/measured_profile.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/planner/roofline_fit.h"
#include "core/run/devices/devices.h"
#include "core/study/measured/run_overlap.h"
#include "core/study/step/plan_effects.h"

namespace stashscope {

namespace {

/// The work of a node that a plan adds, in one run.
TimedWork added_work(const Study& study, const Dataflow& dataflow, NodeId node) {
  TimedWork work;
  work.bytes = added_bytes(study.sizes->bytes, dataflow, node);
  if (is_copy(dataflow, node)) {
    work.unit = ComputeUnit::link;
    work.launches = false;
  }
  return work;
}

/// The work of a node in one run.
TimedWork work_of(const Study& study, const Dataflow& dataflow, NodeId node) {
  if (!dataflow.runs_origin(node)) return added_work(study, dataflow, node);
  const NodeId origin = dataflow.origin(node);
  const Op* const op = study.prepared->ops[origin];
  TimedWork work;
  const NodeWork& step = study.sizes->work;
  work.flops = step.flops[origin] / step.runs;
  work.bytes = step.bytes[origin] / step.runs;
  work.unit = op == nullptr ? ComputeUnit::vector : op->unit;
  work.element = computing_type(study.graph(), study.graph().node(origin));
  return work;
}

std::vector<TimedWork> timed_work(const Study& study, const Variant& variant,
                                  const Measurement& measured) {
  std::vector<TimedWork> timed;
  const std::vector<NodeId>& order = variant.timeline.order;
  const bool is_overlapped = ran_with_overlap(variant, measured);
  for (std::size_t step = 0; step < order.size(); ++step) {
    if (variant.groups.of(order[step]).valid()) continue;
    if (is_overlapped && is_copy(variant.dataflow, order[step])) continue;
    TimedWork work = work_of(study, variant.dataflow, order[step]);
    // A node is launched once for each micro-batch.
    work.seconds = measured.node_seconds[step] / study.sizes->work.runs;
    const bool counts = std::isfinite(work.seconds) && work.seconds > 0;
    if (counts && (work.flops > 0 || work.bytes > 0)) timed.push_back(work);
  }
  return timed;
}

void check_times(const Variant& variant, const Measurement& measured) {
  const std::vector<double>& times = measured.node_seconds;
  if (std::ranges::none_of(times, [](double seconds) { return seconds > 0; })) {
    fail_input("the measurement", "has no times of nodes, so no profile can be fitted to it",
               "run the step again with every node timed");
  }
  if (times.size() == variant.timeline.order.size()) return;
  fail_input("the measurement",
             "belongs to a step with " + std::to_string(times.size()) +
                 " nodes, but the step of the study has " +
                 std::to_string(variant.timeline.order.size()),
             "choose the plans that were on during the measurement");
}

}  // namespace

DeviceProfile measured_profile(const Study& study, const Variant& variant,
                               const Measurement& measured, const DeviceProfile& base,
                               const DeviceInfo& device) {
  check_times(variant, measured);
  const std::vector<TimedWork> work = timed_work(study, variant, measured);
  if (work.empty()) {
    fail_input(
        "the measurement",
        "has no time of a node that computes or moves data; times of fused groups are not used",
        "measure the step without fusions");
  }
  DeviceProfile profile = fitted_profile(work, base);
  profile.name =
      "measured on " + to_valid_utf8(device.model.empty() ? measured.device : device.model);
  if (device.memory_bytes > 0) profile.memory_bytes = device.memory_bytes;
  return profile;
}

std::vector<std::string> figures_from_base(const DeviceProfile& measured,
                                           const DeviceProfile& base) {
  const std::map<std::string, double> known = profile_figures(effective(base));
  std::vector<std::string> keys;
  for (const auto& [key, figure] : profile_figures(measured)) {
    const auto found = known.find(key);
    const bool is_same = found != known.end() && found->second == figure;
    if (is_same && !key.ends_with("_efficiency")) keys.push_back(key);
  }
  return keys;
}

}  // namespace stashscope
