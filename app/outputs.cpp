#include "app/outputs.h"

#include "core/base/files.h"

namespace stashscope::app {

OverwriteGuard files_read(const AnalysisOptions& options, const LoadedModel& loaded) {
  OverwriteGuard files;
  files.add_model(loaded.session.model, *loaded.model);
  // If `options.file` is a model and not a session, the guard already has this file and keeps its
  // description "the model".
  files.add_session(options.file);
  for (const std::string& plan : options.plans) {
    if (plan.starts_with('@')) files.add(plan.substr(1), "the plans");
  }
  if (std::filesystem::exists(options.profile)) files.add(options.profile, "the profile");
  if (!options.measurement.empty()) files.add(options.measurement, "the measurement");
  return files;
}

void require_writable(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    // Pipes are not opened for a test, because closing a pipe would end the output for its reader.
    const bool is_special = std::filesystem::exists(path) &&
                            !std::filesystem::is_regular_file(path) &&
                            !std::filesystem::is_directory(path);
    if (!path.empty() && !is_special) const FileReplacement dropped(path);
  }
}

}  // namespace stashscope::app
