#include "core/study/measured/measure.h"

#include <algorithm>
#include <charconv>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/process/run_child.h"
#include "core/run/measurement/measured_limits.h"
#include "core/run/measurement/worker_lines.h"
#include "core/study/files/step_bundle.h"
#include "core/study/step/step_identity.h"

namespace stashscope {

namespace {

namespace fs = std::filesystem;

/// The path under which the worker reads its standard input as a file.
const fs::path standard_input = "/proc/self/fd/0";

constexpr std::size_t most_of_remark = 2000;  // in characters

/// Collects the runs of one variant from the stream of the worker.
class VariantRuns {
 public:
  explicit VariantRuns(std::string device) : device_(std::move(device)), run_(device_) {}

  void start_run(bool counts) {
    finish_run();
    counts_ = counts;
  }
  void add(const TraceEvent& event) {
    if (event.kind == TraceEvent::Kind::node_start) started_ = event.seconds;
    const bool ends = event.kind == TraceEvent::Kind::node_end;
    if (ends && event.seconds < started_) {
      fail_run("", "the worker sent a node that ends before it starts");
    }
    run_.add(event);
    is_empty_ = false;
  }
  void add_size(const std::string& name, std::int64_t size) { run_.add_size(name, size); }
  void set_step_seconds(double seconds) { step_seconds_ = seconds; }
  void add_remark(const std::string& remark) { remarks_.push_back(remark); }

  Measurement take() {
    finish_run();
    if (done_.empty()) fail_run("", "the worker sent no run");
    Measurement all = combined(std::move(done_));
    if (all.node_seconds.size() != all.live_bytes.size()) {
      fail_run("", "the worker sent nodes without a start or an end");
    }
    all.step_seconds = step_seconds_;
    all.remarks = std::move(remarks_);
    return all;
  }

 private:
  void finish_run() {
    if (!is_empty_ && counts_) done_.push_back(run_.take());
    run_ = MeasurementBuilder(device_);
    is_empty_ = true;
  }

  std::string device_;
  MeasurementBuilder run_;
  std::vector<Measurement> done_;
  double step_seconds_ = 0;
  std::vector<std::string> remarks_;
  double started_ = 0;  ///< start time of the newest node, in seconds
  bool counts_ = true;
  bool is_empty_ = true;
};

/// Reads the lines of the worker and builds the measurements of both variants.
class StreamReader {
 public:
  /// Refers to `on_event` and `progress`. @param place the machine of the worker in messages, such
  /// as ` on host`
  StreamReader(const Study& study, const RunCounts& counts, const std::string& place,
               const std::function<void(bool, const TraceEvent&)>& on_event,
               const Progress& progress)
      : step_(to_string(identity_of(study))),
        steps_(steps_of(study) * static_cast<std::size_t>(counts.all())),
        counts_(counts),
        place_(place),
        on_event_(on_event),
        progress_(progress),
        baseline_(choice_text(study.choices.device, no_device) + place),
        current_(choice_text(study.choices.device, no_device) + place) {}

  void take(const std::string& line) {
    if (line == worker_done_line) {
      done_ = true;
    } else if (line.starts_with(worker_variant_line)) {
      is_baseline_ = line.substr(worker_variant_line.size()) == "baseline";
      run_ = -1;
    } else if (line.starts_with(worker_run_line)) {
      ++run_;
      runs().start_run(line.substr(worker_run_line.size()) == "run");
    } else if (line.starts_with(worker_step_line)) {
      check_step(line.substr(worker_step_line.size()));
    } else if (line.starts_with(worker_size_line)) {
      take_size(line.substr(worker_size_line.size()));
    } else if (line.starts_with(worker_time_line)) {
      take_time(line.substr(worker_time_line.size()));
    } else if (line.starts_with(worker_no_room_line)) {
      take_no_room(line);
    } else if (line.starts_with(worker_remark_line)) {
      runs().add_remark(line.substr(worker_remark_line.size()));
    } else {
      take_event(parse_event(line));
    }
  }

  StudyMeasurements finish() {
    if (!done_) fail_run("", "the worker" + place_ + " stopped before the end of the run");
    if (!said_step_) {
      fail_run("", "the worker" + place_ + " does not say which step it runs",
               "use a worker of the same version as this program");
    }
    if (no_room_) return without_baseline(current_.take(), printable(*no_room_, most_of_remark));
    return {baseline_.take(), current_.take()};
  }

 private:
  /// The number of slots of both variants together.
  static std::size_t steps_of(const Study& study) {
    return study.baseline->timeline.order.size() + study.current->timeline.order.size();
  }

  void check_step(const std::string& step) {
    said_step_ = true;
    if (step == step_) return;
    fail_run("",
             "the worker" + place_ + " runs another step: the model's file has changed, or " +
                 "the worker has another version",
             "open the model again");
  }

  VariantRuns& runs() { return is_baseline_ ? baseline_ : current_; }

  void take_size(const std::string& line) {
    std::int64_t size = 0;
    const auto [end, status] = std::from_chars(line.data(), line.data() + line.size(), size);
    const auto space = static_cast<std::size_t>(end - line.data());
    const bool has_name = space < line.size() && line[space] == ' ';
    if (status != std::errc() || !has_name || !is_measured_size(size)) {
      fail_run("", "the worker sent a broken line: " + printable(line));
    }
    runs().add_size(line.substr(space + 1), size);
  }

  void take_time(const std::string& line) {
    double seconds = 0;
    const auto [end, status] = std::from_chars(line.data(), line.data() + line.size(), seconds);
    if (status != std::errc() || end != line.data() + line.size() || !is_measured_time(seconds)) {
      fail_run("", "the worker sent a broken line: " + printable(line));
    }
    runs().set_step_seconds(seconds);
  }

  void take_no_room(const std::string& line) {
    if (!is_baseline_) fail_run("", "the worker sent a broken line: " + printable(line));
    no_room_ = line.substr(worker_no_room_line.size());
  }

  void take_event(const TraceEvent& event) {
    runs().add(event);
    if (on_event_) on_event_(is_baseline_, event);
    if (event.kind != TraceEvent::Kind::node_end) return;
    ++steps_done_;
    progress_.update(
        static_cast<double>(steps_done_) / static_cast<double>(std::max<std::size_t>(1, steps_)),
        stage());
  }

  std::string stage() const {
    const std::string run = describe_run(counts_, std::max(0, run_));
    return (is_baseline_ ? "running without plans" : "running with plans") + place_ +
           (run.empty() ? "" : ", " + run);
  }

  std::string step_;
  std::size_t steps_;
  RunCounts counts_;
  std::string place_;
  const std::function<void(bool, const TraceEvent&)>& on_event_;
  const Progress& progress_;
  VariantRuns baseline_;
  VariantRuns current_;
  std::size_t steps_done_ = 0;
  int run_ = -1;
  std::optional<std::string> no_room_;  ///< why the baseline does not fit on the device
  bool is_baseline_ = true;
  bool said_step_ = false;
  bool done_ = false;
};

/// The session for the worker. Sets the assumed sizes, so that the worker runs the study's step.
Session session_of_run(const Study& study, const fs::path& model) {
  Session session;
  session.model = fs::absolute(model);
  session.choices = study.choices;
  for (const Dimension& each : study.sizes->dims.dimensions)
    session.choices.dims[each.name] = each.value;
  return session;
}

std::vector<std::string> worker_arguments(const std::string& file, const Study& study,
                                          const RunCounts& counts) {
  return {file,        "--stream",
          "--device",  choice_text(study.choices.device, no_device),
          "--warm-up", std::to_string(counts.warm_up),
          "--repeat",  std::to_string(counts.repeats)};
}

/// Runs the worker on another machine. Run errors name the machine.
void run_there(const RemoteHost& host, const std::vector<std::string>& arguments,
               const FileBundle& files, StreamReader& reader, const Progress& progress) {
  std::vector<std::string> words = {host.worker};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const fs::path ssh = ssh_program();
  progress.update(0, "sending the model to " + to_string(host));
  try {
    const ChildEnd end = run_child_to_end(
        ssh, ssh_arguments(host, words), [&](const std::string& line) { reader.take(line); },
        progress, files.pieces());
    if (end.status != 0) throw remote_error(host, end);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::run || !error.where().empty()) throw;
    throw error.within(to_string(host));
  }
}

}  // namespace

StudyMeasurements measure_in_worker(const Study& study, const fs::path& model,
                                    const RunRequest& request,
                                    const std::function<void(bool, const TraceEvent&)>& on_event,
                                    const Progress& progress) {
  if (study.graph().data().captured) {
    fail_usage("run", "the model is a captured step, whose operators only PyTorch can run",
               "measure it with stashscope.measure in PyTorch, and import the measurement");
  }
  check_run_counts(request.counts);
  const Session session = session_of_run(study, model);
  const std::string place = request.host ? " on " + to_string(*request.host) : "";
  StreamReader reader(study, request.counts, place, on_event, progress);
  if (request.host) {
    run_there(*request.host, worker_arguments(bundled_step, study, request.counts),
              bundle_step(session, *study.model), reader, progress);
  } else {
    run_child(
        worker_program(), worker_arguments(standard_input.string(), study, request.counts),
        [&](const std::string& line) { reader.take(line); }, progress,
        session_text(session, standard_input.parent_path()));
  }
  return reader.finish();
}

StudyMeasurements without_baseline(Measurement current, const std::string& reason) {
  current.remarks.push_back("the step without plans was not measured: " + reason);
  return {std::nullopt, std::move(current)};
}

namespace {

/// Predicted bytes by slot, without the memory inside nodes.
std::vector<std::int64_t> predicted_tensors(const Variant& variant) {
  std::vector<std::int64_t> bytes = variant.timeline.live_bytes;
  for (std::size_t step = 0; step < bytes.size(); ++step) {
    bytes[step] -= of(variant.bands[step], Band::workspace);
  }
  return bytes;
}

}  // namespace

std::int64_t largest_error(const Variant& variant, const Measurement& measured) {
  return largest_difference(measured.live_bytes, predicted_tensors(variant));
}

std::int64_t predicted_peak_of_tensors(const Variant& variant) {
  if (predicted_inside_nodes(variant) == 0) return variant.timeline.peak_bytes;
  return std::ranges::max(predicted_tensors(variant));
}

std::int64_t predicted_inside_nodes(const Variant& variant) {
  std::int64_t inside = 0;
  for (const auto& bands : variant.bands) inside = std::max(inside, of(bands, Band::workspace));
  return inside;
}

std::int64_t predicted_with_workspace(const Variant& variant, const Measurement& measured) {
  Measurement predicted;
  predicted.peak_bytes = variant.timeline.peak_bytes;
  predicted.live_bytes = predicted_tensors(variant);
  predicted.workspace_bytes = measured.workspace_bytes;
  return peak_with_workspace(predicted);
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

namespace {

/// Adds the remarks of both runs. A remark that both runs have is added only once.
void add_remarks_of_runs(const StudyMeasurements& measured, std::vector<std::string>& remarks) {
  const Measurement& current = measured.current;
  const auto has = [](const Measurement& run, const std::string& remark) {
    return std::ranges::find(run.remarks, remark) != run.remarks.end();
  };
  const auto add = [&](const char* which, const std::string& remark) {
    remarks.push_back(std::string(which) + ": " + printable(remark, most_of_remark));
  };
  if (!measured.baseline) {
    for (const std::string& each : current.remarks) add("Note", each);
    return;
  }
  for (const std::string& each : measured.baseline->remarks) {
    add(has(current, each) ? "Both runs" : "Without plans", each);
  }
  for (const std::string& each : current.remarks) {
    if (!has(*measured.baseline, each)) add("With plans", each);
  }
}

}  // namespace

std::vector<std::string> remarks_on(const Study& study, const StudyMeasurements& measured) {
  std::vector<std::string> remarks;
  const Measurement& first = measured.baseline ? *measured.baseline : measured.current;
  for (const auto& [name, size] : sizes_unlike_predicted(study, first)) {
    remarks.push_back("Dimension '" + printable(name) + "' was " + std::to_string(size) +
                      " with the data of the run, but the prediction is for another size.");
  }
  add_remarks_of_runs(measured, remarks);
  const std::int64_t between =
      std::max(first.repeat_difference, measured.current.repeat_difference);
  if (between > 0) {
    remarks.push_back("The memory of the repeated runs differs by up to " + format_bytes(between) +
                      "; the report shows the memory of the last run.");
  }
  const std::int64_t inside =
      std::max(predicted_inside_nodes(*study.baseline), predicted_inside_nodes(*study.current));
  if (inside > 0) {
    remarks.push_back("The memory inside nodes (bodies of If, Loop and Scan; kernels), at most " +
                      format_bytes(inside) +
                      ", is predicted but not measured. The difference leaves this memory out.");
  }
  return remarks;
}

std::int64_t largest_error(const Study& study, const StudyMeasurements& measured) {
  const std::int64_t current = largest_error(*study.current, measured.current);
  if (!measured.baseline) return current;
  return std::max(current, largest_error(*study.baseline, *measured.baseline));
}

}  // namespace stashscope
