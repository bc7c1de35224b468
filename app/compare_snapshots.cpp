#include "app/compare_snapshots.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/outputs.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/snapshot/snapshot_file.h"
#include "core/snapshot/snapshot_recording.h"
#include "core/snapshot/snapshot_use.h"
#include "core/study/exports/step_snapshot.h"
#include "core/study/reserved/reserved_memory.h"

namespace stashscope::app {

namespace {

using nlohmann::json;

/// A number of bytes that is stated for both sides.
struct Amount {
  const char* key;
  const char* title;
  std::int64_t SnapshotUse::*bytes;
};

constexpr Amount amounts[] = {
    {"peak_bytes", "Peak of tensors", &SnapshotUse::peak_bytes},
    {"reserved_bytes", "Most reserved", &SnapshotUse::reserved_bytes},
    {"end_bytes", "Tensors at the end", &SnapshotUse::end_bytes},
    {"reserved_end_bytes", "Reserved at the end", &SnapshotUse::reserved_end_bytes},
};

struct Grouping {
  const char* key;
  const char* title;
  std::vector<SnapshotShare> SnapshotUse::*shares;
};

constexpr Grouping groupings[] = {
    {"frames", "At the peak, by line", &SnapshotUse::frames},
    {"modules", "At the peak, by module", &SnapshotUse::modules},
    {"kinds", "At the peak, by kind", &SnapshotUse::kinds},
};

struct Sides {
  std::string left_name;
  std::string right_name;
  SnapshotUse left;
  SnapshotUse right;
};

std::string line_text(const std::string& name, std::int64_t left, std::int64_t right) {
  return "  " + printable(name, 60) + ": " + format_bytes(left) + ", " + format_bytes(right) +
         (left == right ? ", equal" : ", " + signed_bytes(right - left)) + "\n";
}

std::string shares_text(const Grouping& grouping, const Sides& sides) {
  constexpr std::size_t most = 20;
  std::string text = std::string(grouping.title) + "\n";
  std::vector<SharePair> pairs = paired(sides.left.*grouping.shares, sides.right.*grouping.shares);
  const auto equal = std::ranges::count(pairs, std::int64_t{0},
                                        [](const SharePair& each) { return each.difference(); });
  std::erase_if(pairs, [](const SharePair& each) { return each.difference() == 0; });
  for (std::size_t at = 0; at < std::min(pairs.size(), most); ++at) {
    text += line_text(pairs[at].name, pairs[at].left, pairs[at].right);
  }
  if (pairs.size() > most) {
    text += "  and " + std::to_string(pairs.size() - most) + " more; --format json lists all\n";
  }
  if (equal > 0) text += "  (equal on both sides: " + std::to_string(equal) + ")\n";
  return text;
}

std::string text_of(const Sides& sides) {
  std::string text = "Left:  " + printable(sides.left_name) +
                     "\nRight: " + printable(sides.right_name) + "\n\nMemory\n";
  for (const Amount& each : amounts) {
    text += line_text(each.title, sides.left.*each.bytes, sides.right.*each.bytes);
  }
  for (const Grouping& each : groupings) text += "\n" + shares_text(each, sides);
  return text;
}

json pair_json(std::int64_t left, std::int64_t right) {
  return {{"left", left}, {"right", right}, {"difference", right - left}};
}

json json_of(const Sides& sides) {
  json object = {{"left", to_valid_utf8(sides.left_name)},
                 {"right", to_valid_utf8(sides.right_name)},
                 {"left_device", sides.left.device},
                 {"right_device", sides.right.device}};
  for (const Amount& each : amounts) {
    object[each.key] = pair_json(sides.left.*each.bytes, sides.right.*each.bytes);
  }
  for (const Grouping& grouping : groupings) {
    json& rows = object[grouping.key] = json::array();
    for (const SharePair& each :
         paired(sides.left.*grouping.shares, sides.right.*grouping.shares)) {
      rows.push_back(pair_json(each.left, each.right));
      rows.back()["name"] = to_valid_utf8(each.name);
    }
  }
  return object;
}

/// The memory of the predicted step under the settings of the chosen allocator or, if none is
/// chosen, of the snapshot `other`.
SnapshotUse predicted_use(LoadedModel loaded, const BatchOptions& options,
                          const MemorySnapshot& other) {
  choose_allocator(options.allocator, loaded.session.choices);
  const auto study = study_with_times(loaded);
  print_warnings("stashscope", loaded.warnings);
  return snapshot_use(
      step_snapshot(*study, allocator_settings(study->choices).value_or(settings_of(other))));
}

void check_output(const AnalysisOptions& analysis, const BatchOptions& options,
                  OverwriteGuard files) {
  for (const std::string& path : {analysis.file, options.compare}) {
    if (is_snapshot_file(path)) files.add(path, "a snapshot");
  }
  if (!options.out.empty()) {
    files.claim("--out " + printable(options.out), options.out, "the file of --out");
  }
  require_writable({options.out});
}

Sides two_snapshots(const AnalysisOptions& analysis, const BatchOptions& options) {
  check_output(analysis, options, {});
  return {analysis.file, options.compare, snapshot_use(load_snapshot(analysis.file)),
          snapshot_use(load_snapshot(options.compare))};
}

Sides snapshot_and_step(const AnalysisOptions& analysis, const BatchOptions& options) {
  const MemorySnapshot left = load_snapshot(analysis.file);
  const LoadedModel right = stashscope::load_model_or_session(options.compare);
  AnalysisOptions other;
  other.file = options.compare;
  check_output(analysis, options, files_read(other, right));
  return {analysis.file, options.compare, snapshot_use(left), predicted_use(right, options, left)};
}

Sides step_and_snapshot(const AnalysisOptions& analysis, const BatchOptions& options) {
  const LoadedModel left = load_model_or_session(analysis);
  check_output(analysis, options, files_read(analysis, left));
  const MemorySnapshot right = load_snapshot(options.compare);
  return {analysis.file, options.compare, predicted_use(left, options, right), snapshot_use(right)};
}

}  // namespace

bool compares_snapshots(const AnalysisOptions& analysis, const BatchOptions& options) {
  return is_snapshot_file(analysis.file) || is_snapshot_file(options.compare);
}

int run_snapshot_comparison(const AnalysisOptions& analysis, const BatchOptions& options) {
  if (options.format != "text" && options.format != "json") {
    fail_usage("--format " + options.format, "cannot show a comparison", "choose text or json");
  }
  check_allocator(options.allocator);
  const bool is_left = is_snapshot_file(analysis.file);
  const bool is_right = is_snapshot_file(options.compare);
  const Sides sides = is_left && is_right ? two_snapshots(analysis, options)
                      : is_left           ? snapshot_and_step(analysis, options)
                                          : step_and_snapshot(analysis, options);
  write_text(options.format == "json" ? json_of(sides).dump(2) + "\n" : text_of(sides),
             options.out);
  return 0;
}

}  // namespace stashscope::app
