#include "core/run/measurement/trace.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/run/measurement/measured_limits.h"

namespace stashscope {

namespace {

constexpr std::string_view kind_letters = "AFSERWH";

[[noreturn]] void fail_line(const std::string& line) {
  fail_run("", "the worker sent a broken line: " + printable(line));
}

template <class Number>
Number take_number(std::string_view& rest, const std::string& line) {
  Number number{};
  const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (status != std::errc()) fail_line(line);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  return number;
}

}  // namespace

double seconds_of_nodes(const Measurement& measured) {
  return std::accumulate(measured.node_seconds.begin(), measured.node_seconds.end(), 0.0);
}

std::int64_t peak_workspace(const Measurement& measured) {
  const std::vector<std::int64_t>& bytes = measured.workspace_bytes;
  return bytes.empty() ? 0 : *std::ranges::max_element(bytes);
}

std::vector<std::int64_t> with_workspace(const Measurement& measured) {
  std::vector<std::int64_t> sums(measured.workspace_bytes.size());
  std::ranges::transform(measured.live_bytes, measured.workspace_bytes, sums.begin(), std::plus());
  return sums;
}

std::int64_t peak_with_workspace(const Measurement& measured) {
  const std::int64_t most = std::max(measured.peak_bytes, measured.peak_together_bytes);
  const std::vector<std::int64_t> sums = with_workspace(measured);
  return sums.empty() ? most : std::max(most, *std::ranges::max_element(sums));
}

void MeasurementBuilder::start_node(const TraceEvent& event) {
  Measurement& m = measurement_;
  slot_ = std::min<std::size_t>(event.step, m.live_bytes.size());
  is_first_run_ = slot_ == m.live_bytes.size();
  if (is_first_run_) {
    m.idle_bytes.push_back(event.live_bytes);
    m.live_bytes.push_back(event.live_bytes);
    m.workspace_bytes.push_back(workspace_bytes_);
  }
  m.idle_bytes[slot_] = std::max(m.idle_bytes[slot_], event.live_bytes);
  m.live_bytes[slot_] = std::max(m.live_bytes[slot_], event.live_bytes);
  m.workspace_bytes[slot_] = std::max(m.workspace_bytes[slot_], workspace_bytes_);
  node_started_ = event.seconds;
  in_node_ = true;
}

void MeasurementBuilder::end_node(double seconds) {
  std::vector<double>& all = measurement_.node_seconds;
  // The end of a node that never started adds a time too. Then the measurement has more times than
  // slots, so its readers refuse it.
  const bool runs_again = in_node_ && !is_first_run_ && slot_ < all.size();
  if (runs_again) {
    all[slot_] += seconds;
  } else {
    all.push_back(seconds);
  }
  in_node_ = false;
}

void MeasurementBuilder::add(const TraceEvent& event) {
  Measurement& m = measurement_;
  m.peak_bytes = std::max(m.peak_bytes, event.live_bytes);
  live_bytes_ = event.live_bytes;
  switch (event.kind) {
    case TraceEvent::Kind::node_start:
      start_node(event);
      break;
    case TraceEvent::Kind::allocate:
      if (in_node_) m.live_bytes[slot_] = std::max(m.live_bytes[slot_], event.live_bytes);
      break;
    case TraceEvent::Kind::node_end:
      end_node(event.seconds - node_started_);
      break;
    case TraceEvent::Kind::resident:
      m.peak_resident_bytes = std::max(m.peak_resident_bytes, event.bytes);
      break;
    case TraceEvent::Kind::workspace:
      workspace_bytes_ = event.bytes;
      if (in_node_) m.workspace_bytes[slot_] = std::max(m.workspace_bytes[slot_], event.bytes);
      break;
    case TraceEvent::Kind::reserved:
      m.peak_reserved_bytes = std::max(m.peak_reserved_bytes, event.bytes);
      break;
    case TraceEvent::Kind::release:
      break;
  }
}

Measurement MeasurementBuilder::take() {
  measurement_.idle_bytes.push_back(live_bytes_);
  std::vector<std::int64_t>& workspaces = measurement_.workspace_bytes;
  if (std::ranges::all_of(workspaces, [](std::int64_t bytes) { return bytes == 0; })) {
    workspaces.clear();
  }
  return std::move(measurement_);
}

std::string format_event(const TraceEvent& event) {
  std::string line;
  line += kind_letters[static_cast<std::size_t>(event.kind)];
  line += ' ' + std::to_string(event.step) + ' ' + std::to_string(event.bytes) + ' ' +
          std::to_string(event.live_bytes) + ' ' + format_number(event.seconds);
  if (!event.name.empty()) line += ' ' + to_valid_utf8(event.name);
  return line;
}

TraceEvent parse_event(const std::string& line) {
  const std::size_t kind = line.empty() ? kind_letters.npos : kind_letters.find(line[0]);
  if (kind == kind_letters.npos || line.size() < 2) fail_line(line);
  TraceEvent event;
  event.kind = static_cast<TraceEvent::Kind>(kind);
  std::string_view rest = std::string_view(line).substr(2);
  event.step = take_number<std::uint32_t>(rest, line);
  event.bytes = take_number<std::int64_t>(rest, line);
  event.live_bytes = take_number<std::int64_t>(rest, line);
  event.seconds = take_number<double>(rest, line);
  event.name = rest;
  const bool makes_sense = is_measured_size(event.bytes) && is_measured_size(event.live_bytes) &&
                           is_measured_time(event.seconds);
  if (!makes_sense) fail_line(line);
  return event;
}

std::int64_t largest_difference(const std::vector<std::int64_t>& measured,
                                const std::vector<std::int64_t>& predicted) {
  if (measured.size() != predicted.size()) {
    fail_run("", "the run has " + std::to_string(measured.size()) +
                     " nodes, but the prediction has " + std::to_string(predicted.size()));
  }
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    largest = std::max(largest, std::abs(measured[i] - predicted[i]));
  }
  return largest;
}

}  // namespace stashscope
