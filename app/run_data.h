#pragma once

#include "core/run/step/runner.h"
#include "core/study/files/loaded_model.h"
#include "core/study/step/study.h"

namespace stashscope::app {

/// The study with the dimensions of given inputs. Where it is they that do not fit, and not the
/// choices, this is a fault of the input.
std::shared_ptr<const Study> study_with(LoadedModel& loaded, const NamedTensors& inputs);

/// Random data for a step of which the memory of this machine takes `step_bytes`. Throws a run
/// Error before anything is made when it cannot hold them.
NamedTensors random_inputs(const Study& study, std::int64_t step_bytes, std::uint64_t seed);

}  // namespace stashscope::app
