#include "core/study/measured/measurement_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/files.h"
#include "tests/support/folder.h"
#include "tests/support/named_model.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace measurement_file_test {

using nlohmann::json;

Measurement measurement_of(const Variant& variant, double seconds) {
  Measurement m;
  m.device = "cpu";
  m.live_bytes = variant.timeline.live_bytes;
  m.node_seconds.assign(m.live_bytes.size(), seconds);
  m.peak_bytes = variant.timeline.peak_bytes;
  m.idle_bytes = variant.timeline.idle_bytes;
  m.workspace_bytes.assign(m.live_bytes.size(), 512);
  m.peak_reserved_bytes = 2 * m.peak_bytes;
  m.step_seconds = 2 * seconds;
  m.remarks = {"what \xff means"};
  m.data_dependent = {{"rows", 3}};
  m.repeats = 5;
  return m;
}

class MeasurementFile : public testing::Test {
 protected:
  static std::shared_ptr<const Study> study_with(const Choices& choices, int layers = 2) {
    return compute_study(test::named(test::blocks(layers)), choices, nullptr, Progress());
  }
  static StudyMeasurements measured(const Study& study) {
    return {measurement_of(*study.baseline, 0.25), measurement_of(*study.current, 0.5)};
  }
  std::string refused(const std::string& text) const {
    return test::refusal(ErrorKind::input, [&] { parse_measurements(text, *study_); });
  }

  std::shared_ptr<const Study> study_ = study_with({});
  std::string text_ = measurements_text(*study_, measured(*study_));
};

TEST_F(MeasurementFile, ComesBackAsItWas) {
  const test::Folder folder;
  save_measurements(*study_, measured(*study_), folder / "m.json");
  const StudyMeasurements read = load_measurements(folder / "m.json", *study_);
  EXPECT_EQ(read.baseline, measured(*study_).baseline);
  EXPECT_EQ(read.current, measured(*study_).current);
}

TEST_F(MeasurementFile, MayLackTheStepWithoutPlans) {
  const StudyMeasurements lacking = without_baseline(measured(*study_).current, "no room");
  const StudyMeasurements read = parse_measurements(measurements_text(*study_, lacking), *study_);
  EXPECT_FALSE(read.baseline);
  EXPECT_EQ(read.current, lacking.current);
  EXPECT_EQ(largest_error(*study_, read), largest_error(*study_->current, lacking.current));
  const auto timed = with_measured_times(*study_, read.baseline, read.current);
  EXPECT_EQ(timed->times->measured_on, "cpu");
}

TEST_F(MeasurementFile, FitsTheSameStepHoweverItWasChosen) {
  Choices spelled;
  spelled.dims["N"] = study_->sizes->dims.dimensions.front().value;
  spelled.device = "cpu";
  EXPECT_NO_THROW(parse_measurements(text_, *study_with(spelled)));
}

/// Older files of format 1 identify a variant by FNV-1a over whole 64-bit numbers.
TEST_F(MeasurementFile, OfAnEarlierProgramIsReadAgain) {
  const auto told = [](const Variant& variant) {
    std::uint64_t hash = 14695981039346656037U;
    for (const NodeId node : variant.timeline.order) hash = (hash ^ node.index()) * 1099511628211U;
    for (const std::int64_t bytes : variant.timeline.live_bytes) {
      hash = (hash ^ static_cast<std::uint64_t>(bytes)) * 1099511628211U;
    }
    return hash;
  };
  Choices choices;
  choices.plans.level = 1;
  const auto study = study_with(choices);
  const json step = json::parse(measurements_text(*study, measured(*study)))["step"];
  EXPECT_EQ(step["baseline"].get<std::uint64_t>(), told(*study->baseline));
  EXPECT_EQ(step["current"].get<std::uint64_t>(), told(*study->current));
  EXPECT_NE(step["baseline"], step["current"]);
}

TEST_F(MeasurementFile, OfAnotherStepIsRefusedWithTheReason) {
  const auto refused_for = [&](const Study& study) {
    return test::refusal(ErrorKind::input, [&] { parse_measurements(text_, study); });
  };
  Choices choices;
  choices.dims["N"] = 7;
  const std::string sizes = refused_for(*study_with(choices));
  EXPECT_NE(sizes.find("N was 1 and is 7"), std::string::npos) << sizes;
  choices = {};
  choices.plans.level = 1;
  const std::string plans = refused_for(*study_with(choices));
  EXPECT_NE(plans.find("other plans"), std::string::npos) << plans;
  choices = {};
  choices.update.optimizer = "adam";
  EXPECT_NE(refused_for(*study_with(choices)).find("optimizer"), std::string::npos);
  const std::string model = refused_for(*study_with({}, 3));
  EXPECT_NE(model.find("another model"), std::string::npos) << model;
}

TEST_F(MeasurementFile, HostileTextsAreRefused) {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[1, 2]"), std::string("\"text\""),
        std::string("{\"stashscope_session\": 1}"), std::string("\0\xff\xfe", 3),
        std::string(100'000, '['), text_.substr(0, text_.size() / 2)}) {
    EXPECT_NE(refused(text).find("not a measurement file"), std::string::npos);
  }
}

TEST_F(MeasurementFile, EveryFieldIsChecked) {
  const auto changed = [&](const std::string& place, const json& value) {
    json object = json::parse(text_);
    object[json::json_pointer(place)] = value;
    return object.dump();
  };
  constexpr std::int64_t huge = (std::int64_t{1} << 60) + 1;
  for (const auto& [place, value] :
       std::vector<std::pair<std::string, json>>{{"/stashscope_measurement", 2},
                                                 {"/stashscope_measurement", "one"},
                                                 {"/step", 3},
                                                 {"/step/graph", -1},
                                                 {"/step/dims", json::array({1})},
                                                 {"/baseline", json::array()},
                                                 {"/baseline/live_bytes", "many"},
                                                 {"/baseline/live_bytes", json::array({1, 2})},
                                                 {"/baseline/live_bytes/0", -5},
                                                 {"/baseline/live_bytes/0", 1.5},
                                                 {"/baseline/live_bytes/0", 1e300},
                                                 {"/baseline/live_bytes/0", huge},
                                                 {"/baseline/peak_reserved_bytes", huge},
                                                 {"/current/step_seconds", 1e10},
                                                 {"/current/data_dependent/rows", -3},
                                                 {"/current/node_seconds/0", -1.0},
                                                 {"/current/node_seconds", json::array()},
                                                 {"/current/node_seconds/0", json()},
                                                 {"/current/peak_bytes", -1},
                                                 {"/current/device", 5},
                                                 {"/current/repeats", 0},
                                                 {"/current/repeats", 1'000'000},
                                                 {"/current/repeat_difference", -1},
                                                 {"/current/workspace_bytes", json::array({1})},
                                                 {"/current/peak_reserved_bytes", -1},
                                                 {"/current/data_dependent", json::array({"x"})}}) {
    const std::string said = refused(changed(place, value));
    EXPECT_NE(said, "accepted") << place << " " << value.dump();
  }
  json incomplete = json::parse(text_);
  incomplete.erase("current");
  EXPECT_NE(refused(incomplete.dump()).find("'current'"), std::string::npos);
}

TEST_F(MeasurementFile, OfAnEarlierProgramHasNoScratchMemory) {
  json object = json::parse(text_);
  for (const char* field : {"workspace_bytes", "peak_reserved_bytes"}) {
    ASSERT_EQ(object["current"].erase(field), 1U);
  }
  const Measurement read = parse_measurements(object.dump(), *study_).current;
  EXPECT_TRUE(read.workspace_bytes.empty());
  EXPECT_EQ(read.peak_reserved_bytes, 0);
}

TEST_F(MeasurementFile, AFileThatIsTooLargeIsNotRead) {
  const test::Folder folder;
  write_file_atomically(folder / "huge.json", "{");
  std::filesystem::resize_file(folder / "huge.json", std::uintmax_t{1} << 40);
  const std::string said =
      test::refusal(ErrorKind::input, [&] { load_measurements(folder / "huge.json", *study_); });
  EXPECT_NE(said.find("larger than"), std::string::npos) << said;
  EXPECT_NE(said.find("huge.json"), std::string::npos) << said;
}

TEST_F(MeasurementFile, AMissingFileIsNamedOnce) {
  const std::string said =
      test::refusal(ErrorKind::input, [&] { load_measurements("/no/such/file.json", *study_); });
  EXPECT_EQ(said.find("/no/such/file.json"), said.rfind("/no/such/file.json")) << said;
}

}  // namespace measurement_file_test
}  // namespace stashscope
