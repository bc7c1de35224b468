#include "core/base/error.h"
#include "core/run/step/given_inputs.h"
#include "tests/core/run/models/model_run.h"
#include "tests/core/run/sweep/operand_sweep.h"

namespace stashscope::operand_sweep {

namespace {

using testing_run::ModelStep;

/// Runs the step and returns the largest difference between measured and predicted bytes at any
/// slot; nothing if sizes are unknown. The prediction has the data-dependent sizes of the run.
std::optional<std::int64_t> difference_of(ModelStep& step, const NamedTensors& inputs,
                                          std::string_view fusion) {
  const auto plan = [&] {
    return step.plan(step.without_plans(), order_strategies().front(), {}, fusion);
  };
  const RunPlan planned = plan();
  const RunResult result = testing_run::run_on_cpu(planned, inputs);
  step.take_sizes(result.measurement.data_dependent);
  std::vector<ValueId> unknown;
  value_bytes(*step.step.graph, step.bindings, unknown);
  if (!unknown.empty()) return std::nullopt;
  return largest_difference(result.measurement.live_bytes, plan().timeline.live_bytes);
}

}  // namespace

Outcome try_case(const Case& given) {
  try {
    const Model model = model_of(given);
    check_all_tensors(model.graph);
    ModelStep step(prepare_training_step(model.graph, {}), model.inputs);
    for (const char* const fusion : {"none", "memory-aware"}) {
      const auto difference = difference_of(step, model.inputs, fusion);
      if (difference && *difference != 0) {
        return {Outcome::Kind::fault,
                "measured " + std::to_string(*difference) + " B unlike predicted"};
      }
    }
    return {Outcome::Kind::ran, ""};
  } catch (const Error& error) {
    return {Outcome::Kind::refused, error.what()};
  } catch (const std::exception& error) {
    return {Outcome::Kind::fault, std::string("unclear: ") + error.what()};
  }
}

}  // namespace stashscope::operand_sweep
