#include "core/study/facts/node_facts.h"

#include <gtest/gtest.h>

#include "tests/support/model_builder.h"

namespace stashscope {
namespace node_facts_test {

std::shared_ptr<const Study> study_with(const std::string& plans) {
  Choices choices;
  choices.dims["N"] = 64;
  choices.plans.config = parse_config(plans);
  return compute_study(std::make_shared<const Graph>(test::deep_perceptron(3).build()), choices,
                       nullptr, {});
}

NodePlanState state_of(const Study& study, const std::string& node, PlanType type) {
  for (const NodePlanState& each : plans_of_node(study, study.graph().find_node(node).value())) {
    if (each.plan->type == type) return each;
  }
  throw std::runtime_error("no plan");
}

TEST(PlansOfNode, SayWhatIsReallyApplied) {
  const auto study = study_with("Gelu+:1:1,MatMul:3:-1");
  const auto gelu = [&](const std::string& layer) {
    return state_of(*study, "make_layer." + layer + ".g", PlanType::recompute);
  };
  EXPECT_TRUE(gelu("0").chosen);
  EXPECT_TRUE(gelu("0").applied);
  EXPECT_TRUE(gelu("1").chosen);
  EXPECT_FALSE(gelu("1").applied);
  EXPECT_TRUE(state_of(*study, "make_layer.1.h", PlanType::offload).applied);
  EXPECT_FALSE(state_of(*study, "make_layer.1.h", PlanType::compress).chosen);
}

TEST(StoredValue, IsOfTheFormThatIsKept) {
  const auto study = study_with("MatMul:4:1,Gelu:3:1");
  const Dataflow& dataflow = study->current->dataflow;
  int narrow = 0;
  int away = 0;
  for (std::size_t i = 0; i < dataflow.cloned_values.size(); ++i) {
    const ValueId id(dataflow.graph_values + i);
    const StoredValue stored = stored_value(*study, id);
    const AddedKind kind = dataflow.kind(dataflow.topology.producer[id]);
    if (kind == AddedKind::compress) {
      ++narrow;
      EXPECT_EQ(stored.type.element, ElementType::float16);
      EXPECT_EQ(stored.bytes, 64 * 16 * 2);
    } else if (kind == AddedKind::offload) {
      ++away;
      EXPECT_EQ(stored.bytes, 0);
    } else {
      EXPECT_EQ(stored.bytes, 64 * 16 * 4);
    }
  }
  EXPECT_EQ(narrow, 1);
  EXPECT_EQ(away, 1);
}

TEST(LastReadOfMemory, IsThatOfWhatSharesTheMemory) {
  test::ModelBuilder model;
  model.input("x", {"N", 4}).weight("w", {4, 4});
  model.node("MatMul", {"x", "w"}, {"h"}).node("Neg", {"h"}, {"n"});
  model.node("Sigmoid", {"n"}, {"s"}).node("Exp", {"s"}, {"e"}).node("Mul", {"s", "e"}, {"y"});
  const auto study = compute_study(std::make_shared<const Graph>(model.output("y").build()),
                                   Choices(), nullptr, {});
  const Graph& graph = study->graph();
  const auto value = [&](const char* name) { return graph.find_value(name).value(); };
  const auto last = last_read_of_memory(*study, graph.value(value("h")).producer);
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(study->current->timeline.buffer_of[last->value],
            study->current->timeline.buffer_of[value("h")]);
  EXPECT_NE(last->value, value("h")) << "the chain runs in place";
  const auto& inputs = study->current->dataflow.topology.inputs[last->reader];
  EXPECT_NE(std::find(inputs.begin(), inputs.end(), last->value), inputs.end());
  EXPECT_EQ(study->current->timeline.order[last->slot], last->reader);
}

TEST(MakerOfMemory, IsWhoAllocatedWhatAViewShows) {
  test::ModelBuilder model;
  model.input("x", {"N", 4}).weight("w", {4, 4});
  model.node("MatMul", {"x", "w"}, {"h"});
  model.node("Unsqueeze", {"h", "axes"}, {"v"}).int64s("axes", {0});
  model.node("Unsqueeze", {"x", "axes"}, {"u"}).output("v").output("u");
  const auto study =
      compute_study(std::make_shared<const Graph>(model.build()), Choices(), nullptr, {});
  const auto node = [&](const char* tensor) {
    return study->current->dataflow.topology.producer[study->graph().find_value(tensor).value()];
  };
  EXPECT_EQ(maker_of_memory(*study, node("h")), node("h"));
  EXPECT_EQ(maker_of_memory(*study, node("v")), node("h"));
  EXPECT_FALSE(maker_of_memory(*study, node("u")).valid());
}

}  // namespace node_facts_test
}  // namespace stashscope
