#include "core/planner/roofline_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/planner/cost_model.h"

namespace stashscope {

namespace {

constexpr int most_rounds = 30;
/// A later starting point is chosen only if it lowers the error by more than this share.
constexpr double needed_gain = 0.005;

struct Weighted {
  double value = 0;
  double weight = 0;
};

/// nullopt if all weights are 0.
std::optional<double> weighted_median(std::vector<Weighted> items) {
  std::ranges::sort(items, {}, &Weighted::value);
  double rest = 0;
  for (const Weighted& each : items) rest += each.weight / 2;
  for (const Weighted& each : items) {
    rest -= each.weight;
    if (rest <= 0 && each.weight > 0) return each.value;
  }
  return std::nullopt;
}

double rate_from(double seconds_each) {
  return std::clamp(1 / seconds_each, least_rate, most_rate);
}

void scale(PeakRates& rates, double factor) {
  for (double PeakRates::*const each :
       {&PeakRates::float64, &PeakRates::float32, &PeakRates::tf32, &PeakRates::float16,
        &PeakRates::bfloat16, &PeakRates::float8, &PeakRates::int8}) {
    rates.*each *= factor;
  }
}

double predicted(const TimedWork& work, const DeviceProfile& profile) {
  const double seconds = roofline_seconds(work.flops, work.bytes, work.unit, work.element, profile);
  return work.launches ? seconds : seconds - profile.launch_seconds;
}

/// For each node, whether its arithmetic takes longer than its memory accesses.
using BoundByArithmetic = std::vector<bool>;

/// A unit, and the element types whose operations share one rate on it.
struct RateClass {
  ComputeUnit unit = ComputeUnit::vector;
  double PeakRates::*figure = nullptr;
  ElementType element = ElementType::float32;  ///< a type that uses `figure`

  bool holds(const TimedWork& work) const {
    return work.unit == unit && figure_for(work.element) == figure;
  }
};

std::vector<RateClass> classes_of(const std::vector<TimedWork>& work) {
  std::vector<RateClass> classes;
  for (const TimedWork& each : work) {
    if (each.unit == ComputeUnit::link || each.flops == 0) continue;
    const auto holds = [&](const RateClass& known) { return known.holds(each); };
    if (std::ranges::any_of(classes, holds)) continue;
    classes.push_back({each.unit, figure_for(each.element), each.element});
  }
  return classes;
}

/// Nodes up to this time count as quick: four times the 10th percentile of the times.
double quick_seconds(const std::vector<TimedWork>& work) {
  std::vector<double> seconds;
  for (const TimedWork& each : work) {
    if (each.launches) seconds.push_back(each.seconds);
  }
  if (seconds.empty()) return 0;
  const auto tenth = seconds.begin() + std::ssize(seconds) / 10;
  std::ranges::nth_element(seconds, tenth);
  return 4 * *tenth;
}

class RooflineFit {
 public:
  RooflineFit(const std::vector<TimedWork>& work, const DeviceProfile& base)
      : work_(work),
        base_(effective(base)),
        classes_(classes_of(work)),
        quick_seconds_(quick_seconds(work)) {}

  DeviceProfile best() const {
    // Ridge points in operations per byte. The first vector ridge is the most likely, because
    // usually only matrix products are bound by arithmetic.
    constexpr double infinite = std::numeric_limits<double>::infinity();
    constexpr std::array vector_ridges = {infinite, 4.0, 2.0, 1.0, 0.5, 0.25, 0.125, 0.0625};
    constexpr std::array matrix_ridges = {1.0, 8.0, 64.0, 512.0};
    DeviceProfile best = base_;
    double least = infinite;
    for (const double vector_ridge : vector_ridges) {
      for (const double matrix_ridge : matrix_ridges) {
        const DeviceProfile fitted = fitted_from(split_at(vector_ridge, matrix_ridge));
        const double error = difference(fitted);
        if (error > least * (1 - needed_gain)) continue;
        least = error;
        best = fitted;
      }
    }
    return best;
  }

 private:
  BoundByArithmetic split_at(double vector_ridge, double matrix_ridge) const {
    BoundByArithmetic bound;
    for (const TimedWork& each : work_) {
      const double ridge = each.unit == ComputeUnit::matrix ? matrix_ridge : vector_ridge;
      bound.push_back(each.flops > 0 && each.flops > ridge * each.bytes);
    }
    return bound;
  }

  DeviceProfile fitted_from(BoundByArithmetic bound) const {
    double launch = 0;
    DeviceProfile profile;
    for (int round = 0; round < most_rounds; ++round) {
      profile = with_rates(bound, launch);
      profile.launch_seconds = launch_beside(profile);
      BoundByArithmetic next = bound_on(profile);
      const bool is_settled =
          next == bound && std::abs(profile.launch_seconds - launch) <= 1e-6 * launch;
      if (is_settled) break;
      bound = std::move(next);
      launch = profile.launch_seconds;
    }
    return profile;
  }

  BoundByArithmetic bound_on(const DeviceProfile& profile) const {
    BoundByArithmetic bound;
    for (const TimedWork& each : work_) {
      const double rate = operations_per_second(profile, each.unit, each.element);
      bound.push_back(each.unit != ComputeUnit::link &&
                      each.flops / rate > each.bytes / profile.bandwidth);
    }
    return bound;
  }

  double difference(const DeviceProfile& profile) const {
    double sum = 0;
    for (const TimedWork& each : work_) sum += std::abs(predicted(each, profile) - each.seconds);
    return sum;
  }

  DeviceProfile with_rates(const BoundByArithmetic& bound, double launch) const {
    DeviceProfile profile = base_;
    set_bandwidths(profile, bound, launch);
    for (const RateClass& each : classes_) set_rate(profile, each, bound, launch);
    for (const RateClass& each : classes_) {
      if (each.unit == ComputeUnit::matrix) limit_vector_rate(profile, each, bound, launch);
    }
    return profile;
  }

  /// The weighted median of the seconds per byte or flop over the chosen nodes. @param amount the
  /// bytes or the flops of a node
  template <class Chosen>
  std::optional<double> seconds_each(double TimedWork::*amount, double launch,
                                     const Chosen& chosen) const {
    std::vector<Weighted> items;
    for (std::size_t i = 0; i < work_.size(); ++i) {
      const TimedWork& each = work_[i];
      if (each.*amount == 0 || !chosen(i)) continue;
      const double seconds = std::max(0.0, each.seconds - (each.launches ? launch : 0));
      items.push_back({seconds / (each.*amount), each.*amount});
    }
    return weighted_median(std::move(items));
  }

  void set_bandwidths(DeviceProfile& profile, const BoundByArithmetic& bound, double launch) const {
    const auto moves = [&](std::size_t i) { return work_[i].unit != ComputeUnit::link; };
    const auto is_bound = [&](std::size_t i) { return moves(i) && !bound[i]; };
    const auto over_link = [&](std::size_t i) { return !moves(i); };
    if (const auto seconds = seconds_each(&TimedWork::bytes, launch, is_bound)) {
      profile.bandwidth = rate_from(*seconds);
    } else if (const auto reached = seconds_each(&TimedWork::bytes, 0, moves)) {
      profile.bandwidth = std::max(profile.bandwidth, rate_from(*reached));
    }
    if (const auto seconds = seconds_each(&TimedWork::bytes, launch, over_link)) {
      profile.link_bandwidth = rate_from(*seconds);
    }
  }

  /// Seconds per operation, fitted to the nodes that belong to `classes` and are bound by
  /// arithmetic.
  std::optional<double> arithmetic_seconds(const std::vector<RateClass>& classes,
                                           const BoundByArithmetic& bound, double launch) const {
    return seconds_each(&TimedWork::flops, launch, [&](std::size_t i) {
      return bound[i] && std::ranges::any_of(
                             classes, [&](const RateClass& each) { return each.holds(work_[i]); });
    });
  }

  void set_rate(DeviceProfile& profile, const RateClass& rate_class, const BoundByArithmetic& bound,
                double launch) const {
    const bool is_matrix = rate_class.unit == ComputeUnit::matrix;
    PeakRates& rates = is_matrix ? profile.matrix : profile.vector;
    double& rate = rates.*rate_class.figure;
    if (const auto seconds = arithmetic_seconds({rate_class}, bound, launch)) {
      rate = rate_from(*seconds);
      if (is_matrix && rate_class.figure == &PeakRates::float32) profile.matrix.tf32 = 0;
      return;
    }
    const auto reached = seconds_each(&TimedWork::flops, 0,
                                      [&](std::size_t i) { return rate_class.holds(work_[i]); });
    const double known = operations_per_second(profile, rate_class.unit, rate_class.element);
    if (reached && rate_from(*reached) > known) rate = rate_from(*reached);
  }

  void limit_vector_rate(DeviceProfile& profile, const RateClass& products,
                         const BoundByArithmetic& bound, double launch) const {
    double& of_products = profile.matrix.*products.figure;
    double& of_others = profile.vector.*products.figure;
    if (of_others <= of_products || !arithmetic_seconds({products}, bound, launch)) return;
    RateClass others = products;
    others.unit = ComputeUnit::vector;
    if (arithmetic_seconds({others}, bound, launch)) {
      of_products = rate_from(*arithmetic_seconds({products, others}, bound, launch));
    }
    of_others = of_products;
  }

  double launch_beside(const DeviceProfile& profile) const {
    std::vector<Weighted> items;
    bool is_seen = false;
    for (const TimedWork& each : work_) {
      if (!each.launches || each.seconds > quick_seconds_) continue;
      const double beside = each.seconds - (predicted(each, profile) - profile.launch_seconds);
      items.push_back({beside, 1 / each.seconds});
      is_seen = is_seen || beside > each.seconds / 2;
    }
    if (!is_seen) return base_.launch_seconds;
    return std::clamp(*weighted_median(std::move(items)), 0.0, 1.0);
  }

  const std::vector<TimedWork>& work_;
  DeviceProfile base_;
  std::vector<RateClass> classes_;
  double quick_seconds_;
};

}  // namespace

DeviceProfile effective(DeviceProfile profile) {
  scale(profile.matrix, profile.compute_efficiency);
  scale(profile.vector, profile.compute_efficiency);
  profile.bandwidth *= profile.bandwidth_efficiency;
  profile.compute_efficiency = 1;
  profile.bandwidth_efficiency = 1;
  return profile;
}

DeviceProfile fitted_profile(const std::vector<TimedWork>& work, const DeviceProfile& base) {
  return RooflineFit(work, base).best();
}

}  // namespace stashscope
