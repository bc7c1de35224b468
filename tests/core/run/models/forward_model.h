#pragma once

// Forward models with outputs and gradients of other programs.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "model_run.h"

namespace stashscope::testing_run {

inline const fs::path models = STASHSCOPE_SHARED "/models";

#define SKIP_WITHOUT(folder) \
  if (!fs::exists(folder)) GTEST_SKIP() << (folder) << " is not there"

/// Forward models, whose backward pass we build.
class ForwardModel : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    folder_ = models / "small" / GetParam();
    SKIP_WITHOUT(folder_);
    std::ifstream file(folder_ / "manifest.json");
    const nlohmann::json manifest = nlohmann::json::parse(file);
    for (const auto& entry : manifest["grads"]) {
      if (entry[4].is_number()) deviations_[entry[0]] = entry[4];
    }
  }

  NamedTensors tensors(int set, const std::string& prefix) const {
    return load_tensors(folder_ / ("test_data_set_" + std::to_string(set)), prefix);
  }

  RunResult run(const Graph& model, const NamedTensors& inputs) const {
    const ModelStep step(prepare_training_step(model, {}), inputs);
    return run_on_cpu(step.default_plan(), inputs);
  }

  /// The distance of the oracle's float32 results from its float64 results.
  double deviation(const std::string& parameter, double largest_value) const {
    const auto known = deviations_.find(parameter);
    return known != deviations_.end() ? known->second : 2e-7 * largest_value;
  }

  /// Float32 gradients may differ by 50 deviations, but by at most a thousandth of the largest
  /// value, or 4 deviations if these are more.
  void check_gradients(int set, const RunResult& result) const {
    for (const auto& [parameter, expected] : tensors(set, "grad_")) {
      ASSERT_TRUE(result.outputs.contains(parameter + "_grad")) << parameter;
      const Difference found = difference(result.outputs.at(parameter + "_grad"), expected);
      const double apart = deviation(parameter, found.largest_value);
      EXPECT_LE(found.largest,
                std::min(50 * apart, std::max(1e-3 * found.largest_value, 4 * apart)))
          << parameter << " of data set " << set << ", largest value " << found.largest_value;
    }
  }

  void check_outputs(int set, const RunResult& result, double tolerance) const {
    for (const auto& [name, expected] : tensors(set, "output_")) {
      ASSERT_TRUE(result.outputs.contains(name)) << name;
      const Difference found = difference(result.outputs.at(name), expected);
      EXPECT_LE(found.largest, tolerance * found.largest_value) << name << " of data set " << set;
    }
  }

  fs::path folder_;
  std::map<std::string, double> deviations_;
};

/// With batch normalization over few numbers and ReLUs at their kink, float32 runs differ from each
/// other by percents, so only float64 is compared.
inline constexpr std::string_view chaotic_in_float32 = "inception_v3_div8_aux";

/// All models of small/ whose folders have expected results.
inline constexpr const char* models_with_oracle[] = {"bert_tiny",
                                                     "bloom_tiny_3layer",
                                                     "bloom_tiny_6heads",
                                                     "convnext_small",
                                                     "densenet_small",
                                                     "diffusion_unet_small",
                                                     "gpt2_tiny",
                                                     "gpt2_tiny_opset17_sharednames",
                                                     "inception_v3_div8_aux",
                                                     "lenet",
                                                     "llama_tiny_gqa",
                                                     "llama_tiny_mha",
                                                     "mlp_gelu",
                                                     "mlp_relu",
                                                     "mobilenet_v2_w025",
                                                     "resnet18_div8",
                                                     "resnet50_div8",
                                                     "squeezenet_div4",
                                                     "unet_small_bilinear",
                                                     "vit_tiny"};

}  // namespace stashscope::testing_run
