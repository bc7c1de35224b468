#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/run/measurement/trace.h"
#include "core/study/choices/choices.h"

namespace stashscope {

/// The content of a session file: path of the model, choices and measurements.
struct Session {
  std::filesystem::path model;  ///< absolute once loaded
  std::string model_hash;       ///< hash of the model file when the session was saved
  Choices choices;
  std::optional<Measurement> baseline_measured;
  std::optional<Measurement> current_measured;

  void forget_measurements() {
    baseline_measured.reset();
    current_measured.reset();
  }
  /// Drops the measured times of the nodes. Keeps the measured memory, which is the same on every
  /// device.
  void forget_measured_times();

  friend bool operator==(const Session&, const Session&) = default;
};

/// JSON text of a session. The path of a model below `folder` is relative to `folder`.
std::string session_text(const Session& session, const std::filesystem::path& folder);
/// Throws an input Error that states the fault of the text.
Session parse_session(const std::string& text, const std::filesystem::path& folder);

void save_session(const Session& session, const std::filesystem::path& path);
/// Throws an input Error that names the file. If the model changed since the session was saved,
/// sets `warning` and drops the measurements.
Session load_session(const std::filesystem::path& path, std::string& warning);

/// Whether the file looks like a session rather than a model.
bool is_session_file(const std::filesystem::path& path);

}  // namespace stashscope
