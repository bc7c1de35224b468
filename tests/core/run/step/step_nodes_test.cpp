#include "core/run/step/step_nodes.h"

#include "core/passes/training_step.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace step_nodes_test {

TEST(ReturnedGradient, HasTheTypeOfTheOutput) {
  const TrainingStep step = prepare_training_step(test::perceptron().build(), {});
  const ValueId output = test::id_of(*step.graph, "loss_grad");
  const Tensor like(ElementType::float32, {});
  const auto given = [&](ElementType element) {
    const NamedTensors inputs = {{"loss_grad", Tensor::float_scalar(element, 2)}};
    return returned_gradient(*step.graph, output, like, inputs);
  };
  EXPECT_EQ(given(ElementType::float32).reals()->front(), 2);
  const std::string said = test::refusal(ErrorKind::input, [&] { given(ElementType::float16); });
  EXPECT_NE(said.find("the type float16, but this YieldOp output has the type float32"),
            std::string::npos)
      << said;
}

}  // namespace step_nodes_test
}  // namespace stashscope
