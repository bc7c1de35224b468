// Operands that only a run knows may set other sizes than the model declares. Such a run is
// refused, because its memory is not the predicted one.

#include "core/run/step/planned_size.h"

#include "tests/core/run/models/model_run.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace planned_size_test {

using testing_run::ModelStep;

/// y = -expand(x, shape); the run gives `shape`.
test::ModelBuilder expansion() {
  test::ModelBuilder m;
  m.input("x", {1}).input("shape", {1}, ElementType::int64);
  m.node("Expand", {"x", "shape"}, {"wide"}).node("Neg", {"wide"}, {"y"});
  m.output("y");
  return m;
}

NamedTensors inputs_for(std::int64_t size) {
  return {{"x", Tensor(ElementType::float32, {1}, std::string(4, '\0'))},
          {"shape", Tensor::int64s({size})}};
}

RunResult run(const Graph& model, std::int64_t size, std::string_view fusion) {
  const NamedTensors inputs = inputs_for(size);
  const ModelStep step(prepare_training_step(model, {}), inputs);
  return testing_run::run_on_cpu(
      step.plan(step.without_plans(), order_strategies().front(), {}, fusion), inputs);
}

TEST(PlannedSize, ARunThatContradictsADeclaredSizeIsRefused) {
  const Graph model = expansion().declare("wide", {4}).build();
  for (const char* const fusion : {"none", "memory-aware"}) {
    const std::string said = test::refusal(ErrorKind::run, [&] { run(model, 8, fusion); });
    EXPECT_NE(said.find("'wide' has dims [8] in this run and takes 32 B instead of the 16 B"),
              std::string::npos)
        << fusion << ": " << said;
  }
}

TEST(PlannedSize, ARunWithTheDeclaredSizeGoesOn) {
  const Graph model = expansion().declare("wide", {4}).build();
  EXPECT_EQ(run(model, 4, "none").outputs.at("y").dims(), std::vector<std::int64_t>{4});
}

TEST(PlannedSize, AnUnknownSizeIsThatOfTheRun) {
  const Graph model = expansion().build();
  EXPECT_EQ(run(model, 8, "none").outputs.at("y").dims(), std::vector<std::int64_t>{8});
}

}  // namespace planned_size_test
}  // namespace stashscope
