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

/// Measurements of the variant without plans and of the current variant.
struct StudyMeasurements {
  std::optional<Measurement> baseline;  ///< not set: a remark of `current` states why
  Measurement current;
};

/// Measurements without a baseline; a remark states the reason.
StudyMeasurements without_baseline(Measurement current, const std::string& reason);

/// The machine that runs a step, and the number of runs.
struct RunRequest {
  RunCounts counts;
  std::optional<RemoteHost> host;  ///< not set: this machine

  friend bool operator==(const RunRequest&, const RunRequest&) = default;
};

/// Runs both variants of a study with random data in the worker program and reads the worker's
/// stream. Sends the model and its data to another machine if the request names one. Leaves out a
/// baseline that does not fit on the device.
/// @param model the file from which the study's model was loaded
/// @param on_event called with every event as it arrives; may be null
/// Throws the worker's error, an Error that states why the machine cannot be used, a usage Error
/// for a captured step or invalid run counts, or a cancelled Error.
StudyMeasurements measure_in_worker(
    const Study& study, const std::filesystem::path& model, const RunRequest& request,
    const std::function<void(bool baseline, const TraceEvent&)>& on_event,
    const Progress& progress);

/// The largest difference between measured and predicted live bytes over all slots. The memory
/// inside nodes (the bodies of If, Loop and Scan; in a captured step, the workspace of kernels) is
/// left out, because a run does not measure it as live bytes.
std::int64_t largest_error(const Variant& variant, const Measurement& measured);

/// The largest difference between measured and predicted live bytes over all measured variants.
std::int64_t largest_error(const Study& study, const StudyMeasurements& measured);

/// The predicted peak without the memory inside nodes, which a run does not measure.
std::int64_t predicted_peak_of_tensors(const Variant& variant);

/// The most bytes that are predicted inside one node; 0 for a step without such memory.
std::int64_t predicted_inside_nodes(const Variant& variant);

/// The peak of predicted tensor bytes plus measured kernel workspace.
std::int64_t predicted_with_workspace(const Variant& variant, const Measurement& measured);

/// The data-dependent dimensions whose size in a run differs from their size in the study, or that
/// have no size in the study. Each comes with its size in the run.
std::map<std::string, std::int64_t> sizes_unlike_predicted(const Study& study,
                                                           const Measurement& measured);

/// Remarks that help a reader understand the measurements.
std::vector<std::string> remarks_on(const Study& study, const StudyMeasurements& measured);

}  // namespace stashscope
