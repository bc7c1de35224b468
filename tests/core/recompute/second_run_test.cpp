#include "core/recompute/second_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/study/facts/pytorch_plan.h"
#include "core/study/step/study.h"
#include "tests/support/captured_chain.h"

namespace stashscope {
namespace second_run_test {

using test::CapturedChain;

std::shared_ptr<const Study> study_of(const std::string& config) {
  return test::captured_study(test::inside_a_model(CapturedChain(2).data()), config);
}

const Region& applied_region(const Study& study) { return *study.applied.at(0)->region; }

std::vector<std::string> operators_of(const Study& study, const std::vector<NodeId>& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const NodeId node : nodes) names.push_back(study.graph().node(node).op_type);
  return names;
}

std::vector<std::string> skipped_in(const Region& region) {
  std::vector<std::string> names;
  names.reserve(region.skipped.size());
  for (const KeptOperator& each : region.skipped) {
    names.push_back(each.name + " " + std::to_string(each.occurrence));
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(SecondRuns, RunEverythingThatBackwardReads) {
  const auto study = study_of("net.1:5:-1");
  const Region& region = applied_region(*study);
  EXPECT_TRUE(region.skipped.empty());
  EXPECT_EQ(operators_of(*study, region.calls[0].again),
            (Names{"mm", "view", "tanh", "bernoulli", "mul", "relu_"}));
}

TEST(SecondRuns, LeaveOutWhatOnlyAKeptOperatorRead) {
  const auto study = study_of("net.1[keep tanh 0]:5:-1");
  const Region& region = applied_region(*study);
  EXPECT_EQ(skipped_in(region), Names{"aten.mm.default 0"}) << "the view follows from it";
  EXPECT_EQ(operators_of(*study, region.calls[0].again), (Names{"bernoulli", "mul", "relu_"}));
  ASSERT_EQ(region.calls[0].skipped.size(), 2U);
  EXPECT_EQ(region.calls[0].skipped[1].position, 0U);
  ASSERT_EQ(region.calls[0].kept.size(), 1U);
  EXPECT_EQ(region.calls[0].kept[0].position, 0U);
}

TEST(SecondRuns, RunToTheEndForAnOutputThatIsFreed) {
  const auto study = study_of("net.0[out]:5:-1");
  EXPECT_TRUE(applied_region(*study).skipped.empty());
  EXPECT_EQ(applied_region(*study).calls[0].again.size(), 7U);
}

TEST(SecondRuns, DrawEveryRandomNumber) {
  // Nothing reads the numbers: `mul` takes tanh twice, and autograd saves no numbers.
  GraphData data = CapturedChain(1).data();
  const NodeId tanh(2);
  const NodeId draw(3);
  const NodeId mul(4);
  data.nodes[mul].inputs[1] = data.nodes[mul].inputs[0];
  nlohmann::json saved = nlohmann::json::parse(data.metadata["stashscope.saved"]);
  const auto storage_of = [&](NodeId node) {
    return data.nodes[node].attributes.integers("storages").at(0);
  };
  for (std::size_t row = 0; row < saved["storage"].size(); ++row) {
    if (saved["storage"][row] != storage_of(draw)) continue;
    saved["storage"][row] = storage_of(tanh);
    saved["value"][row] = data.values[data.nodes[tanh].outputs[0]].name;
  }
  data.metadata["stashscope.saved"] = saved.dump();
  const auto study = test::captured_study(data, "net.0:5:-1");
  const auto names = operators_of(*study, applied_region(*study).calls[0].again);
  EXPECT_NE(std::ranges::find(names, "bernoulli"), names.end());
}

TEST(SecondRuns, RunNoneOfAStepWhoseTensorsAreSpreadOverRanks) {
  GraphData data = CapturedChain(2).data();
  data.nodes[NodeId(CapturedChain::forward_nodes * 2)].domain = "pytorch._c10d_functional";
  const auto study = test::captured_study(data, "net.1[keep tanh 0]:5:-1");
  EXPECT_TRUE(applied_region(*study).skipped.empty());
  EXPECT_TRUE(applied_region(*study).calls[0].skipped.empty());
}

TEST(SecondRuns, WriteAStorageWholeOrNotAtAll) {
  const auto study = study_of("net.1:5:-1");
  const RegionCall& call = applied_region(*study).calls[0];
  const SecondRun run(study->graph(), call);
  const SecondRun::Flags none(run.size(), false);
  SecondRun::Flags kept = none;
  kept[4] = true;  // mul, which relu_ changes in place
  EXPECT_TRUE(run.needed(kept, none)[5]) << "the kept storage is there, so its change is made";
  EXPECT_FALSE(run.makes_only(1)) << "a view";
  EXPECT_FALSE(run.makes_only(3)) << "draws";
  EXPECT_TRUE(run.makes_only(4));
}

TEST(SecondRuns, TellOfDataThatWouldBeWrittenWithoutBeingThere) {
  const auto study = study_of("net.1:5:-1");
  const SecondRun run(study->graph(), applied_region(*study).calls[0]);
  SecondRun::Flags left_out(run.size(), false);
  left_out[0] = true;  // mm: then view and tanh are not there, and the numbers are drawn from tanh
  const SecondRun::Outcome outcome = run.outcome(left_out);
  EXPECT_EQ(outcome.runs, SecondRun::Flags(run.size(), false));
  EXPECT_EQ(outcome.conflicts, std::vector<std::size_t>{3});
}

TEST(SecondRuns, AreInThePlanForPyTorchWithAVersionOfTheirOwn) {
  const auto plain = nlohmann::json::parse(pytorch_plan(*study_of("net.1:5:-1")));
  EXPECT_EQ(plain.at("stashscope.plan"), 1);
  EXPECT_FALSE(plain.at("regions").at(0).contains("skip"));
  const auto skipping = nlohmann::json::parse(pytorch_plan(*study_of("net.1[keep tanh 0]:5:-1")));
  EXPECT_EQ(skipping.at("stashscope.plan"), 3);
  EXPECT_EQ(skipping.at("regions").at(0).at("skip"),
            nlohmann::json::parse(R"([["aten.mm.default", 0]])"));
}

}  // namespace second_run_test
}  // namespace stashscope
