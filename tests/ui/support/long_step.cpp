#include "tests/ui/support/long_step.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace stashscope::ui::test {

namespace {

std::vector<std::int64_t> scaled(std::vector<std::int64_t> bytes, std::int64_t numerator,
                                 std::int64_t denominator) {
  for (std::int64_t& each : bytes) each = each * numerator / denominator;
  return bytes;
}

Timeline random_timeline(std::uint32_t steps, std::uint32_t longest_life) {
  std::mt19937 random(20240607);
  Timeline timeline;
  timeline.order.resize(steps);
  timeline.live_bytes.assign(steps + std::size_t{1}, 0);
  for (std::uint32_t step = 0; step < steps; ++step) {
    const auto life = static_cast<std::uint32_t>(random() % longest_life);
    const std::uint32_t last = std::min(steps - 1, step + life);
    const auto bytes = static_cast<std::int64_t>(1 + random() % 4'000'000);
    timeline.buffers.push_back({ValueId(0), bytes, step, last, false, false, {}});
    timeline.live_bytes[step] += bytes;
    timeline.live_bytes[last + std::size_t{1}] -= bytes;
  }
  std::partial_sum(timeline.live_bytes.begin(), timeline.live_bytes.end(),
                   timeline.live_bytes.begin());
  timeline.live_bytes.pop_back();
  timeline.peak_bytes = *std::max_element(timeline.live_bytes.begin(), timeline.live_bytes.end());
  return timeline;
}

}  // namespace

SharedCurve curve_through(std::vector<std::int64_t> bytes) {
  const std::vector<double> seconds(bytes.size(), 1e-6);
  MemoryCurve curve{CurveExtremes(std::move(bytes)), StepClock(seconds), 0, 0, 0};
  curve.peak_slot = curve.bytes.highest({0, curve.bytes.size()});
  curve.peak_bytes = curve.bytes[curve.peak_slot];
  return std::make_shared<const MemoryCurve>(std::move(curve));
}

MemoryCurves long_step(std::uint32_t steps, std::uint32_t longest_life) {
  const Timeline timeline = random_timeline(steps, longest_life);
  MemoryCurves curves;
  curves.current = curve_through(timeline.live_bytes);
  curves.baseline = curve_through(scaled(timeline.live_bytes, 9, 8));
  curves.measured = curve_through(scaled(timeline.live_bytes, 33, 32));
  for (std::size_t slot = 0; slot < 4; ++slot) {
    const auto share = static_cast<std::int64_t>(slot) + 4;
    curves.pinned.push_back({curve_through(scaled(timeline.live_bytes, share, 8)), slot});
  }
  auto edges = std::make_shared<std::array<CurveExtremes, band_count>>();
  for (std::size_t band = 0; band < band_count; ++band) {
    (*edges)[band] = CurveExtremes(scaled(timeline.live_bytes, static_cast<std::int64_t>(band) + 1,
                                          static_cast<std::int64_t>(band_count)));
  }
  curves.band_edges = std::move(edges);
  curves.tensors = std::make_shared<const TensorStack>(
      TensorStack{TensorBands(timeline), IdVector<BufferId, Band>(steps, Band::activations)});
  return curves;
}

}  // namespace stashscope::ui::test
