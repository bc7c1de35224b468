#pragma once

#include <vector>

#include "core/planner/device_profile.h"

namespace stashscope {

/// The work of one node and its measured time.
struct TimedWork {
  double flops = 0;
  double bytes = 0;  ///< bytes moved in device memory, or over the link if `unit` is the link
  double seconds = 0;
  ComputeUnit unit = ComputeUnit::vector;
  ElementType element = ElementType::float32;  ///< element type of the computation
  bool launches = true;  ///< whether a launch adds time; false for copies that plans add
};

/// Fits a profile to measured times: minimizes the sum of absolute differences between predicted
/// and measured times by the local search described below. The figures are achieved rates, so all
/// efficiencies are 1.
///
/// Each node is bound by memory or by arithmetic. With these bounds fixed, the seconds per byte are
/// a weighted median over the nodes bound by memory, and the seconds per operation of each unit and
/// type are a weighted median over the nodes bound by arithmetic. The weights are bytes or
/// operations. Medians (least absolute deviations) tolerate a few outliers. The launch time is a
/// weighted median of the time that quick nodes take in addition to the time of their work; the
/// quickest nodes weigh most. Then each node's bound is determined again, until nothing changes.
/// The iteration ends in a local optimum, so it is started from several ridge points of the
/// rooflines.
///
/// A rate that limits no node keeps the value of `base` (peak times efficiency), but is never below
/// an achieved rate. The launch time of `base` is kept if no quick node takes longer than twice the
/// time of its work. No vector rate exceeds a fitted rate of matrix products of the same type,
/// because the cost model uses the larger rate for matrix products. If the measured matrix products
/// are slower than other nodes, both get one common rate.
///
/// @param work each item has a time above 0, and flops or bytes above 0
/// Sources: Williams, Waterman, Patterson, CACM 52(4), 2009 (the roofline); Bloomfield, Steiger,
/// "Least absolute deviations", 1983.
DeviceProfile fitted_profile(const std::vector<TimedWork>& work, const DeviceProfile& base);

/// The profile with achieved rates: peak times efficiency, and efficiencies of 1.
DeviceProfile effective(DeviceProfile profile);

}  // namespace stashscope
