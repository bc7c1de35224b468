#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/search_limit.h"
#include "core/study/facts/exported_config.h"
#include "core/study/files/loaded_model.h"
#include "core/study/search/budget.h"
#include "core/study/search/replanned_fit.h"
#include "core/study/step/study.h"

namespace stashscope::python {

/// What `stashscope.load` takes besides the file.
struct LoadOptions {
  std::map<std::string, std::string> dims;  ///< name or pattern -> size or other name
  std::vector<std::string> plans;           ///< config texts, or `@FILE`
  int level = 0;                            ///< 0: the level of the session; without one, 0
  std::optional<std::string> order;
  /// Settings of PyTorch's allocator as in PYTORCH_CUDA_ALLOC_CONF; not set: those of the session.
  std::optional<std::string> allocator;
  std::map<std::string, std::string> what_ifs;  ///< value by name, as --what-if takes them
};

/// How `Study.budget` searches.
struct SearchOptions {
  std::string grain;
  SearchLimit limit;
  std::string aim;            ///< `time` or `operations`
  bool allows_lossy = false;  ///< whether a joint search may change results
};

/// A study of the engine with the file that it was loaded from. Never changed: every choice makes
/// another study. Functions that may take long can be cancelled by signals (cancellable.h).
class EngineStudy {
 public:
  /// Throws an Error as the programs do for the same file and options.
  static EngineStudy load(const std::string& path, const LoadOptions& options);

  const Study& study() const { return *study_; }
  /// What PyTorch's allocator reserves for the step, with the settings of the choices or, without
  /// them, the default ones.
  std::int64_t reserved_bytes() const;
  /// The notes of the loading and of the study.
  std::vector<std::string> warnings() const;

  /// The study with the plans of a config switched on or off.
  EngineStudy ticked(const std::string& config, bool on) const;
  /// The study with the plans that a search found for a budget such as `60%`.
  EngineStudy planned(const std::string& budget, const SearchOptions& options) const;

  /// The answer of the search that made this study, as JSON; nothing if no search did.
  std::optional<std::string> budget_answer() const;
  /// The answer of `--fit DIMENSION --memory SIZE`, as JSON. An empty size is that of the profile.
  /// @param replan the searches of `--fit-replan`; not set: no plans are made
  std::string fit(const std::string& dimension, const std::string& memory,
                  const std::optional<ReplanRequest>& replan) const;
  /// The report of `--batch --format json`.
  std::string report() const;
  std::string card() const;
  /// Saves a session with the choices of this study. Throws an Error if `path` is the model, or if
  /// it cannot be written.
  void save(const std::string& path) const;

 private:
  EngineStudy(std::string path, std::shared_ptr<const LoadedModel> loaded,
              std::shared_ptr<const Study> study);
  /// @param previous a study whose parts may be reused; may be null
  EngineStudy with_choices(const Choices& choices, const Study* previous) const;

  std::string path_;  ///< as the user wrote it
  std::shared_ptr<const LoadedModel> loaded_;
  std::shared_ptr<const Study> study_;
  std::shared_ptr<const BudgetAnswer> answer_;  ///< null: no search made this study
  std::optional<ExportedEffect> exported_;      ///< of a study that a search made
};

}  // namespace stashscope::python
