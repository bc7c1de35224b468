#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/run/measurement/trace.h"
#include "core/study/choices/choices.h"

namespace stashscope {

/// The content of a session file: the path of the model, choices, the planner's budget and the kind
/// of memory that the budget limits, and measurements.
struct Session {
  std::filesystem::path model;  ///< path of the model file; absolute after loading
  std::string model_hash;       ///< hash of the model file when the session was saved
  Choices choices;
  std::optional<Measurement> baseline_measured;
  std::optional<Measurement> current_measured;
  std::string budget = {};  ///< the planner's budget as the user wrote it; empty: none was set
  /// Whether the planner's limits hold for reserved memory instead of tensors. Has no effect unless
  /// an allocator is chosen.
  bool fits_reserved = false;
  /// In a file that keeps unsaved choices: the path of the user's session to which these choices
  /// belong. Empty in all other sessions.
  std::filesystem::path unsaved_of = {};

  void forget_measurements() {
    baseline_measured.reset();
    current_measured.reset();
  }
  /// Drops the measured times of the nodes. Keeps the measured memory, which does not depend on the
  /// device profile.
  void forget_measured_times();

  friend bool operator==(const Session&, const Session&) = default;
};

/// JSON text of a session. If the model is below `folder`, the text has the model's relative path.
std::string session_text(const Session& session, const std::filesystem::path& folder);
/// Parses the text of a session file in `folder`. Throws a usage Error for an invalid choice, and
/// an input Error for any other fault.
Session parse_session(const std::string& text, const std::filesystem::path& folder);

void save_session(const Session& session, const std::filesystem::path& path);
/// Throws an input Error that names the file if the session is invalid or its model is missing. If
/// the model changed since the session was saved, sets `warning` and drops the measurements.
Session load_session(const std::filesystem::path& path, std::string& warning);

/// Whether the file looks like a session rather than a model. Throws an input Error if the file
/// cannot be read.
bool is_session_file(const std::filesystem::path& path);

}  // namespace stashscope
