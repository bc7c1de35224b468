#include "core/run/measurement/run_counts.h"

#include <algorithm>

#include "core/base/error.h"

namespace stashscope {

namespace {

/// The median; for an even count, the mean of the two middle numbers.
double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + std::ssize(numbers) / 2;
  std::nth_element(numbers.begin(), middle, numbers.end());
  if (numbers.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(numbers.begin(), middle)) / 2;
}

void check_range(const char* option, int number, int least) {
  if (number >= least && number <= most_runs) return;
  fail_usage(option,
             "must be between " + std::to_string(least) + " and " + std::to_string(most_runs));
}

}  // namespace

void check_run_counts(const RunCounts& counts) {
  check_range("--warm-up", counts.warm_up, 0);
  check_range("--repeat", counts.repeats, 1);
}

std::string describe_run(const RunCounts& counts, int index) {
  const auto of = [](int number, int all) {
    return std::to_string(number) + " of " + std::to_string(all);
  };
  if (counts.all() == 1) return "";
  if (index < counts.warm_up) return "warm-up " + of(index + 1, counts.warm_up);
  return "run " + of(index - counts.warm_up + 1, counts.repeats);
}

Measurement combined(std::vector<Measurement> repeats) {
  Measurement result = std::move(repeats.back());
  repeats.pop_back();
  result.repeats = static_cast<int>(repeats.size()) + 1;
  for (const Measurement& each : repeats) {
    if (each.live_bytes.size() != result.live_bytes.size() ||
        each.node_seconds.size() != result.node_seconds.size()) {
      fail_run("", "the runs of the step have different numbers of nodes");
    }
    result.repeat_difference =
        std::max(result.repeat_difference, largest_difference(each.live_bytes, result.live_bytes));
  }
  std::vector<double> steps = {result.step_seconds};
  for (const Measurement& each : repeats) steps.push_back(each.step_seconds);
  result.step_seconds = median(std::move(steps));
  for (std::size_t node = 0; node < result.node_seconds.size(); ++node) {
    std::vector<double> seconds = {result.node_seconds[node]};
    for (const Measurement& each : repeats) seconds.push_back(each.node_seconds[node]);
    result.node_seconds[node] = median(std::move(seconds));
  }
  return result;
}

}  // namespace stashscope
