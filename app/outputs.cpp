#include "app/outputs.h"

namespace stashscope::app {

TakenFiles files_read(const AnalysisOptions& options, const Subject& subject) {
  TakenFiles files;
  files.add_model(subject.session.model, *subject.model);
  // Where the input is the model itself, that is known by now.
  files.add_session(options.file);
  for (const std::string& plan : options.plans) {
    if (plan.starts_with('@')) files.add(plan.substr(1), "the plans");
  }
  if (std::filesystem::exists(options.profile)) files.add(options.profile, "the profile");
  return files;
}

}  // namespace stashscope::app
