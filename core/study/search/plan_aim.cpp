#include "core/study/search/plan_aim.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

constexpr std::array<std::string_view, 2> aim_names = {"time", "operations"};

}  // namespace

std::string_view name_of(PlanAim aim) { return aim_names[static_cast<std::size_t>(aim)]; }

PlanAim find_aim(std::string_view name) {
  const auto found = std::ranges::find(aim_names, name);
  if (found != aim_names.end()) return static_cast<PlanAim>(found - aim_names.begin());
  fail_usage("aim '" + printable(std::string(name)) + "'", "is not known",
             "choose time or operations");
}

std::shared_ptr<const Study> counting_operations(const Study& study) {
  constexpr double seconds_of_operation = 1e-12;
  constexpr double share_of_time = 1e-6;  // decides between plans with equal operations
  StudyParts parts = study;
  auto times = std::make_shared<StepTimes>(*study.times);
  for (const NodeId node : IdRange<NodeId>(times->seconds.size())) {
    times->seconds[node] = seconds_of_operation * study.sizes->work.flops[node] +
                           share_of_time * study.times->seconds[node];
  }
  parts.times = std::move(times);
  return std::make_shared<const Study>(std::move(parts));
}

}  // namespace stashscope
