#pragma once

// The forms of attention in training steps.

#include <string>

#include "core/passes/training_step.h"

namespace stashscope::testing_run {

constexpr const char* attention_forms[] = {"decomposed", "recomputed", "efficient", "flash"};

/// @param form empty: as the model has it
inline TrainingStep with_attention(const Graph& model, const std::string& form) {
  PassSelection selection;
  if (!form.empty()) selection.what_ifs = {{"attention", form}};
  return prepare_training_step(model, {}, selection);
}

}  // namespace stashscope::testing_run
