#include "core/study/choices/zero_dims.h"

#include <gtest/gtest.h>

#include "core/run/devices/devices.h"
#include "core/study/step/step_export.h"
#include "core/study/step/study.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace zero_dims_test {

using test::ModelBuilder;
using test::refusal;

std::shared_ptr<const Study> study_of(const Graph& model, const SizeChoices& dims,
                                      const Study* previous = nullptr) {
  Choices choices;
  choices.dims = dims;
  const auto shared = previous != nullptr ? previous->model : std::make_shared<const Graph>(model);
  return compute_study(shared, choices, previous, Progress());
}

/// x[N, S] without its first column: S - 1 columns, or none.
Graph shifted() {
  ModelBuilder m;
  m.input("x", {"N", "S"}).int64s("one", {1}).int64s("end", {100}).weight("w", {1}, {2});
  m.node("Slice", {"x", "one", "end", "one"}, {"rest"});
  return m.node("Mul", {"rest", "w"}, {"y"}).output("y").build();
}

std::vector<std::int64_t> dims_of(const Study& study, const std::string& name) {
  std::vector<std::int64_t> dims;
  const Graph& graph = study.graph();
  for (const Expr& dim : *graph.value(test::id_of(graph, name)).type.shape) {
    dims.push_back(dim.evaluate(study.sizes->dims.bindings).value());
  }
  return dims;
}

TEST(ZeroDims, SizesAreThoseOfARun) {
  const auto study = study_of(shifted(), {{"N", 2}, {"S", 0}});
  EXPECT_EQ(dims_of(*study, "y"), (std::vector<std::int64_t>{2, 0}));
  const RunPlan plan = run_plan(*study, *study->current);
  const NamedTensors inputs = {{"x", Tensor(ElementType::float32, {2, 0}, "")}};
  const RunResult result = make_runner("cpu")->run(plan, inputs, {}, {});
  EXPECT_EQ(result.measurement.live_bytes, plan.timeline.live_bytes);
  EXPECT_EQ(result.outputs.at("y").dims(), (std::vector<std::int64_t>{2, 0}));
}

TEST(ZeroDims, AreListedAndComeBack) {
  const auto empty = study_of(shifted(), {{"N", 0}, {"S", 3}});
  EXPECT_EQ(empty->sizes->dims.dimensions.size(), 2U);
  EXPECT_EQ(dims_of(*empty, "y"), (std::vector<std::int64_t>{0, 2}));
  const auto full = study_of(shifted(), {{"N", 4}, {"S", 3}}, empty.get());
  EXPECT_EQ(dims_of(*full, "y"), (std::vector<std::int64_t>{4, 2}));
}

TEST(ZeroDims, PatternsNameThem) {
  EXPECT_EQ(dims_of(*study_of(shifted(), {{"*", 0}}), "y"), (std::vector<std::int64_t>{0, 0}));
}

TEST(ZeroDims, AModelThatNeedsElementsRefuses) {
  ModelBuilder m;
  m.input("x", {"N", 4})
      .input("z", {3, 4})
      .node("Concat", {"x", "z"}, {"y"}, {{"axis", std::int64_t{1}}});
  const std::string said = refusal(ErrorKind::usage, [&] {
    study_of(m.output("y").build(), {{"N", 0}});
  });
  EXPECT_NE(said.find("'N': cannot be 0"), std::string::npos) << said;
}

TEST(ZeroDims, TheDimensionAtFaultIsNamed) {
  ModelBuilder m;
  m.input("x", {"A", "B"}).input("z", {"A", 4});
  m.node("Concat", {"x", "z"}, {"wide"}, {{"axis", std::int64_t{0}}}).node("Neg", {"x"}, {"y"});
  const Graph model = m.output("wide").output("y").build();
  const std::string said = refusal(ErrorKind::usage, [&] {
    study_of(model, {{"A", 0}, {"B", 0}});
  });
  EXPECT_NE(said.find("'B': cannot be 0"), std::string::npos) << said;
}

TEST(ZeroDims, AFaultOfTheModelIsNotTheirs) {
  ModelBuilder m;
  m.input("x", {"N", 4}).node("Add", {"x"}, {"y"});
  const std::string said = refusal(ErrorKind::input, [&] {
    study_of(m.output("y").build(), {{"N", 0}});
  });
  EXPECT_NE(said.find("missing"), std::string::npos) << said;
  EXPECT_EQ(said.find("cannot be 0"), std::string::npos) << said;
}

TEST(ZeroDims, SizesThatOnlyARunKnowsMayBeZero) {
  ModelBuilder m;
  m.input("x", {"N"}).input("shape", {2}, ElementType::int64);
  m.node("Reshape", {"x", "shape"}, {"y"}).node("Neg", {"y"}, {"z"});
  const auto study = study_of(m.output("z").build(), {{"y_dim0", 0}, {"y_dim1", 3}});
  EXPECT_EQ(dims_of(*study, "z"), (std::vector<std::int64_t>{0, 3}));
}

TEST(ZeroDims, NegativeSizesAreStillRefused) {
  refusal(ErrorKind::usage, [&] { study_of(shifted(), {{"N", -1}}); });
}

/// A convolution without padding needs at least 401 samples.
Graph long_filter() {
  ModelBuilder m;
  m.input("x", {"N", 1, "T"}).weight("w", {1, 1, 402});
  return m.node("Conv", {"x", "w"}, {"y"}).output("y").build();
}

TEST(NegativeSizes, AnAssumedSizeAvoidsThem) {
  const auto study = study_of(long_filter(), {});
  EXPECT_GE(dims_of(*study, "y").at(2), 1);
}

TEST(NegativeSizes, AGivenSizeIsToldWhy) {
  const std::string said = refusal(ErrorKind::usage, [&] { study_of(long_filter(), {{"T", 10}}); });
  EXPECT_NE(said.find("make_y"), std::string::npos) << said;
  EXPECT_NE(said.find("negative size: T - 401 = -391"), std::string::npos) << said;
}

}  // namespace zero_dims_test
}  // namespace stashscope
