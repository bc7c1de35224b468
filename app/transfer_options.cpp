#include "app/transfer_options.h"

namespace stashscope::app {

void add_transfer_options(CLI::App& program, AnalysisOptions& options) {
  program
      .add_option("--transfer-bandwidth", options.transfer_bandwidth,
                  "GB/s between device and host in one direction, for plans of type 3 (default: "
                  "the bandwidth of the profile)")
      ->type_name("GB/S");
  CLI::Option* const overlaps = program.add_flag_callback(
      "--overlap-transfers", [&options] { options.overlaps_transfers = true; },
      "the copies of plans of type 3 run beside the nodes of the step, at the same peak");
  program
      .add_flag_callback(
          "--no-overlap-transfers", [&options] { options.overlaps_transfers = false; },
          "the step waits for the copies of plans of type 3 (the default, unless the session says "
          "otherwise)")
      ->excludes(overlaps);
  program
      .add_option("--host-memory", options.host_memory,
                  "most memory of the host that planners may use for plans of type 3, such as "
                  "64GiB; none: no limit (default: that of the session, else no limit)")
      ->type_name("SIZE");
}

void apply_transfer_options(const AnalysisOptions& options, Choices& choices) {
  if (options.transfer_bandwidth) {
    check_transfer_bandwidth(*options.transfer_bandwidth * 1e9);
    choices.times.transfer_bandwidth = *options.transfer_bandwidth * 1e9;
  }
  if (options.overlaps_transfers) choices.plans.overlaps_copies = *options.overlaps_transfers;
  if (options.host_memory == "none") {
    choices.times.host_memory.reset();
  } else if (!options.host_memory.empty()) {
    choices.times.host_memory = memory_in("--host-memory", options.host_memory);
  }
}

}  // namespace stashscope::app
