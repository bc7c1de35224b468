// Unknown operators: analysed as far as the model describes them, refused by name when run.

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/ops/families/standard_ops.h"
#include "core/passes/infer_shapes.h"
#include "core/run/step/random_inputs.h"
#include "model_run.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace unknown_operator_test {

using testing_run::ModelStep;

std::string run_refusal(const Graph& model) {
  return test::refusal(ErrorKind::input, [&] {
    const TrainingStep step = prepare_training_step(model, {});
    const Bindings dims(step.graph->symbols().size(), 4);
    const NamedTensors inputs = with_random_inputs(*step.graph, dims, {}, 1);
    testing_run::run_on_cpu(ModelStep(step, inputs).default_plan(), inputs);
  });
}

/// loss = mean(relu(-mystery(x) w)); the type of `mystery`'s output is declared.
Graph with_mystery() {
  test::ModelBuilder m;
  m.input("x", {"N", 4}).weight("w", {6, 5});
  m.node("Mystery", {"x"}, {"m"}, {}, "example").declare("m", {"N", 6});
  m.node("Neg", {"m"}, {"n"}).node("MatMul", {"n", "w"}, {"h"});
  m.node("Relu", {"h"}, {"y"});
  m.node("ReduceMean", {"y"}, {"loss"}, {{"keepdims", std::int64_t{0}}});
  return m.output("loss").build();
}

TEST(UnknownOperators, TakeTheirShapeFromTheDeclaration) {
  const Graph graph = infer_shapes(with_mystery());
  const auto& shape = graph.value(test::id_of(graph, "y")).type.shape;
  ASSERT_TRUE(shape);
  EXPECT_EQ(to_string((*shape)[0], graph.symbols()), "N");
  EXPECT_EQ((*shape)[1], Expr(5));
}

TEST(UnknownOperators, AreNeverRecomputed) {
  const TrainingStep step = prepare_training_step(with_mystery(), {});
  ASSERT_TRUE(step.boundary.known());
  const auto ops = resolve_ops(*step.graph);
  const Opportunities found = find_opportunities(*step.graph, ops, step.boundary, {1, false});
  const NodeId mystery = step.graph->value(test::id_of(*step.graph, "m")).producer;
  for (const NodePlan& plan : found.plans) {
    EXPECT_EQ(std::count(plan.subgraph.begin(), plan.subgraph.end(), mystery), 0);
  }
  const bool named = std::any_of(found.obstacles.begin(), found.obstacles.end(),
                                 [&](const Obstacle& each) { return each.stopped_at == mystery; });
  EXPECT_TRUE(named);
}

TEST(UnknownOperators, AreRefusedByNameWhenRun) {
  EXPECT_NE(run_refusal(with_mystery()).find("Mystery"), std::string::npos)
      << run_refusal(with_mystery());
}

TEST(UnknownOperators, OfARealTrainingGraphAreToo) {
  const std::filesystem::path file =
      STASHSCOPE_SHARED "/models/ort/training_api/custom_ops/training_model.onnx";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
  const std::string said = run_refusal(load_model(file));
  EXPECT_NE(said.find("CustomOpOne"), std::string::npos) << said;
  EXPECT_NE(said.find("CustomOpTwo"), std::string::npos) << said;
}

}  // namespace unknown_operator_test
}  // namespace stashscope
