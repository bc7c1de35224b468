#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/run/measurement/trace.h"
#include "core/study/choices/choices.h"

namespace stashscope {

/// What a session file holds: where the model is, what was chosen, what was measured.
struct Session {
  std::filesystem::path model;  ///< absolute once loaded
  std::string model_hash;       ///< of the model file when the session was saved
  Choices choices;
  std::optional<Measurement> baseline_measured;
  std::optional<Measurement> current_measured;

  void forget_measurements() {
    baseline_measured.reset();
    current_measured.reset();
  }
  /// Memory is the same on every device, times are not.
  void forget_measured_times();

  friend bool operator==(const Session&, const Session&) = default;
};

/// JSON text of a session; the model is named relative to `folder` where it lies below it.
std::string session_text(const Session& session, const std::filesystem::path& folder);
/// Throws an input Error that says what is wrong with the text.
Session parse_session(const std::string& text, const std::filesystem::path& folder);

void save_session(const Session& session, const std::filesystem::path& path);
/// Throws an input Error that names the file. A model that changed since is said in `warning`.
Session load_session(const std::filesystem::path& path, std::string& warning);

/// Whether the file looks like a session and not like a model.
bool is_session_file(const std::filesystem::path& path);

}  // namespace stashscope
