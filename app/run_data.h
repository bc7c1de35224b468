#pragma once

#include "core/run/step/runner.h"
#include "core/study/files/loaded_model.h"
#include "core/study/step/study.h"

namespace stashscope::app {

/// The study with the dimensions of the given inputs. Throws an input Error if the inputs, rather
/// than the choices, are inconsistent with the model.
std::shared_ptr<const Study> study_with(LoadedModel& loaded, const NamedTensors& inputs);

/// Random data for a step that takes `step_bytes` of this machine's memory. Throws a run Error
/// before any allocation if this machine cannot hold the data and the step.
NamedTensors random_inputs(const Study& study, std::int64_t step_bytes, std::uint64_t seed);

}  // namespace stashscope::app
