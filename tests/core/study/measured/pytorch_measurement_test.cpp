#include "core/study/measured/pytorch_measurement.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/study/files/measurement_json.h"
#include "core/study/measured/measurement_file.h"
#include "tests/support/captured_chain.h"
#include "tests/support/named_model.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace pytorch_measurement_test {

using nlohmann::json;
using Names = std::vector<std::string>;

std::shared_ptr<const Study> study_of(const std::string& config = "", int modules = 1) {
  return test::captured_study(test::CapturedChain(modules).data(), config);
}

/// What PyTorch dispatches for a step of one module.
Names operators() {
  Names names;
  for (const char* const each : {"mm", "view", "tanh", "bernoulli", "mul", "relu_", "mm", "sum",
                                 "ones", "mm", "mul", "tanh_backward", "mm"}) {
    names.push_back(std::string("aten.") + each + ".default");
  }
  return names;
}

/// With a checkpoint around the module. The states of the random generator are read in Python.
Names operators_with_region() {
  Names names = operators();
  const Names again(names.begin(), names.begin() + 6);
  names.insert(names.begin() + 9, again.begin(), again.end());
  names.insert(names.begin() + 9, "python.tensor.default");
  names.insert(names.begin(), "python.tensor.default");
  return names;
}

/// A measurement file as `stashscope.measure` writes it, of a step with these operators and peak.
json file_of(const Names& names, std::int64_t captured_peak) {
  Measurement measured;
  measured.device = "cpu";
  for (std::size_t i = 0; i < names.size(); ++i) {
    measured.live_bytes.push_back(static_cast<std::int64_t>(1000 + i));
    measured.node_seconds.push_back(0.001 * static_cast<double>(i));
  }
  measured.peak_bytes = 2000;
  return {{"stashscope_measurement", 1},
          {"operators", names},
          {"captured_peak_bytes", captured_peak},
          {"current", measurement_to_json(measured)}};
}

std::string refused(const json& file, const Study& study) {
  return test::refusal(ErrorKind::input, [&] { parse_measurements(file.dump(), study); });
}

class PyTorchMeasurement : public testing::Test {
 protected:
  std::shared_ptr<const Study> study_ = study_of();
  std::int64_t peak_ = study_->current->timeline.peak_bytes;
};

TEST_F(PyTorchMeasurement, OfTheStepIsThatOfBothVariants) {
  const StudyMeasurements read = parse_measurements(file_of(operators(), peak_).dump(), *study_);
  EXPECT_EQ(read.current.live_bytes.size(), 13U);
  EXPECT_EQ(read.current.live_bytes[12], 1012);
  EXPECT_EQ(read.baseline, read.current);
}

TEST_F(PyTorchMeasurement, WithThePlanHasNoBaseline) {
  const auto study = study_of("net.*:5:-1");
  const json file = file_of(operators_with_region(), study->current->timeline.peak_bytes);
  const StudyMeasurements read = parse_measurements(file.dump(), *study);
  EXPECT_FALSE(read.baseline);
  EXPECT_EQ(read.current.node_seconds.size(), 21U);
  ASSERT_FALSE(read.current.remarks.empty());
}

TEST_F(PyTorchMeasurement, OfAnotherStepIsRefusedWithTheFirstDifference) {
  Names names = operators();
  names[4] = "aten.div.default";
  names[6] = "aten.bmm.default";
  EXPECT_EQ(
      refused(file_of(names, peak_), *study_),
      "was measured on another step: operator 4 is 'aten.div.default' in the measurement and "
      "'aten.mul.default' in this step; capture and measure the same step, in the same state");
  names = operators();
  names.push_back("aten.add_.default");
  EXPECT_NE(
      refused(file_of(names, peak_), *study_)
          .find("operator 13 is 'aten.add_.default' in the measurement and missing in this step"),
      std::string::npos);
  names.resize(2);
  EXPECT_NE(refused(file_of(names, peak_), *study_)
                .find("operator 2 is missing in the measurement and 'aten.tanh.d"),
            std::string::npos);
  EXPECT_NE(refused(file_of({}, peak_), *study_).find("operator 0 is missing"), std::string::npos);
  EXPECT_NE(refused(file_of(operators(), peak_), *study_of("", 2)).find("operator 7 is "),
            std::string::npos);
}

TEST_F(PyTorchMeasurement, OfOtherPlansIsRefused) {
  const auto planned = study_of("net.*:5:-1");
  EXPECT_EQ(
      refused(file_of(operators(), peak_), *planned),
      "was measured without plans; capture the step in the state in which it was measured, with "
      "or without a plan applied, and open that capture");
  Names names = operators_with_region();
  names.erase(names.begin() + 11);
  EXPECT_NE(refused(file_of(names, peak_), *planned).find("was measured with other plans"),
            std::string::npos);
  EXPECT_NE(refused(file_of(operators_with_region(), peak_), *study_)
                .find("operator 0 is 'python.tensor.default' in the measurement and "
                      "'aten.mm.default' in this step"),
            std::string::npos);
}

TEST_F(PyTorchMeasurement, OfOtherSizesIsRefused) {
  EXPECT_NE(refused(file_of(operators(), peak_ + 1'000'000), *study_)
                .find("was measured with other sizes"),
            std::string::npos);
  json file = file_of(operators(), peak_);
  file.erase("captured_peak_bytes");
  EXPECT_NE(refused(file, *study_).find("was measured with other sizes"), std::string::npos);
}

TEST_F(PyTorchMeasurement, FitsNoOtherModel) {
  const auto other = compute_study(test::named(test::blocks(1)), {}, nullptr, Progress());
  EXPECT_EQ(refused(file_of(operators(), peak_), *other),
            "was measured in PyTorch, and this model is no captured step; open the captured step "
            "of the same script");
}

TEST_F(PyTorchMeasurement, CutOrAlteredFilesAreRefused) {
  const json whole = file_of(operators(), peak_);
  const std::string text = whole.dump();
  EXPECT_NE(test::refusal(ErrorKind::input,
                          [&] { parse_measurements(text.substr(0, text.size() / 2), *study_); })
                .find("not a measurement file"),
            std::string::npos);
  const auto altered = [&](const std::string& place, const json& value) {
    json file = whole;
    file[json::json_pointer(place)] = value;
    return refused(file, *study_);
  };
  EXPECT_NE(altered("/operators", "many").find("'operators'"), std::string::npos);
  EXPECT_NE(altered("/operators/3", 5).find("'operators'"), std::string::npos);
  EXPECT_NE(altered("/captured_peak_bytes", "all").find("'captured_peak_bytes'"),
            std::string::npos);
  EXPECT_NE(altered("/current/live_bytes", json::array({1, 2})).find("'current'"),
            std::string::npos);
  EXPECT_NE(altered("/current", 3).find("'current'"), std::string::npos);
  json file = whole;
  file.erase("current");
  EXPECT_NE(refused(file, *study_).find("'current'"), std::string::npos);
  EXPECT_EQ(altered("/operators/1", std::string(1000, 'x') + "\x1b[31m").find('\x1b'),
            std::string::npos)
      << "what is printed has no control characters";
}

}  // namespace pytorch_measurement_test
}  // namespace stashscope
