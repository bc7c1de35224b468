#include "app/leaks.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "app/options.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/snapshot/leaks.h"
#include "core/snapshot/snapshot_file.h"

namespace stashscope::app {

namespace {

using nlohmann::json;

LeakSearch search_in(const std::vector<std::string>& files) {
  if (files.size() == 1) {
    const MemorySnapshot snapshot = load_snapshot(files.front());
    return read_option(printable(files.front()), [&] { return leaks_in(snapshot); });
  }
  return read_option("--find-leaks", [&] {
    return leaks_between(files.size(), [&](std::size_t i) { return load_snapshot(files[i]); });
  });
}

/// The average growth from one step, or one snapshot, to the next.
double bytes_per_step(const Leak& leak, const LeakSearch& search) {
  return static_cast<double>(leak.growth_bytes()) /
         static_cast<double>(search.steps.back() - search.steps.front());
}

const char* unit_of(const LeakSearch& search) {
  return search.allocations_per_step == 0 ? "snapshot" : "step";
}

std::string moments_text(const LeakSearch& search) {
  const std::string device = "Device " + std::to_string(search.device) + ": ";
  if (search.allocations_per_step == 0) {
    return device + std::to_string(search.steps.size()) + " snapshots\n";
  }
  const bool is_sampled = search.steps.size() < search.steps.back();
  return device + std::to_string(search.steps.back()) + " repetitions of " +
         counted(search.allocations_per_step, "allocation", "allocations") + ", taken as steps" +
         (is_sampled ? ", " + std::to_string(search.steps.size()) + " of these steps compared"
                     : "") +
         "\n";
}

std::string leak_text(const Leak& leak, const LeakSearch& search) {
  std::string text = "  " + printable(leak.place);
  if (!leak.function.empty()) text += " in " + printable(leak.function);
  text += ": " + format_bytes(leak.growth_bytes()) + " more";
  const double rate = bytes_per_step(leak, search);
  if (rate >= 1) {
    text += ", " + format_bytes(static_cast<std::int64_t>(rate)) + " a " + unit_of(search);
  }
  text += "; from " +
          counted(static_cast<std::size_t>(leak.levels.front().tensors), "tensor", "tensors") +
          " to " + std::to_string(leak.levels.back().tensors) + "\n";
  if (leak.callers.empty()) return text;
  return text + "    called from " + printable(join(leak.callers, ", ")) + "\n";
}

std::string text_of(const LeakSearch& search) {
  const std::int64_t first = search.levels.front().bytes;
  const std::int64_t last = search.levels.back().bytes;
  const std::string unit = unit_of(search);
  std::string text = moments_text(search) + "Tensors in the first " + unit + ": " +
                     format_bytes(first) + ", in the last: " + format_bytes(last) + "\n";
  if (search.leaks.empty()) {
    text += "No line of the program holds more from " + unit + " to " + unit + ".\n";
    if (last <= first) return text;
    return text + "All tensors together grew by " + format_bytes(last - first) +
           ", but no line keeps growing: each shrinks at least once, grows at most once, or no "
           "longer grows in the second half.\n";
  }
  text += "These lines hold more from " + unit + " to " + unit + ":\n";
  for (const Leak& each : search.leaks) text += leak_text(each, search);
  return text;
}

json levels_json(const std::vector<LiveLevel>& levels, std::int64_t LiveLevel::*part) {
  json list = json::array();
  for (const LiveLevel& each : levels) list.push_back(each.*part);
  return list;
}

json leak_json(const Leak& leak, const LeakSearch& search) {
  json callers = json::array();
  for (const std::string& each : leak.callers) callers.push_back(to_valid_utf8(each));
  return {{"place", to_valid_utf8(leak.place)},
          {"function", to_valid_utf8(leak.function)},
          {"callers", callers},
          {"bytes_per_step", bytes_per_step(leak, search)},
          {"growth_bytes", leak.growth_bytes()},
          {"live_bytes", levels_json(leak.levels, &LiveLevel::bytes)},
          {"live_tensors", levels_json(leak.levels, &LiveLevel::tensors)}};
}

json json_of(const LeakSearch& search) {
  json leaks = json::array();
  for (const Leak& each : search.leaks) leaks.push_back(leak_json(each, search));
  json object = {{"device", search.device},
                 {"steps", search.steps},
                 {"live_bytes", levels_json(search.levels, &LiveLevel::bytes)},
                 {"live_tensors", levels_json(search.levels, &LiveLevel::tensors)},
                 {"leaks", leaks}};
  if (search.allocations_per_step > 0) {
    object["allocations_per_step"] = search.allocations_per_step;
  }
  return object;
}

}  // namespace

void add_leak_options(CLI::App& program, std::vector<std::string>& snapshots) {
  program
      .add_option("--find-leaks", snapshots,
                  "print the lines of the program whose tensors accumulate from step to step; give "
                  "one memory snapshot of PyTorch with a trace of three or more steps, or three or "
                  "more snapshots, each taken after a step")
      ->type_name("SNAPSHOT")
      ->excludes("--batch")
      ->excludes("--replay")
      ->excludes("--screenshot")
      ->excludes("--workspace");
}

int run_leak_search(const std::vector<std::string>& snapshots, const std::string& format) {
  const LeakSearch search = search_in(snapshots);
  std::cout << (format == "json" ? json_of(search).dump(2) + "\n" : text_of(search));
  flush_output();
  return 0;
}

}  // namespace stashscope::app
