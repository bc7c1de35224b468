#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// The plans of a study as a config for ONNX Runtime.
struct ExportedConfig {
  RecomputeConfig config;
  std::vector<std::string> left_out;  ///< one clause per reason, with the affected entries
};

/// The plans of the study that are on and that ONNX Runtime can read. Leaves out plan types that
/// ONNX Runtime does not know, and clusters that the search of ONNX Runtime does not find. If the
/// version of ONNX Runtime reads counts, lowers the count of each cluster that ends with pinned
/// nodes, so that the count does not include these nodes. `left_out` also states what ONNX Runtime
/// recomputes although the study does not recompute it, which passes and what-ifs are on, and that
/// a planned sequence is missing.
ExportedConfig exported_config(const Study& study);
/// The part of `config` that ONNX Runtime can read. Its counts stay as they are.
ExportedConfig exported_config(const Study& study, const RecomputeConfig& config);

/// Peak and time of a step with the plans that ONNX Runtime runs.
struct ExportedEffect {
  std::int64_t peak_bytes = 0;
  double extra_seconds = 0;     ///< seconds that the plans add to the step
  std::string_view version;     ///< of ONNX Runtime
  bool ignores_counts = false;  ///< whether this version ignores counts
};

/// Whether passes or what-ifs are on. A config string cannot express them.
bool changes_model(const Study& study);

/// The effect of the exported config on the step. Nothing if ONNX Runtime then runs exactly the
/// plans of the study, if the study has a planned sequence, if passes or what-ifs change the model,
/// and for a captured step. Throws a cancelled Error when cancelled.
std::optional<ExportedEffect> exported_effect(const Study& study, const Progress& progress);

/// The config in the form that the chosen version of ONNX Runtime takes: a config string or a JSON
/// list of its entries.
std::string config_text(const Study& study, const RecomputeConfig& config);

/// The texts that switch the exported plans on in the chosen version of ONNX Runtime.
struct ExportedEnvironment {
  std::string block;                  ///< shell text; its comments list what is left out
  std::string config_file;            ///< the text of the file that the block names; empty: no file
  std::vector<std::string> left_out;  ///< the block's comments
  bool switches_nothing_on = false;
};

/// The texts that export the plans of the study. @param path path of the file for the block
ExportedEnvironment exported_environment(const Study& study, const std::string& path);

/// Writes the block to `path` and, if the block names one, the config file beside it. Throws an
/// input Error if a file cannot be written, or if the config file's name belongs to a file of
/// another kind.
/// @param exported the result of `exported_environment` for the same path
void write_environment(const ExportedEnvironment& exported, const std::string& path);

/// The path of the config file for a block that is saved at `path`.
std::string config_file_beside(const std::string& path);

}  // namespace stashscope
