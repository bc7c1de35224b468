#include "app/replay.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "app/options.h"
#include "app/parsed_file.h"
#include "core/allocator/replay.h"
#include "core/allocator/trace_advice.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/report/reserved_report.h"
#include "core/snapshot/live_tensors.h"
#include "core/snapshot/places.h"
#include "core/snapshot/snapshot_file.h"
#include "core/snapshot/snapshot_recording.h"

namespace stashscope::app {

namespace {

using nlohmann::json;

json difference_json(const std::optional<ReplayDifference>& difference) {
  if (!difference) return nullptr;
  return {{"event", difference->event},
          {"size", difference->bytes},
          {"recorded_address", difference->recorded_address},
          {"address", difference->address},
          {"reason", difference->reason}};
}

json result_json(const ReplayResult& result) {
  return {{"allocations", result.allocations},
          {"at_recorded_address", result.at_recorded_address},
          {"new_segments", result.new_segments},
          {"new_segments_right", result.new_segments_right},
          {"reserved_start_bytes", result.start_bytes},
          {"reserved_end_bytes", result.reserved_end_bytes},
          {"recorded_reserved_end_bytes", result.recorded_reserved_end_bytes},
          {"most_reserved_bytes", result.most_reserved_bytes},
          {"first_difference", difference_json(result.first_difference)}};
}

std::string result_text(const ReplayResult& result) {
  std::string text =
      with_thousands(result.at_recorded_address) + " of " + with_thousands(result.allocations) +
      " allocations lie at their recorded address\n" + with_thousands(result.new_segments_right) +
      " of " + with_thousands(result.new_segments) + " new segments are as recorded\n" +
      "Reserved at the end: " + exact_bytes(result.reserved_end_bytes) +
      ", recorded: " + exact_bytes(result.recorded_reserved_end_bytes) + "\n" +
      "Most reserved: " + exact_bytes(result.most_reserved_bytes) + "\n";
  if (!result.first_difference) return text;
  const ReplayDifference& difference = *result.first_difference;
  return text + "First difference: event " + std::to_string(difference.event) +
         ", an allocation of " + with_thousands(difference.bytes) + " B at " +
         std::to_string(difference.recorded_address) + ": " + difference.reason + "\n";
}

/// A recording and, if it was read from a snapshot, that snapshot.
struct Recorded {
  SnapshotRecording recording;
  std::optional<MemorySnapshot> snapshot;  ///< not set for events as CSV
  std::int64_t device = 0;                 ///< the recorded device of the snapshot
};

Recorded recorded_in_snapshot(const ReplayOptions& options) {
  if (!options.segments.empty()) {
    fail_usage("--segments", "is given beside a snapshot, which has segments of its own",
               "leave it out");
  }
  MemorySnapshot snapshot = load_snapshot(options.events);
  const std::int64_t device = main_traced_device(snapshot);
  SnapshotRecording recording = recording_of(snapshot, device);
  return {std::move(recording), std::move(snapshot), device};
}

Recorded recorded_in(const ReplayOptions& options) {
  if (is_snapshot_file(options.events)) return recorded_in_snapshot(options);
  if (options.segments.empty())
    fail_usage("--replay", "requires --segments", "add --segments FILE");
  const auto events =
      parsed_file(options.events, [](const std::string& text) { return parse_trace_events(text); });
  return {{parsed_file(options.segments,
                       [](const std::string& text) { return parse_recorded_state(text); }),
           events},
          {},
          0};
}

/// Names the tensors of a recording by the lines that made them, as far as these are known. Keeps a
/// reference to the recording.
class TensorNames {
 public:
  explicit TensorNames(const Recorded& recorded) : recorded_(recorded) {
    if (recorded.snapshot) before_ = tensors_before(*recorded.snapshot, recorded.device);
  }

  std::string operator()(const TraceTensor& tensor) const {
    const std::string place = place_of_tensor(tensor);
    const std::string subject =
        place == unknown_place ? "the tensor" : "the tensor that " + place + " made";
    if (tensor.event) return subject + " in event " + std::to_string(*tensor.event);
    if (place != unknown_place) return subject + " before the trace";
    return subject + " at address " + std::to_string(tensor.address) + " from before the trace";
  }

 private:
  std::string place_of_tensor(const TraceTensor& tensor) const {
    if (!recorded_.snapshot) return std::string(unknown_place);
    return place_of(recorded_.snapshot->names, stack_of(tensor));
  }

  SnapshotStackId stack_of(const TraceTensor& tensor) const {
    if (tensor.event) return events_of(*recorded_.snapshot, recorded_.device)[*tensor.event].stack;
    const auto found = before_.find(tensor.address);
    return found == before_.end() ? SnapshotStackId() : found->second.stack;
  }

  const Recorded& recorded_;
  LiveTensors before_;
};

void print_text(const ReplayResult& result, const std::optional<AllocatorAdvice>& advice) {
  std::cout << result_text(result);
  if (advice) std::cout << advice_text(*advice);
}

void print_json(const ReplayResult& result, const std::optional<AllocatorAdvice>& advice) {
  json printed = result_json(result);
  if (advice) printed["allocator_advice"] = advice_json(*advice);
  std::cout << printed.dump(2) << "\n";
}

}  // namespace

void add_replay_options(CLI::App& program, ReplayOptions& options) {
  CLI::Option* const replay =
      program
          .add_option("--replay", options.events,
                      "play a recorded trace of PyTorch's allocator: a memory snapshot, or events "
                      "as CSV with --segments, may be compressed with gzip")
          ->type_name("EVENTS");
  program
      .add_option("--segments", options.segments,
                  "the segments at the end of the trace as JSON, may be compressed with gzip")
      ->type_name("FILE")
      ->needs(replay);
  program
      .add_flag("--own-addresses", options.own_addresses,
                "let the program choose the addresses of new segments, instead of the recorded "
                "addresses")
      ->needs(replay);
}

int run_replay(const ReplayOptions& options, bool advises, const std::string& format) {
  const Recorded recorded = recorded_in(options);
  const auto& [end, events] = recorded.recording;
  ReplayResult result;
  std::optional<AllocatorAdvice> advice;
  try {
    result = replay(events, end,
                    options.own_addresses ? ReplayAddresses::own : ReplayAddresses::recorded);
    if (advises) advice = trace_advice(events, end, TensorNames(recorded));
  } catch (const Error& error) {
    throw error.within(printable(options.events));
  }
  (format == "json" ? print_json : print_text)(result, advice);
  flush_output();
  return 0;
}

}  // namespace stashscope::app
