#include "core/study/exports/slot_times.h"

#include "core/study/step/plan_effects.h"

namespace stashscope {

std::vector<double> slot_starts(const Study& study, const Variant& variant) {
  std::vector<double> starts = {0};
  for (const double seconds : seconds_by_step(study, variant, study.times->seconds)) {
    starts.push_back(starts.back() + seconds);
  }
  return starts;
}

}  // namespace stashscope
