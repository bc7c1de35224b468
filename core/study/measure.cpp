#include "core/study/measure.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/run/worker.h"

namespace stashscope {

namespace {

namespace fs = std::filesystem;

/// Where the worker finds its standard input as a file.
const fs::path standard_input = "/proc/self/fd/0";

/// Sorts the lines of the worker into the two measurements.
class StreamReader {
 public:
  StreamReader(std::size_t steps, const std::function<void(bool, const TraceEvent&)>& on_event,
               const Progress& progress, const std::string& device)
      : steps_(steps),
        on_event_(on_event),
        progress_(progress),
        baseline_(device),
        current_(device) {}

  void take(const std::string& line) {
    if (line == worker_done_line) {
      done_ = true;
    } else if (line.starts_with(worker_variant_line)) {
      is_baseline_ = line.substr(worker_variant_line.size()) == "baseline";
    } else {
      take_event(parse_event(line));
    }
  }

  StudyMeasurements finish() {
    if (!done_) fail_run("", "the worker stopped before the end");
    return {baseline_.take(), current_.take()};
  }

 private:
  void take_event(const TraceEvent& event) {
    (is_baseline_ ? baseline_ : current_).add(event);
    if (on_event_) on_event_(is_baseline_, event);
    if (event.kind != TraceEvent::Kind::node_end) return;
    ++steps_done_;
    progress_.update(
        static_cast<double>(steps_done_) / static_cast<double>(std::max<std::size_t>(1, steps_)),
        is_baseline_ ? "running without plans" : "running with plans");
  }

  std::size_t steps_;
  const std::function<void(bool, const TraceEvent&)>& on_event_;
  const Progress& progress_;
  MeasurementBuilder baseline_;
  MeasurementBuilder current_;
  std::size_t steps_done_ = 0;
  bool is_baseline_ = true;
  bool done_ = false;
};

}  // namespace

StudyMeasurements measure_in_worker(const Study& study, const fs::path& model,
                                    const std::function<void(bool, const TraceEvent&)>& on_event,
                                    const Progress& progress) {
  Session session;
  session.model = fs::absolute(model);
  session.choices = study.choices;
  // Assumed dimensions are passed on, so that both sides speak of the same step.
  for (const Dimension& each : study.sizes->dims.dimensions)
    session.choices.dims[each.name] = each.value;
  const std::size_t steps =
      study.baseline->timeline.order.size() + study.current->timeline.order.size();
  StreamReader reader(steps, on_event, progress, study.choices.device);
  run_child(
      worker_program(), {standard_input.string(), "--stream", "--device", study.choices.device},
      [&](const std::string& line) { reader.take(line); }, progress,
      session_text(session, standard_input.parent_path()));
  return reader.finish();
}

std::int64_t largest_error(const Variant& variant, const Measurement& measured) {
  std::vector<std::int64_t> predicted = variant.timeline.live_bytes;
  for (std::size_t step = 0; step < predicted.size(); ++step) {
    predicted[step] -= of(variant.bands[step], Band::workspace);
  }
  return largest_difference(measured.live_bytes, predicted);
}

std::int64_t largest_error(const Study& study, const StudyMeasurements& measured) {
  return std::max(largest_error(*study.baseline, measured.baseline),
                  largest_error(*study.current, measured.current));
}

}  // namespace stashscope
