#include "core/study/files/loaded_model.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/onnx/model_file.h"

namespace stashscope {

LoadedModel load_model_or_session(const std::filesystem::path& file,
                                  const std::function<void(Choices&)>& adjust) {
  LoadedModel loaded;
  std::string warning;
  if (is_session_file(file)) {
    loaded.session = load_session(file, warning);
    loaded.session_file = file;
  } else {
    loaded.session.model = file;
  }
  if (!warning.empty()) loaded.warnings.push_back(warning);
  const Choices measured_choices = loaded.session.choices;
  if (adjust) adjust(loaded.session.choices);
  if (!same_step(measured_choices, loaded.session.choices)) loaded.session.forget_measurements();
  if (measured_choices.times.profile != loaded.session.choices.times.profile) {
    loaded.session.forget_measured_times();
  }
  loaded.model = std::make_shared<const Graph>(load_model(loaded.session.model));
  return loaded;
}

std::shared_ptr<const Study> study_of(const LoadedModel& loaded, const Progress& progress) {
  try {
    return compute_study(loaded.model, loaded.session.choices, nullptr, progress);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::input) {
      throw error.within(printable(loaded.session.model.string()));
    }
    // The Error names the session's file, because the choice may come from the session.
    const bool is_chosen = error.kind() == ErrorKind::usage && !loaded.session_file.empty();
    if (is_chosen) throw error.within(printable(loaded.session_file.string()));
    throw;
  }
}

std::shared_ptr<const Study> study_with_times(const LoadedModel& loaded, const Progress& progress) {
  return with_times_of(loaded.session, study_of(loaded, progress));
}

std::shared_ptr<const Study> with_times_of(const Session& session,
                                           std::shared_ptr<const Study> study) {
  if (!session.current_measured) return study;
  return with_measured_times(*study, session.baseline_measured, *session.current_measured);
}

void save_with_model(Session session, const std::filesystem::path& path) {
  session.model_hash = hash_file(session.model);
  session.model = std::filesystem::absolute(session.model).lexically_normal();
  save_session(session, path);
}

}  // namespace stashscope
