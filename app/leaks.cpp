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
  std::vector<LivePlaces> ends;
  for (const std::string& file : files) ends.push_back(live_at_end(load_snapshot(file)));
  return read_option("--find-leaks", [&] { return leaks_between(ends); });
}

std::int64_t per_step(std::int64_t first, std::int64_t last, const LeakSearch& search) {
  return (last - first) / static_cast<std::int64_t>(search.steps.back() - search.steps.front());
}

std::string steps_text(const LeakSearch& search) {
  if (search.allocations_per_step == 0) {
    return counted(search.steps.size(), "snapshot", "snapshots") + "\n";
  }
  std::string text = counted(search.steps.back(), "step", "steps") + " of " +
                     counted(search.allocations_per_step, "allocation", "allocations");
  const bool is_sampled = search.steps.size() < search.steps.back();
  return text +
         (is_sampled ? ", compared at " + std::to_string(search.steps.size()) + " of them" : "") +
         "\n";
}

std::string leak_text(const Leak& leak, const LeakSearch& search) {
  const LiveLevel& first = leak.levels.front();
  const LiveLevel& last = leak.levels.back();
  std::string text = "  " + printable(leak.place);
  if (!leak.function.empty()) text += " in " + printable(leak.function);
  text += ": " + format_bytes(per_step(first.bytes, last.bytes, search)) + " a step; " +
          format_bytes(first.bytes) + " in " + counted(first.tensors, "tensor", "tensors") +
          " after the first, " + format_bytes(last.bytes) + " in " + std::to_string(last.tensors) +
          " after the last\n";
  if (leak.callers.empty()) return text;
  return text + "    called from " + printable(join(leak.callers, ", ")) + "\n";
}

std::string text_of(const LeakSearch& search) {
  std::string text = steps_text(search);
  const LiveLevel& first = search.levels.front();
  const LiveLevel& last = search.levels.back();
  text += "Tensors after the first: " + format_bytes(first.bytes) +
          ", after the last: " + format_bytes(last.bytes) + "\n";
  if (search.leaks.empty()) return text + "No line of the program holds more from step to step.\n";
  text += "More is alive from step to step of what these lines make:\n";
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
          {"bytes_per_step", per_step(leak.levels.front().bytes, leak.levels.back().bytes, search)},
          {"growth_bytes", leak.growth_bytes()},
          {"live_bytes", levels_json(leak.levels, &LiveLevel::bytes)},
          {"live_tensors", levels_json(leak.levels, &LiveLevel::tensors)}};
}

json json_of(const LeakSearch& search) {
  json leaks = json::array();
  for (const Leak& each : search.leaks) leaks.push_back(leak_json(each, search));
  json object = {{"steps", search.steps},
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
                  "print the lines of the program whose tensors become more from step to step: a "
                  "memory snapshot of PyTorch with a trace of three or more steps, or three or "
                  "more snapshots, each taken after a step")
      ->type_name("SNAPSHOT...")
      ->excludes("--batch")
      ->excludes("--replay");
}

int run_leak_search(const std::vector<std::string>& snapshots, const std::string& format) {
  const LeakSearch search = search_in(snapshots);
  std::cout << (format == "json" ? json_of(search).dump(2) + "\n" : text_of(search));
  flush_output();
  return 0;
}

}  // namespace stashscope::app
