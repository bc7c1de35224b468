#include "core/planner/roofline_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/planner/cost_model.h"

namespace stashscope {
namespace roofline_fit_test {

DeviceProfile device() {
  DeviceProfile profile;
  profile.name = "known";
  profile.memory_bytes = 1 << 30;
  profile.bandwidth = 5e11;
  profile.link_bandwidth = 1e10;
  profile.launch_seconds = 8e-6;
  profile.matrix = {.float32 = 2e13, .float16 = 9e13};
  profile.vector = {.float32 = 2e11, .float16 = 4e11};
  return profile;
}

TimedWork work(ComputeUnit unit, ElementType element, double flops, double bytes) {
  return {flops, bytes, 0, unit, element};
}

/// Nodes of every kind: small and large, bound by memory and by arithmetic.
std::vector<TimedWork> many_nodes() {
  std::vector<TimedWork> nodes;
  for (const ElementType element : {ElementType::float32, ElementType::float16}) {
    const double bytes = element == ElementType::float32 ? 4 : 2;
    for (int i = 0; i < 40; ++i) {
      const double size = 128 << (i % 6);
      nodes.push_back(
          work(ComputeUnit::matrix, element, 2 * size * size * size, 3 * bytes * size * size));
      const double elements = 1000.0 * (1 << (i % 14));
      nodes.push_back(work(ComputeUnit::vector, element, elements, 3 * bytes * elements));
      nodes.push_back(work(ComputeUnit::vector, element, 20 * elements, 2 * bytes * elements));
    }
  }
  for (int i = 1; i < 6; ++i) {
    nodes.push_back(work(ComputeUnit::link, ElementType::float32, 0, 1e6 * i));
    nodes.back().launches = false;
  }
  return nodes;
}

/// Times predicted by `profile`, with noise of some percent and a few outliers.
std::vector<TimedWork> timed(std::vector<TimedWork> nodes, const DeviceProfile& profile,
                             double noise, double odd_share) {
  std::mt19937 random(1);
  std::normal_distribution<double> deviation(0, 1);
  std::bernoulli_distribution is_odd(odd_share);
  for (TimedWork& each : nodes) {
    each.seconds = roofline_seconds(each.flops, each.bytes, each.unit, each.element, profile);
    if (!each.launches) each.seconds -= profile.launch_seconds;
    each.seconds *= std::exp(noise * deviation(random)) * (is_odd(random) ? 4 : 1);
  }
  return nodes;
}

void expect_near(const DeviceProfile& fitted, const DeviceProfile& known, double share) {
  const auto near = [&](double a, double b) { EXPECT_NEAR(a / b, 1, share) << a << " " << b; };
  near(fitted.bandwidth, known.bandwidth);
  near(fitted.link_bandwidth, known.link_bandwidth);
  near(fitted.launch_seconds, known.launch_seconds);
  near(fitted.matrix.float32, known.matrix.float32);
  near(fitted.matrix.float16, known.matrix.float16);
  near(fitted.vector.float32, known.vector.float32);
  near(fitted.vector.float16, known.vector.float16);
}

TEST(RooflineFit, FindsTheDeviceThatTheTimesAreOf) {
  for (const DeviceProfile& base : device_profiles()) {
    SCOPED_TRACE(base.name);
    expect_near(fitted_profile(timed(many_nodes(), device(), 0, 0), base), device(), 1e-3);
  }
}

TEST(RooflineFit, BearsNoiseAndOddTimes) {
  for (const DeviceProfile& base : {default_profile(), load_profile("CPU-8-cores")}) {
    SCOPED_TRACE(base.name);
    expect_near(fitted_profile(timed(many_nodes(), device(), 0.05, 0.05), base), device(), 0.06);
  }
}

TEST(RooflineFit, KeepsWhatNothingTells) {
  DeviceProfile base = default_profile();
  base.compute_efficiency = 0.5;
  base.bandwidth_efficiency = 0.5;
  std::vector<TimedWork> nodes;
  for (int i = 1; i < 20; ++i) {
    nodes.push_back(work(ComputeUnit::vector, ElementType::float32, 1e8 * i, 8e8 * i));
  }
  DeviceProfile known = device();
  known.launch_seconds = 0;
  known.vector.float32 = 1e13;
  const DeviceProfile fitted = fitted_profile(timed(nodes, known, 0, 0), base);
  EXPECT_NEAR(fitted.bandwidth, known.bandwidth, 0.01 * known.bandwidth);
  EXPECT_EQ(fitted.launch_seconds, base.launch_seconds);
  EXPECT_EQ(fitted.link_bandwidth, base.link_bandwidth);
  EXPECT_EQ(fitted.memory_bytes, base.memory_bytes);
  EXPECT_EQ(fitted.vector.float32, base.vector.float32 / 2);
  EXPECT_EQ(fitted.matrix.float16, base.matrix.float16 / 2);
  EXPECT_EQ(fitted.compute_efficiency, 1);
  EXPECT_EQ(fitted.bandwidth_efficiency, 1);
}

TEST(RooflineFit, GivesProductsNoRateThatTheyDidNotReach) {
  const std::vector<TimedWork> nodes = {
      work(ComputeUnit::matrix, ElementType::float32, 1e12, 1e9),
      work(ComputeUnit::matrix, ElementType::float32, 2e12, 2e9),
  };
  DeviceProfile known = device();
  known.matrix.float32 = 1e11;
  known.vector.float32 = 1e11;
  const DeviceProfile fitted = fitted_profile(timed(nodes, known, 0, 0), default_profile());
  EXPECT_NEAR(operations_per_second(fitted, ComputeUnit::matrix, ElementType::float32) / 1e11, 1,
              1e-3);
  EXPECT_LE(fitted.vector.float32, 1.001e11);
  EXPECT_EQ(fitted.matrix.tf32, 0);
}

TEST(RooflineFit, IsNoSlowerThanWhatWasReached) {
  const std::vector<TimedWork> nodes = timed(many_nodes(), load_profile("H200-SXM5-141GB"), 0, 0);
  const DeviceProfile fitted = fitted_profile(nodes, load_profile("CPU-8-cores"));
  double known_sum = 0;
  double fitted_sum = 0;
  for (const TimedWork& each : nodes) {
    known_sum += each.seconds;
    fitted_sum += roofline_seconds(each.flops, each.bytes, each.unit, each.element, fitted) -
                  (each.launches ? 0 : fitted.launch_seconds);
  }
  EXPECT_NEAR(fitted_sum / known_sum, 1, 0.02);
}

}  // namespace roofline_fit_test
}  // namespace stashscope
