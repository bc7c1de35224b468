#include "core/study/measure.h"

#include <algorithm>
#include <charconv>

#include "core/base/error.h"
#include "core/base/text.h"
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
    } else if (line.starts_with(worker_size_line)) {
      take_size(line.substr(worker_size_line.size()));
    } else {
      take_event(parse_event(line));
    }
  }

  StudyMeasurements finish() {
    if (!done_) fail_run("", "the worker stopped before the end");
    return {baseline_.take(), current_.take()};
  }

 private:
  void take_size(const std::string& line) {
    std::int64_t size = 0;
    const auto [end, status] = std::from_chars(line.data(), line.data() + line.size(), size);
    const auto space = static_cast<std::size_t>(end - line.data());
    if (status != std::errc() || space == line.size() || line[space] != ' ') {
      fail_run("", "the worker sent a broken line: " + printable(line));
    }
    (is_baseline_ ? baseline_ : current_).add_size(line.substr(space + 1), size);
  }

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

std::map<std::string, std::int64_t> sizes_unlike_predicted(const Study& study,
                                                           const Measurement& measured) {
  std::map<std::string, std::int64_t> sizes = measured.data_dependent;
  for (const Dimension& each : study.sizes->dims.dimensions) {
    const auto found = sizes.find(each.name);
    if (found != sizes.end() && found->second == each.value) sizes.erase(found);
  }
  return sizes;
}

std::vector<std::string> remarks_on(const Study& study, const StudyMeasurements& measured) {
  std::vector<std::string> remarks;
  for (const auto& [name, size] : sizes_unlike_predicted(study, measured.baseline)) {
    remarks.push_back("Dimension '" + printable(name) + "' was " + std::to_string(size) +
                      " with the data of the run, which is not what was predicted for.");
  }
  std::int64_t inside = 0;
  for (const Variant* const variant : {study.baseline.get(), study.current.get()}) {
    for (const BandBytes& bands : variant->bands) {
      inside = std::max(inside, of(bands, Band::workspace));
    }
  }
  if (inside > 0) {
    remarks.push_back("What nodes take inside of themselves, at most " + format_bytes(inside) +
                      ", is predicted but not measured, and not part of the difference.");
  }
  return remarks;
}

std::int64_t largest_error(const Study& study, const StudyMeasurements& measured) {
  return std::max(largest_error(*study.baseline, measured.baseline),
                  largest_error(*study.current, measured.current));
}

}  // namespace stashscope
