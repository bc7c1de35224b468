// Questions to the planner, without a window: what is kept, what is dropped, what can be stopped.

#include "ui/document/planning.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/ui/support/samples.h"

namespace stashscope::ui::test {
namespace planning_test {

using namespace Qt::StringLiterals;

constexpr SearchLimit short_limit{1, 0, 1};
constexpr SearchLimit few_moves{0, 400, 1};  // regardless of the time
constexpr SearchLimit endless{3600, 0, 1};

class PlanningTest : public testing::Test {
 protected:
  void SetUp() override {
    document_.open(sample(u"gpt2_tiny"_s));
    ASSERT_TRUE(comes_true([this] { return document_.study() != nullptr; }));
    choose([](Choices& choices) { choices.dims["inputs_input_ids_dim0"] = 16; });
  }

  bool settles() {
    return comes_true([this] {
      return !document_.study_job().is_busy() && document_.study()->choices == document_.choices();
    });
  }
  bool ends() {
    return comes_true([this] { return planning_.job() == PlanningJob::none; }) && settles();
  }
  template <class Change>
  void choose(Change change) {
    Choices choices = document_.choices();
    change(choices);
    document_.choose(choices, u"test"_s);
    ASSERT_TRUE(settles());
  }

  std::int64_t peak() const { return document_.study()->current->timeline.peak_bytes; }
  std::int64_t share(int percent) const {
    return document_.study()->baseline->timeline.peak_bytes * percent / 100;
  }

  Document document_;
  Planning planning_{document_};
};

TEST_F(PlanningTest, APlanGoesIntoForceAndCanBeUndone) {
  const Choices before = document_.choices();
  for (const PlanGranularity grain :
       {PlanGranularity::cluster, PlanGranularity::node, PlanGranularity::sequence}) {
    planning_.plan({share(70), grain, short_limit});
    EXPECT_EQ(planning_.job(), PlanningJob::budget);
    ASSERT_TRUE(ends());
    ASSERT_NE(planning_.answer(), nullptr);
    EXPECT_TRUE(planning_.answer()->feasible) << name_of(grain);
    EXPECT_EQ(peak(), planning_.answer()->best.peak_bytes);
    EXPECT_LE(peak(), share(70));
    EXPECT_TRUE(planning_.is_in_force(planning_.answer()->best));
    EXPECT_TRUE(document_.undo_stack().undoText().startsWith(u"Planner: peak "_s));
    document_.undo_stack().undo();
    ASSERT_TRUE(settles());
    EXPECT_EQ(document_.choices(), before);
  }
}

TEST_F(PlanningTest, MakeItFitSwitchesOnPassesAndPlansAsOneEdit) {
  planning_.plan({1, PlanGranularity::cluster, short_limit});
  ASSERT_TRUE(ends());
  const std::int64_t lowest = planning_.answer()->best.peak_bytes;
  const Choices before = document_.choices();
  const int edits = document_.undo_stack().count();
  planning_.make_fit({lowest - 1, PlanGranularity::cluster, short_limit});
  EXPECT_EQ(planning_.job(), PlanningJob::budget);
  ASSERT_TRUE(ends());
  ASSERT_NE(planning_.answer(), nullptr) << "it is the answer of the new step";
  EXPECT_TRUE(planning_.answer()->feasible);
  EXPECT_FALSE(planning_.passes_of_answer().empty());
  EXPECT_LT(peak(), lowest);
  EXPECT_EQ(peak(), planning_.answer()->best.peak_bytes);
  EXPECT_DOUBLE_EQ(extra_seconds(*document_.study()), planning_.answer()->best.extra_seconds);
  EXPECT_TRUE(planning_.is_in_force(planning_.answer()->best));
  EXPECT_FALSE(planning_.archive(PlanGranularity::cluster).points().empty());
  EXPECT_EQ(document_.undo_stack().count(), edits + 1);
  EXPECT_TRUE(document_.undo_stack().undoText().startsWith(u"Make it fit: "_s));
  document_.undo_stack().undo();
  ASSERT_TRUE(settles());
  EXPECT_EQ(document_.choices(), before);
  EXPECT_EQ(planning_.answer(), nullptr) << "known plans were for the step with passes";
}

TEST_F(PlanningTest, AJointPlanIsOneEditWithItsReasons) {
  const Choices before = document_.choices();
  const int edits = document_.undo_stack().count();
  planning_.plan({share(40), PlanGranularity::joint, few_moves});
  ASSERT_TRUE(ends());
  ASSERT_NE(planning_.answer(), nullptr);
  ASSERT_NE(planning_.answer()->joint, nullptr);
  EXPECT_TRUE(planning_.answer()->feasible);
  EXPECT_FALSE(planning_.answer()->joint->explanation.empty());
  EXPECT_FALSE(document_.choices().graph.what_ifs.empty());
  EXPECT_EQ(document_.study()->current->timeline.peak_bytes, planning_.answer()->best.peak_bytes);
  EXPECT_EQ(document_.undo_stack().count(), edits + 1);
  EXPECT_TRUE(planning_.archive(PlanGranularity::joint).points().empty());
  document_.undo_stack().undo();
  ASSERT_TRUE(settles());
  EXPECT_EQ(document_.choices(), before);
  EXPECT_EQ(planning_.answer(), nullptr) << "it was for a step with what-ifs";
}

TEST_F(PlanningTest, AJointPlanThatIsNotMetChangesNothingAndIsOffered) {
  const Choices before = document_.choices();
  planning_.make_fit({1000, PlanGranularity::joint, few_moves});
  ASSERT_TRUE(ends());
  ASSERT_NE(planning_.answer(), nullptr);
  EXPECT_FALSE(planning_.answer()->feasible);
  EXPECT_EQ(document_.choices(), before);
  const std::int64_t lowest = planning_.answer()->best.peak_bytes;
  ASSERT_NE(planning_.offer(), nullptr);
  const int edits = document_.undo_stack().count();
  planning_.use_offer();
  ASSERT_TRUE(settles());
  EXPECT_EQ(document_.study()->current->timeline.peak_bytes, lowest);
  EXPECT_EQ(document_.undo_stack().count(), edits + 1);
  EXPECT_EQ(planning_.offer(), nullptr) << "it is on";
  ASSERT_NE(planning_.answer(), nullptr);
  EXPECT_FALSE(planning_.answer()->feasible);
  document_.undo_stack().undo();
  ASSERT_TRUE(settles());
  EXPECT_EQ(document_.choices(), before);
  EXPECT_NE(planning_.offer(), nullptr);
}

TEST_F(PlanningTest, MakeItFitAnswersLikeThePlannerWherePassesDoNotHelp) {
  const Choices before = document_.choices();
  planning_.make_fit({1000, PlanGranularity::cluster, short_limit});
  ASSERT_TRUE(ends());
  EXPECT_FALSE(planning_.answer()->feasible);
  EXPECT_TRUE(planning_.passes_of_answer().empty());
  EXPECT_EQ(document_.choices(), before);
  planning_.make_fit({peak(), PlanGranularity::cluster, short_limit});
  ASSERT_TRUE(ends());
  EXPECT_TRUE(planning_.answer()->feasible);
  EXPECT_TRUE(planning_.passes_of_answer().empty());
}

TEST_F(PlanningTest, AnotherMemoryKeepsThePlansAndOtherTimesDropThemAndSaySo) {
  QSignalSpy notices(&document_.notices(), &Notices::noticed);
  planning_.draw_curve(PlanGranularity::cluster, short_limit);
  ASSERT_TRUE(ends());
  const auto found = planning_.archive(PlanGranularity::cluster).points().size();
  ASSERT_GT(found, 0U);
  choose([](Choices& choices) { choices.times.device_memory = 1 << 30; });
  choose([](Choices& choices) { choices.times.reserve_percent = 5; });
  EXPECT_EQ(planning_.archive(PlanGranularity::cluster).points().size(), found);
  EXPECT_EQ(notices.count(), 0);
  choose([](Choices& choices) { choices.times.profile = load_profile("T4-16GB"); });
  EXPECT_TRUE(planning_.archive(PlanGranularity::cluster).points().empty());
  ASSERT_EQ(notices.count(), 1);
  const QString said = notices.front().front().toString();
  EXPECT_TRUE(said.startsWith(u"T4-16GB has other node times."_s)) << said.toStdString();
  choose([](Choices& choices) { choices.dims["inputs_input_ids_dim0"] = 8; });
  EXPECT_EQ(notices.count(), 1) << "the panels show another size";
}

TEST_F(PlanningTest, LargerBudgetsAndFinerGrainsAreNeverDearer) {
  double dearest = std::numeric_limits<double>::infinity();
  for (const int percent : {60, 70, 80, 90}) {
    planning_.plan({share(percent), PlanGranularity::cluster, short_limit});
    ASSERT_TRUE(ends());
    EXPECT_LE(planning_.answer()->best.extra_seconds, dearest) << percent;
    dearest = planning_.answer()->best.extra_seconds;
  }
  planning_.plan({share(90), PlanGranularity::node, short_limit});
  ASSERT_TRUE(ends());
  EXPECT_LE(planning_.answer()->best.extra_seconds, dearest);
}

TEST_F(PlanningTest, ABudgetBelowTheFloorChangesNothing) {
  const Choices before = document_.choices();
  planning_.plan({1000, PlanGranularity::cluster, short_limit});
  ASSERT_TRUE(ends());
  EXPECT_TRUE(planning_.answer()->is_impossible());
  EXPECT_EQ(document_.choices(), before);
  ASSERT_NE(planning_.floor(PlanGranularity::cluster), nullptr);
  EXPECT_GT(planning_.floor(PlanGranularity::cluster)->bytes, 1000);
  EXPECT_EQ(planning_.known_plan(PlanGranularity::cluster, 1000), nullptr);
}

TEST_F(PlanningTest, AStoppedSearchKeepsItsBestSoFar) {
  QSignalSpy found(&planning_, &Planning::plans_changed);
  planning_.plan({share(60), PlanGranularity::sequence, endless});
  ASSERT_TRUE(
      comes_true([&] { return planning_.known_plan(PlanGranularity::sequence, share(60)); }));
  ASSERT_EQ(planning_.job(), PlanningJob::budget);
  const ParetoPoint so_far = *planning_.known_plan(PlanGranularity::sequence, share(60));
  planning_.stop();
  EXPECT_TRUE(planning_.is_stopping());
  ASSERT_TRUE(ends());
  EXPECT_FALSE(planning_.is_stopping());
  EXPECT_TRUE(planning_.answer()->feasible);
  EXPECT_LE(planning_.answer()->best.extra_seconds, so_far.extra_seconds);
  EXPECT_LE(peak(), share(60));
  EXPECT_GT(found.count(), 0);
}

TEST_F(PlanningTest, AnAbandonedSearchAppliesNoPlan) {
  const Choices before = document_.choices();
  planning_.plan({share(60), PlanGranularity::sequence, endless});
  ASSERT_TRUE(
      comes_true([&] { return planning_.known_plan(PlanGranularity::sequence, share(60)); }));
  planning_.abandon();
  EXPECT_EQ(planning_.job(), PlanningJob::none);
  QTest::qWait(100);
  EXPECT_EQ(planning_.answer(), nullptr);
  EXPECT_EQ(document_.choices(), before);
}

TEST_F(PlanningTest, AnotherModelIsNotTakenForARun) {
  document_.undo_stack().setIndex(0);  // the other model is opened with the same choices
  ASSERT_TRUE(settles());
  planning_.plan({share(70), PlanGranularity::cluster, short_limit});
  ASSERT_TRUE(ends());
  document_.undo_stack().setIndex(0);
  ASSERT_TRUE(settles());
  ASSERT_FALSE(planning_.archive(PlanGranularity::cluster).points().empty());
  QSignalSpy notices(&document_.notices(), &Notices::noticed);
  document_.open(sample(u"lenet"_s));
  ASSERT_TRUE(
      comes_true([&] { return planning_.archive(PlanGranularity::cluster).points().empty(); }));
  EXPECT_EQ(notices.count(), 0);
}

TEST_F(PlanningTest, WhatIsProvenIsToldDuringTheSearch) {
  EXPECT_FALSE(planning_.so_far());
  planning_.plan({share(60), PlanGranularity::sequence, endless});
  ASSERT_TRUE(comes_true([&] { return planning_.so_far() && planning_.so_far()->feasible; }));
  const BudgetAnswer so_far = *planning_.so_far();
  ASSERT_EQ(planning_.job(), PlanningJob::budget);
  ASSERT_TRUE(so_far.floor);
  EXPECT_LE(so_far.floor->bytes, so_far.best.peak_bytes);
  EXPECT_LE(*so_far.least_extra_seconds, so_far.best.extra_seconds);
  ASSERT_NE(planning_.floor(PlanGranularity::sequence), nullptr);
  EXPECT_EQ(planning_.floor(PlanGranularity::sequence)->bytes, so_far.floor->bytes);
  planning_.stop();
  ASSERT_TRUE(ends());
  EXPECT_FALSE(planning_.so_far());
  EXPECT_GE(*planning_.answer()->least_extra_seconds, *so_far.least_extra_seconds);
}

TEST_F(PlanningTest, ACurveIsFoundPieceByPiece) {
  std::vector<std::size_t> seen;
  QObject::connect(&planning_, &Planning::plans_changed, &document_, [&] {
    seen.push_back(planning_.archive(PlanGranularity::node).points().size());
  });
  const Choices before = document_.choices();
  planning_.draw_curve(PlanGranularity::node, {3, 0, 1});
  ASSERT_TRUE(ends());
  EXPECT_GT(seen.size(), 2U);
  EXPECT_GT(planning_.archive(PlanGranularity::node).points().size(), 4U);
  EXPECT_EQ(document_.choices(), before) << "a curve changes nothing";
  EXPECT_TRUE(planning_.archive(PlanGranularity::cluster).points().empty());
  EXPECT_GE(planning_.archive(PlanGranularity::sequence).points().size(), 4U)
      << "sequences can do it too";
}

TEST_F(PlanningTest, PlansGoWithWhatTheyWereFoundFor) {
  planning_.plan({share(70), PlanGranularity::cluster, short_limit});
  ASSERT_TRUE(ends());
  EXPECT_NE(planning_.known_plan(PlanGranularity::cluster, share(70)), nullptr);
  choose([](Choices& choices) { choices.plans.level = 1; });
  EXPECT_NE(planning_.known_plan(PlanGranularity::cluster, share(70)), nullptr)
      << "of the user's plans";
  choose([](Choices& choices) { choices.update.optimizer = "adam"; });
  EXPECT_EQ(planning_.known_plan(PlanGranularity::cluster, share(70)), nullptr);
  EXPECT_EQ(planning_.answer(), nullptr);
  EXPECT_EQ(planning_.floor(PlanGranularity::cluster), nullptr);
}

TEST_F(PlanningTest, AnotherModelEndsASearch) {
  planning_.plan({share(60), PlanGranularity::sequence, endless});
  document_.open(sample(u"lenet"_s));
  ASSERT_TRUE(ends());
  EXPECT_TRUE(planning_.archive(PlanGranularity::sequence).points().empty());
  EXPECT_EQ(planning_.answer(), nullptr);
  EXPECT_EQ(document_.undo_stack().count(), 0);
}

TEST_F(PlanningTest, ChoicesMadeMeanwhileStay) {
  planning_.plan({share(60), PlanGranularity::node, endless});
  choose([](Choices& choices) { choices.device = "cpu"; });
  ASSERT_TRUE(comes_true([&] { return planning_.known_plan(PlanGranularity::node, share(60)); }));
  planning_.stop();
  ASSERT_TRUE(ends());
  EXPECT_LE(peak(), share(60));
  EXPECT_EQ(document_.choices().device, "cpu");
}

TEST_F(PlanningTest, WhatFitsHoldsUntilSomethingElseChanges) {
  planning_.find_fit({"batch", {"inputs_input_ids_dim0"}, 64 << 20});
  ASSERT_TRUE(ends());
  ASSERT_NE(planning_.fit(), nullptr);
  const std::int64_t most = planning_.fit()->current.largest->value;
  choose([&](Choices& choices) { choices.dims["inputs_input_ids_dim0"] = most; });
  EXPECT_NE(planning_.fit(), nullptr) << "the asked dimension itself";
  EXPECT_LE(peak(), 64 << 20);
  choose([](Choices& choices) { choices.plans.level = 1; });
  EXPECT_EQ(planning_.fit(), nullptr);
  document_.undo_stack().undo();
  ASSERT_TRUE(settles());
  EXPECT_NE(planning_.fit(), nullptr);
}

TEST_F(PlanningTest, ASizeAndThePlanMadeForItAreOneEdit) {
  const Choices before = document_.choices();
  const std::int64_t memory = peak();
  planning_.find_fit({"", {"inputs_input_ids_dim0"}, memory},
                     ReplanRequest{PlanGranularity::cluster, short_limit});
  ASSERT_TRUE(ends());
  ASSERT_NE(planning_.fit(), nullptr);
  EXPECT_EQ(planning_.fit()->current.largest->value, 16);
  ASSERT_NE(planning_.replanned(), nullptr);
  ASSERT_TRUE(planning_.replanned()->largest);
  const PlannedFit found = *planning_.replanned()->largest;
  EXPECT_GT(found.value, 16);
  EXPECT_FALSE(planning_.is_replanned_in_use());
  planning_.use_replanned();
  ASSERT_TRUE(settles());
  EXPECT_TRUE(planning_.is_replanned_in_use());
  EXPECT_NE(planning_.replanned(), nullptr) << "while it is in use";
  EXPECT_EQ(planning_.fit(), nullptr) << "other plans are on now";
  EXPECT_EQ(document_.choices().dims.at("inputs_input_ids_dim0"), found.value);
  EXPECT_EQ(peak(), found.peak_bytes);
  EXPECT_LE(peak(), memory);
  document_.undo_stack().undo();
  ASSERT_TRUE(settles());
  EXPECT_EQ(document_.choices(), before);
  EXPECT_FALSE(planning_.is_replanned_in_use());
}

TEST_F(PlanningTest, SizesAreAnsweredBeforePlansForEachSizeAreKnown) {
  const ReplanRequest endless_plans{PlanGranularity::cluster, endless};
  const FitQuestion question{"", {"inputs_input_ids_dim0"}, peak()};
  planning_.find_fit(question, endless_plans);
  EXPECT_TRUE(planning_.is_finding(question, endless_plans));
  EXPECT_FALSE(planning_.is_finding(question, {}));
  const auto has_size = [&] {
    return planning_.replanning() != nullptr && planning_.replanning()->largest;
  };
  ASSERT_TRUE(comes_true(has_size));
  EXPECT_EQ(planning_.job(), PlanningJob::fit);
  ASSERT_NE(planning_.fit(), nullptr);
  EXPECT_EQ(planning_.replanned(), nullptr);
  planning_.stop();
  EXPECT_FALSE(planning_.is_finding(question, endless_plans));
  ASSERT_TRUE(ends());
  ASSERT_NE(planning_.replanned(), nullptr);
  EXPECT_TRUE(planning_.replanned()->is_stopped);
  EXPECT_GE(planning_.replanned()->largest->value, 16);
  EXPECT_EQ(planning_.replanning(), nullptr);
}

TEST_F(PlanningTest, OtherPlansEndTheSearchForAPlanForEachSize) {
  planning_.find_fit({"", {"inputs_input_ids_dim0"}, peak()},
                     ReplanRequest{PlanGranularity::cluster, endless});
  ASSERT_TRUE(comes_true([&] { return planning_.replanning() != nullptr; }));
  choose([](Choices& choices) { choices.plans.level = 1; });
  EXPECT_EQ(planning_.job(), PlanningJob::none);
  EXPECT_EQ(planning_.replanned(), nullptr);
}

TEST_F(PlanningTest, PassesThatAddNoTimeAreOfferedWithAPlanForTheBudget) {
  planning_.plan({share(62), PlanGranularity::cluster, short_limit});
  ASSERT_TRUE(ends());
  ASSERT_NE(planning_.answer(), nullptr);
  EXPECT_TRUE(document_.choices().graph.passes.empty()) << "the answer does without them";
  ASSERT_NE(planning_.offer(), nullptr);
  const DeviceFit offer = *planning_.offer();
  const Choices with_plans = document_.choices();
  planning_.use_offer();
  ASSERT_TRUE(settles());
  EXPECT_EQ(document_.choices().graph.passes.size(), offer.passes.size());
  EXPECT_EQ(peak(), offer.answer.best.peak_bytes);
  EXPECT_EQ(planning_.passes_of_answer(), offer.passes);
  EXPECT_EQ(planning_.offer(), nullptr) << "it is the answer now";
  document_.undo_stack().undo();
  ASSERT_TRUE(settles());
  EXPECT_EQ(document_.choices(), with_plans);
}

TEST_F(PlanningTest, AQuestionThatMakesNoSenseIsAMessage) {
  QSignalSpy failed(&planning_, &Planning::failed);
  planning_.find_fit({"", {"no_such_dimension"}, 1 << 20});
  ASSERT_TRUE(ends());
  ASSERT_EQ(failed.count(), 1);
  const auto failure = failed.front().at(1).value<Failure>();
  EXPECT_TRUE(failure.message.contains(u"no_such_dimension"_s)) << failure.message.toStdString();
  EXPECT_EQ(planning_.fit(), nullptr);
}

TEST_F(PlanningTest, NothingIsAskedWhileSomethingIsSearched) {
  planning_.plan({share(60), PlanGranularity::sequence, endless});
  planning_.draw_curve(PlanGranularity::cluster, short_limit);
  planning_.find_fit({"", {"inputs_input_ids_dim0"}, 1 << 20});
  EXPECT_EQ(planning_.job(), PlanningJob::budget);
  planning_.stop();
  ASSERT_TRUE(ends());
  EXPECT_EQ(planning_.fit(), nullptr);
}

TEST(PlanningWithoutAModel, DoesNothing) {
  Document document;
  Planning planning(document);
  planning.plan({1000, PlanGranularity::cluster, short_limit});
  planning.draw_curve(PlanGranularity::cluster, short_limit);
  planning.find_fit({"", {"N"}, 1000});
  planning.stop();
  EXPECT_EQ(planning.job(), PlanningJob::none);
}

}  // namespace planning_test
}  // namespace stashscope::ui::test
