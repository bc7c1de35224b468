#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/process/remote.h"
#include "core/run/measurement/run_counts.h"
#include "core/study/files/session.h"
#include "core/study/step/study.h"

namespace stashscope {

/// Measurements of the variant without plans and of the chosen one.
struct StudyMeasurements {
  std::optional<Measurement> baseline;  ///< nothing where it found no room on the device
  Measurement current;
};

/// The same without the baseline, which a remark gives the reason for.
StudyMeasurements without_baseline(Measurement current, const std::string& reason);

/// Where and how often a step runs.
struct RunRequest {
  RunCounts counts;
  std::optional<RemoteHost> host;  ///< nothing: this machine

  friend bool operator==(const RunRequest&, const RunRequest&) = default;
};

/// Runs both variants of a study in the worker program, with random data, and collects what it
/// streams. On another machine the model and its data are sent along.
/// @param model where the study's model was loaded from
/// @param on_event sees every event as it arrives; may be null
/// A baseline that finds no room on the device is left out.
/// Throws the worker's error, one that says why the machine cannot be used, or a cancelled one.
StudyMeasurements measure_in_worker(
    const Study& study, const std::filesystem::path& model, const RunRequest& request,
    const std::function<void(bool baseline, const TraceEvent&)>& on_event,
    const Progress& progress);

/// The largest difference between measured and predicted live bytes over all steps. What nodes take
/// inside of themselves (the bodies of If, Loop and Scan) is predicted but not measured, and left
/// out.
std::int64_t largest_error(const Variant& variant, const Measurement& measured);

/// The same over the variants that were measured.
std::int64_t largest_error(const Study& study, const StudyMeasurements& measured);

/// The most that tensors take as predicted, together with the scratch memory that kernels had
/// beside them as measured.
std::int64_t predicted_with_workspace(const Variant& variant, const Measurement& measured);

/// The dims that depend on data, where a run had other ones than the study.
std::map<std::string, std::int64_t> sizes_unlike_predicted(const Study& study,
                                                           const Measurement& measured);

/// What a reader of the figures has to know: a sentence each.
std::vector<std::string> remarks_on(const Study& study, const StudyMeasurements& measured);

}  // namespace stashscope
