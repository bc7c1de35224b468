#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/study/files/session.h"
#include "core/study/step/study.h"

namespace stashscope {

/// A model and the session with which the model was opened.
struct LoadedModel {
  Session session;                          ///< path of the model, choices and measurements
  std::filesystem::path session_file = {};  ///< empty if a model was opened
  std::shared_ptr<const Graph> model;
  std::vector<std::string> warnings;
};

/// Loads a model, or a session and the model that the session names.
/// @param adjust changes the choices before the model is loaded, so that a wrong choice is reported
/// first; may be null. Measurements that do not fit the changed choices are dropped.
/// Throws an input Error if a file cannot be loaded, and passes on the exceptions of `adjust`.
LoadedModel load_model_or_session(const std::filesystem::path& file,
                                  const std::function<void(Choices&)>& adjust = nullptr);

/// The study of a loaded model under the choices of its session, with predicted times. For a fault
/// of the model, throws an input Error that names the model's file. For choices that do not fit the
/// model, throws a usage Error that names the session's file, if any. Throws a cancelled Error when
/// cancelled.
std::shared_ptr<const Study> study_of(const LoadedModel& loaded,
                                      const Progress& progress = Progress());

/// The study of a loaded model, with the times measured in its session, if any, in place of
/// predicted times.
std::shared_ptr<const Study> study_with_times(const LoadedModel& loaded,
                                              const Progress& progress = Progress());
/// The study with the times measured in the session, if any, in place of predicted times.
std::shared_ptr<const Study> with_times_of(const Session& session,
                                           std::shared_ptr<const Study> study);

/// Saves the choices and measurements of a session, with the absolute path and the hash of its
/// model's file. Throws an input Error if a file cannot be read or written.
void save_with_model(Session session, const std::filesystem::path& path);

}  // namespace stashscope
