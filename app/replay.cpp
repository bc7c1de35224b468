#include "app/replay.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "app/options.h"
#include "app/parsed_file.h"
#include "core/allocator/replay.h"
#include "core/base/error.h"
#include "core/base/text.h"
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
      " of " + with_thousands(result.new_segments) + " new segments are right\n" +
      "Reserved at the end: " + exact_bytes(result.reserved_end_bytes) +
      ", recorded: " + exact_bytes(result.recorded_reserved_end_bytes) + "\n" +
      "Most reserved: " + exact_bytes(result.most_reserved_bytes) + "\n";
  if (!result.first_difference) return text;
  const ReplayDifference& difference = *result.first_difference;
  return text + "First difference: event " + std::to_string(difference.event) +
         ", an allocation of " + with_thousands(difference.bytes) + " B at " +
         std::to_string(difference.recorded_address) + ": " + difference.reason + "\n";
}

SnapshotRecording recording_in_snapshot(const ReplayOptions& options) {
  if (!options.segments.empty()) {
    fail_usage("--segments", "is given beside a snapshot, which has segments of its own",
               "leave it out");
  }
  const MemorySnapshot snapshot = load_snapshot(options.events);
  return recording_of(snapshot, main_device(snapshot));
}

SnapshotRecording recording_in(const ReplayOptions& options) {
  if (is_snapshot_file(options.events)) return recording_in_snapshot(options);
  if (options.segments.empty())
    fail_usage("--replay", "requires --segments", "add --segments FILE");
  const auto events =
      parsed_file(options.events, [](const std::string& text) { return parse_trace_events(text); });
  return {parsed_file(options.segments,
                      [](const std::string& text) { return parse_recorded_state(text); }),
          events};
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
                "place new segments of the replay at addresses of the program's own")
      ->needs(replay);
}

int run_replay(const ReplayOptions& options, const std::string& format) {
  const SnapshotRecording recording = recording_in(options);
  ReplayResult result;
  try {
    result = replay(recording.events, recording.end,
                    options.own_addresses ? ReplayAddresses::own : ReplayAddresses::recorded);
  } catch (const Error& error) {
    throw error.within(printable(options.events));
  }
  std::cout << (format == "json" ? result_json(result).dump(2) + "\n" : result_text(result));
  flush_output();
  return 0;
}

}  // namespace stashscope::app
