#include "app/exports.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/snapshot/snapshot_file.h"
#include "core/study/arena/arena_csv.h"
#include "core/study/exports/csv_tables.h"
#include "core/study/exports/node_data.h"
#include "core/study/exports/perfetto_trace.h"
#include "core/study/exports/step_snapshot.h"

namespace stashscope::app {

namespace {

/// The path with a suffix in its file name, such as `curve_tensors.csv` for `curve.csv`. Empty for
/// an empty path.
std::string file_beside(const std::string& path, const char* suffix) {
  if (path.empty()) return {};
  const std::filesystem::path whole(path);
  std::filesystem::path name = whole.stem();
  name += suffix;
  name += whole.extension();
  return (whole.parent_path() / name).string();
}

std::string tensors_file(const ExportOptions& options) {
  return file_beside(options.csv, "_tensors");
}

std::string stashed_file(const ExportOptions& options) {
  return file_beside(options.node_data, "_stashed");
}

void add_file_option(CLI::App& program, const char* name, std::string& path, const char* what,
                     CLI::Option* batch) {
  program.add_option(name, path, what)->type_name("FILE")->needs(batch);
}

/// An output with the option that names it.
struct Output {
  const char* option;
  std::string path;
};

std::vector<Output> outputs_of(const ExportOptions& options) {
  std::vector<Output> outputs;
  for (const auto& [option, path] :
       {std::pair<const char*, std::string>{"--export-snapshot", options.snapshot},
        {"--export-perfetto", options.perfetto},
        {"--export-node-data", options.node_data},
        {"--export-node-data", stashed_file(options)},
        {"--export-csv", options.csv},
        {"--export-csv", tensors_file(options)},
        {"--export-arena", options.arena}}) {
    if (!path.empty()) outputs.push_back({option, path});
  }
  return outputs;
}

}  // namespace

void add_export_options(CLI::App& program, ExportOptions& options, CLI::Option* batch) {
  CLI::Option* const snapshot =
      program
          .add_option("--export-snapshot", options.snapshot,
                      "write the predicted step as a memory snapshot for PyTorch's viewer")
          ->type_name("FILE")
          ->needs(batch);
  program
      .add_option("--snapshot-at", options.snapshot_at,
                  "moment of the segments in the snapshot: end of the step, or its peak (default "
                  "end)")
      ->check(CLI::IsMember({"end", "peak"}))
      ->needs(snapshot);
  add_file_option(program, "--export-perfetto", options.perfetto,
                  "write the nodes and the live bytes as a trace for ui.perfetto.dev", batch);
  add_file_option(
      program, "--export-node-data", options.node_data,
      "write the live bytes of each node for Model Explorer, and the stashed bytes into a "
      "second file beside it",
      batch);
  add_file_option(
      program, "--export-csv", options.csv,
      "write the live bytes by slot as CSV, and the tensors into a second file beside it", batch);
  add_file_option(program, "--export-arena", options.arena,
                  "write the static arena of the step as CSV, as stashscope-plan --arena reads it",
                  batch);
}

std::vector<std::string> export_paths(const ExportOptions& options) {
  std::vector<std::string> paths;
  for (const Output& each : outputs_of(options)) paths.push_back(each.path);
  return paths;
}

void claim_exports(const ExportOptions& options, OverwriteGuard& files) {
  for (const Output& each : outputs_of(options)) {
    files.claim(std::string(each.option) + " " + printable(each.path), each.path,
                std::string("the file of ") + each.option);
  }
}

void write_exports(const ExportOptions& options, const Study& study,
                   const std::optional<AllocatorSettings>& allocator, const FoundArena* arena) {
  if (!options.snapshot.empty()) {
    const SnapshotMoment moment =
        options.snapshot_at == "peak" ? SnapshotMoment::peak : SnapshotMoment::end;
    write_file_atomically(
        options.snapshot,
        snapshot_pickle(step_snapshot(study, allocator.value_or(AllocatorSettings()), moment)));
  }
  if (!options.perfetto.empty()) {
    write_file_atomically(options.perfetto, perfetto_trace(study, allocator));
  }
  if (!options.node_data.empty()) {
    write_file_atomically(options.node_data, node_data(study, NodeDataKind::live));
    write_file_atomically(stashed_file(options), node_data(study, NodeDataKind::stashed));
  }
  if (!options.csv.empty()) {
    write_file_atomically(options.csv, slot_csv(study, allocator));
    write_file_atomically(tensors_file(options), tensor_csv(study));
  }
  if (!options.arena.empty()) {
    if (arena->failure) throw Error(*arena->failure);
    write_file_atomically(options.arena, arena_csv(study, *study.current, *arena->arena));
  }
}

}  // namespace stashscope::app
