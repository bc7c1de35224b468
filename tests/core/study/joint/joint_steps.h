#pragma once

#include <cmath>
#include <memory>

#include "core/onnx/model_file.h"
#include "core/study/step/study.h"

namespace stashscope::test {

/// A small GPT-2 at sequence 64.
inline std::shared_ptr<const Study> small_gpt2(const WhatIfChoices& what_ifs = {},
                                               std::int64_t batch = 8) {
  static const auto model =
      std::make_shared<const Graph>(load_model(STASHSCOPE_SAMPLES "/gpt2_tiny.onnx"));
  Choices choices;
  choices.dims = {{"inputs_input_ids_dim0", batch}, {"inputs_input_ids_dim1", 64}};
  choices.graph.what_ifs = what_ifs;
  return compute_study(model, choices, nullptr, Progress());
}

/// Bytes of a share of the peak without plans.
inline std::int64_t share_of_peak(const Study& study, int percent) {
  return std::llround(percent / 100.0 * static_cast<double>(study.baseline->timeline.peak_bytes));
}

}  // namespace stashscope::test
