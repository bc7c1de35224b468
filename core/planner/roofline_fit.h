#pragma once

#include <vector>

#include "core/planner/device_profile.h"

namespace stashscope {

/// One node of a step and the time that a device took for it.
struct TimedWork {
  double flops = 0;
  double bytes = 0;  ///< in the device's memory, or over the link where `unit` is that
  double seconds = 0;
  ComputeUnit unit = ComputeUnit::vector;
  ElementType element = ElementType::float32;  ///< that it computes with
  bool launches = true;                        ///< not for the copies that plans add
};

/// The profile whose rooflines are nearest to the measured times: their absolute differences are
/// least in sum, as far as the search below finds it. Its figures are rates that were reached, its
/// efficiencies are therefore 1.
///
/// Each node is bound by the memory or by its arithmetic. From this follow the seconds per byte
/// and, for each unit and type, the seconds per operation, as medians over the nodes concerned,
/// weighted with their bytes or operations (the least absolute deviations, so that a few odd times
/// do no harm); then the launch, as the median of what quick nodes take beside their work, weighted
/// so that the quickest say most; then, again, what each node is bound by; until nothing changes.
/// Since this ends at the nearest optimum only, it is done from several places of the rooflines'
/// ridges.
///
/// What no node is bound by, and the launch where no quick node takes longer than twice its work,
/// is as in `base`, peak times efficiency, but no less than what was reached; no vector rate is
/// above that of products, which the cost model would give them otherwise. Where products were
/// slower than other nodes both count together.
///
/// @param work with times above 0 and some flops or bytes each
/// Sources: Williams, Waterman, Patterson, CACM 52(4), 2009 (the roofline); Bloomfield, Steiger,
/// "Least absolute deviations", 1983.
DeviceProfile fitted_profile(const std::vector<TimedWork>& work, const DeviceProfile& base);

/// A profile in rates that are reached: peak times efficiency, with efficiencies of 1.
DeviceProfile effective(DeviceProfile profile);

}  // namespace stashscope
