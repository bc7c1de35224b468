#include "core/recompute/regions.h"

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
namespace regions_test {

using test::CapturedChain;

/// Two modules; autograd saves the output of the first in the second.
std::shared_ptr<const Study> study_of(const std::string& config = "") {
  return test::captured_study(test::inside_a_model(CapturedChain(2).data()), config);
}

const NodePlan* plan_in(const Study& study, const std::string& cluster) {
  const auto& plans = study.opportunities->plans;
  const auto found = std::ranges::find(plans, cluster, &NodePlan::cluster);
  return found == plans.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(const Study& study, const std::vector<ValueId>& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const ValueId value : values) names.push_back(study.graph().value(value).name);
  std::ranges::sort(names);
  return names;
}

std::ptrdiff_t products_in(const Study& study) {
  const Variant& current = *study.current;
  return std::ranges::count_if(current.timeline.order, [&](NodeId node) {
    return current.dataflow.runs_origin(node) &&
           study.graph().node(current.dataflow.origin(node)).op_type == "mm";
  });
}

TEST(RegionsThatFreeOutputs, RunToTheirEndAndFreeWhatIsSavedBehindThem) {
  const auto study = study_of("net.0[out]:5:-1");
  const NodePlan* const plan = plan_in(*study, "net.0[out]");
  ASSERT_NE(plan, nullptr);
  const Region& region = *plan->region;
  EXPECT_TRUE(region.frees_outputs);
  EXPECT_EQ(names_of(*study, region.freed), (std::vector<std::string>{"m0", "r0", "t0", "y0"}));
  ASSERT_EQ(region.calls.size(), 1U);
  EXPECT_EQ(region.calls[0].again.size(), 7U) << "with the product that makes the output";
  EXPECT_EQ(region.calls[0].readers, std::vector<NodeId>{NodeId(CapturedChain::forward_nodes)});
  EXPECT_EQ(products_in(*study), products_in(*study_of("net.0:5:-1")) + 1);
}

TEST(RegionsThatFreeOutputs, RunBeforeTheDerivativeThatTakesTheOutput) {
  const auto study = study_of("net.0[out]:5:-1");
  const auto keeps_outputs = study_of("net.0:5:-1");
  const Region& with = *plan_in(*study, "net.0[out]")->region;
  const Region& without = *plan_in(*keeps_outputs, "net.0")->region;
  EXPECT_LT(with.calls[0].trigger, without.calls[0].trigger);
  const Variant& current = *study->current;
  const auto reader = current.dataflow.topology.inputs[with.calls[0].trigger];
  EXPECT_TRUE(std::ranges::any_of(reader, [&](ValueId value) {
    return value.index() >= current.dataflow.graph_values;
  })) << "the derivative reads the copy";
}

TEST(RegionsThatFreeOutputs, AreOnlyForOutputsThatAHookAroundTheModelSees) {
  const auto without_model = test::captured_study(CapturedChain(2).data());
  EXPECT_EQ(plan_in(*without_model, "net.*[out]"), nullptr);
  const auto study = study_of();
  EXPECT_NE(plan_in(*study, "net.*[out]"), nullptr);
  EXPECT_NE(plan_in(*study, "net.*[keep mm][out]"), nullptr);
  const auto& plans = study->opportunities->plans;
  EXPECT_EQ(std::ranges::count(plans, "net.*[out]", &NodePlan::cluster), 1)
      << "autograd saves no output of the last module";
}

std::size_t slot_of(const Study& study, NodeId node) {
  const auto& order = study.current->timeline.order;
  return static_cast<std::size_t>(std::ranges::find(order, node) - order.begin());
}

/// The first copy of a node with this output.
NodeId copy_making(const Study& study, const std::string& output) {
  const Dataflow& dataflow = study.current->dataflow;
  const NodeId original = study.graph().value(*study.graph().find_value(output)).producer;
  for (const NodeId node : study.current->timeline.order) {
    if (dataflow.is_clone(node) && dataflow.origin(node) == original &&
        dataflow.kind(node) == AddedKind::recompute) {
      return node;
    }
  }
  return {};
}

TEST(RegionsThatFreeOutputs, RunAgainBeforeARegionThatReadsTheirOutputs) {
  const auto study = study_of("net.0[out]:5:-1,net.1:5:-1");
  ASSERT_EQ(study->applied.size(), 2U);
  const Dataflow& dataflow = study->current->dataflow;
  const NodeId maker = copy_making(*study, "y0");
  const NodeId reader = copy_making(*study, "h1");
  ASSERT_TRUE(maker.valid() && reader.valid());
  EXPECT_LT(slot_of(*study, maker), slot_of(*study, reader));
  EXPECT_EQ(dataflow.topology.inputs[reader][0], dataflow.topology.outputs[maker][0]);
}

TEST(RegionsThatFreeOutputs, GiveBackAnArgumentUntilItsRegionRunsAgain) {
  const auto study = study_of("net.0[out]:5:-1,net.1:5:-1");
  const auto holds = study_of("net.0:5:-1,net.1:5:-1");
  const auto end_of_output = [](const Study& of) {
    const Timeline& timeline = of.current->timeline;
    return timeline.buffers[timeline.buffer_of[*of.graph().find_value("y0")]].last_slot;
  };
  EXPECT_LT(end_of_output(*study), slot_of(*study, copy_making(*study, "y0")));
  EXPECT_GT(end_of_output(*holds), slot_of(*holds, copy_making(*holds, "h1")));
}

TEST(RegionsThatFreeOutputs, AreInThePlanForPyTorchWithAVersionOfTheirOwn) {
  const auto plain = nlohmann::json::parse(pytorch_plan(*study_of("net.0:5:-1")));
  EXPECT_EQ(plain.at("stashscope.plan"), 1) << "older packages read it";
  EXPECT_FALSE(plain.at("regions").at(0).contains("free_outputs"));
  const auto freeing = nlohmann::json::parse(pytorch_plan(*study_of("net.0[keep mm 0][out]:5:-1")));
  EXPECT_EQ(freeing.at("stashscope.plan"), 2);
  EXPECT_EQ(freeing.at("regions").at(0).at("free_outputs"), true);
  EXPECT_EQ(freeing.at("regions").at(0).at("save").size(), 1U);
}

}  // namespace regions_test
}  // namespace stashscope
