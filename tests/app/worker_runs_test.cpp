// The worker's answers if a device is too small for a step, with a simulated device.

#include "app/worker_runs.h"

#include "core/base/text.h"
#include "core/study/measured/measurement_file.h"
#include "core/study/search/budget.h"
#include "tests/app/command_line.h"
#include "tests/support/refusal.h"

namespace stashscope::app {
namespace worker_runs_test {

/// A step that takes the predicted bytes and no time.
class ToldStep : public LoadedStep {
 public:
  explicit ToldStep(const RunPlan& plan) : timeline_(plan.timeline) {}

  RunResult run(const TraceSink& sink, const Progress&) override {
    MeasurementBuilder builder("cuda:0");
    for (std::uint32_t step = 0; step < timeline_.order.size(); ++step) {
      for (const auto kind : {TraceEvent::Kind::node_start, TraceEvent::Kind::node_end}) {
        const TraceEvent event{kind, step, 0, timeline_.live_bytes[step], 0, ""};
        builder.add(event);
        if (sink) sink(event);
      }
    }
    return {{}, builder.take()};
  }

 private:
  const Timeline& timeline_;
};

/// Loads only steps up to a predicted peak.
class SmallDevice : public Runner {
 public:
  explicit SmallDevice(std::int64_t room, std::int64_t said_room = 0)
      : room_(room), said_room_(said_room == 0 ? room : said_room) {}

  void check(const Graph&) const override {}
  std::unique_ptr<LoadedStep> load(const RunPlan& plan, const NamedTensors&) const override {
    if (plan.timeline.peak_bytes > room_) throw OutOfMemory("node 'n'", "it is full", said_room_);
    return std::make_unique<ToldStep>(plan);
  }

 private:
  std::int64_t room_;
  std::int64_t said_room_;  ///< the room that the error states; may be larger than `room_`
};

std::shared_ptr<const Study> study_under(const Choices& choices) {
  return compute_study(std::make_shared<const Graph>(test::deep_perceptron(6).build()), choices,
                       nullptr, Progress());
}

std::shared_ptr<const Study> unplanned_study() {
  Choices choices;
  choices.dims["N"] = 64;
  choices.device = "cuda:0";
  return study_under(choices);
}

/// The study with plans by cluster for a budget of `share` of the peak. If no plan found fits the
/// budget, the study with the plan of the lowest peak.
std::shared_ptr<const Study> planned_study(const Study& unplanned, double share) {
  ParetoFront archive;
  const auto budget = static_cast<std::int64_t>(
      share * static_cast<double>(unplanned.baseline->timeline.peak_bytes));
  const BudgetRequest request{budget, PlanGranularity::cluster, {0, 20'000, 1}};
  return study_under(plan_for_budget(unplanned, request, archive, Progress()).best.choices);
}

std::int64_t peak(const Variant& variant) { return variant.timeline.peak_bytes; }

class WorkerRuns : public testing::Test {
 protected:
  void SetUp() override { ASSERT_LT(peak(*planned_->current), peak(*planned_->baseline)); }

  static StudyMeasurements measure(const Study& study, const SmallDevice& device) {
    return measured_both({study, device, no_inputs(), {}});
  }
  static std::string refused(const Study& study, const SmallDevice& device) {
    return test::refusal(ErrorKind::run, [&] { measure(study, device); });
  }
  static const NamedTensors& no_inputs() {
    static const NamedTensors none;
    return none;
  }

  std::shared_ptr<const Study> unplanned_ = unplanned_study();
  std::shared_ptr<const Study> planned_ = planned_study(*unplanned_, 0.8);
};

TEST_F(WorkerRuns, APlanThatFitsIsMeasuredWhereTheStepWithoutItDoesNot) {
  const StudyMeasurements measured = measure(*planned_, SmallDevice(peak(*planned_->current)));
  EXPECT_FALSE(measured.baseline);
  EXPECT_EQ(measured.current.live_bytes, planned_->current->timeline.live_bytes);
  EXPECT_EQ(remarks_on(*planned_, measured),
            std::vector<std::string>{
                "Note: the step without plans was not measured: node 'n': it is full"});
  EXPECT_EQ(parse_measurements(measurements_text(*planned_, measured), *planned_).current,
            measured.current);
}

TEST_F(WorkerRuns, BothAreMeasuredWhereThereIsRoom) {
  const StudyMeasurements measured = measure(*planned_, SmallDevice(peak(*planned_->baseline)));
  ASSERT_TRUE(measured.baseline);
  EXPECT_EQ(measured.baseline->live_bytes, planned_->baseline->timeline.live_bytes);
  EXPECT_TRUE(measured.current.remarks.empty());
}

TEST_F(WorkerRuns, APlanThatWouldFitIsNamed) {
  const std::string said = refused(*unplanned_, SmallDevice(peak(*planned_->current)));
  EXPECT_TRUE(said.starts_with("the step without plans: node 'n': it is full; a plan with"))
      << said;
  EXPECT_NE(said.find(":1:"), std::string::npos) << said;
}

TEST_F(WorkerRuns, APlanThatIsOnIsNotAdvised) {
  const std::int64_t needed = peak(*planned_->current);
  const std::string small = refused(*planned_, SmallDevice(needed - 1));
  EXPECT_TRUE(small.starts_with("the step with its plans: node 'n'")) << small;
  EXPECT_EQ(small.find("peak of " + format_bytes(needed) + " fits"), std::string::npos) << small;
  const std::string unlike = refused(*planned_, SmallDevice(needed - 1, needed));
  EXPECT_NE(unlike.find("predicted to fit"), std::string::npos) << unlike;
  EXPECT_EQ(unlike.find("peak of " + format_bytes(needed) + " fits"), std::string::npos) << unlike;
}

TEST_F(WorkerRuns, WhatNoClusterFitsMaySingleNodesFit) {
  const std::int64_t lowest = peak(*planned_study(*unplanned_, 0.1)->current);
  const auto refused_with = [&](std::int64_t room) {
    return refused(*unplanned_, SmallDevice(1, room));
  };
  const std::string between = refused_with(lowest - 1);
  EXPECT_NE(between.find("--grain node --save-session FILE"), std::string::npos) << between;
  const std::string impossible = refused_with(lowest / 4);
  EXPECT_EQ(impossible.find("--grain"), std::string::npos) << impossible;
  EXPECT_NE(impossible.find("no plan of any grain"), std::string::npos) << impossible;
}

TEST_F(WorkerRuns, TheStreamSaysThatThereIsNoRoomForTheBaseline) {
  const SmallDevice device(peak(*planned_->current));
  testing::internal::CaptureStdout();
  stream_variants(*planned_, {*planned_, device, no_inputs(), {}});
  const std::string stream = testing::internal::GetCapturedStdout();
  EXPECT_NE(stream.find("\nV baseline\nO node 'n': it is full\nV current\nN warm-up\n"),
            std::string::npos)
      << stream;
  EXPECT_TRUE(stream.ends_with("\nZ\n"));
}

}  // namespace worker_runs_test
}  // namespace stashscope::app
