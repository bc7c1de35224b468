// FusedAttention and its gradient on the device: training steps of many nodes against the CPU
// runner, and single nodes whose results are not all numbers.

#include <gtest/gtest.h>

#include <cmath>

#include "core/run/cuda/execute/cuda_runner.h"
#include "tests/core/run/cpu/attention/fused_cases.h"
#include "tests/core/run/cuda/emulation/kernel_cases.h"
#include "tests/core/run/cuda/emulation/small_step.h"
#include "tests/support/sanitizer.h"

namespace stashscope::testing_run {
namespace cuda_fused_attention_test {

using namespace fused_cases;  // NOLINT: the cases

/// The nodes of several cases in one graph, so that their kernels are compiled together.
class JoinedGraph {
 public:
  JoinedGraph() { data_.opsets = {{"", 17}, {"com.microsoft", 1}}; }

  /// @param prefix of the names of all values
  void add(const Graph& graph, const std::string& prefix) {
    std::map<ValueId, ValueId> places;
    for (const Initializer& each : graph.data().initializers) {
      const std::string name = prefix + graph.value(each.value).name;
      places[each.value] = data_.add_initializer(name, each.tensor);
      data_.initializers.back().is_literal = each.is_literal;
    }
    for (Node node : graph.data().nodes) {
      node.name = prefix + node.name;
      for (ValueId& id : node.inputs) id = id.valid() ? places.at(id) : id;
      for (ValueId& id : node.outputs) {
        places[id] = data_.add_value(prefix + graph.value(id).name, {});
        id = places[id];
      }
      data_.nodes.push_back(std::move(node));
    }
    for (const ValueId id : graph.data().outputs) data_.outputs.push_back(places.at(id));
  }

  ModelStep step() { return {prepare_training_step(Graph(std::move(data_)), {}), {}}; }

 private:
  GraphData data_;
};

ModelStep joined_step(const std::vector<FusedCase>& cases, ElementType element,
                      const std::string& form) {
  JoinedGraph joined;
  for (FusedCase each : cases) {
    if (!form.empty()) each.attributes.set("form", form);
    joined.add(converted(graph_of(gradient_case(each)), element), each.name + "_");
  }
  return joined.step();
}

/// Gradients of the results, in a type.
NamedTensors seeds_of(const ModelStep& step, ElementType element) {
  NamedTensors seeds = with_seeds(step, step.default_plan(), {});
  for (auto& [name, seed] : seeds) seed = converted(seed, element);
  return seeds;
}

RunResult run_on_emulated_device(const RunPlan& plan, const NamedTensors& inputs) {
  const cuda::CudaRunner runner(test_device(), "cuda:0", {});
  return runner.run(plan, inputs, {}, {});
}

void expect_close(const NamedTensors& made, const NamedTensors& expected, double tolerance) {
  ASSERT_EQ(made.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    ASSERT_TRUE(made.contains(name)) << name;
    ASSERT_EQ(made.at(name).dims(), tensor.dims()) << name;
    EXPECT_EQ(made.at(name).element(), tensor.element()) << name;
    const Difference off = stashscope::difference(numbers(made.at(name)), numbers(tensor));
    EXPECT_LE(off.largest, tolerance * std::max(off.largest_value, 0.1)) << name;
  }
}

/// Results and gradients are those of the CPU's kernels, in the memory that is predicted, but for
/// the rounding of the allocator.
void expect_step_of_the_cpu(const std::vector<FusedCase>& cases, ElementType element,
                            double tolerance, const std::string& form = "") {
  SCOPED_TRACE(std::string(name_of(element)) + " " + form);
  const ModelStep step = joined_step(cases, element, form);
  const RunPlan plan = step.default_plan();
  const NamedTensors seeds = seeds_of(step, element);
  const RunResult made = run_on_emulated_device(plan, seeds);
  expect_close(made.outputs, run_on_cpu(plan, seeds).outputs,
               tolerance_on_device(element, tolerance));
  if (tests_run_on_gpu()) return;
  EXPECT_EQ(made.measurement.live_bytes, rounded_bytes(plan.timeline));
}

class CudaFusedAttentionIn : public testing::TestWithParam<ElementType> {};

TEST_P(CudaFusedAttentionIn, EveryStepAndLayoutIsThatOfTheCpu) {
  expect_step_of_the_cpu(all_cases(), GetParam(), order_tolerance(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Types, CudaFusedAttentionIn,
                         testing::Values(ElementType::float64, ElementType::float32,
                                         ElementType::float16, ElementType::bfloat16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(CudaFusedAttention, OfEveryFormIsThatOfTheCpu) {
  for (const char* form : {"recomputed", "efficient"}) {
    expect_step_of_the_cpu(all_cases(), ElementType::float32, order_tolerance(ElementType::float32),
                           form);
  }
}

/// Heads that are wider than what a block adds up, beside those of several tiles.
std::vector<FusedCase> cases_of_tiles() {
  std::vector<FusedCase> cases;
  for (FusedCase& each : large_cases()) {
    if (each.q[1] < 600) cases.push_back(std::move(each));
  }
  cases.push_back({"WideHeads", {2, 20, 150}, {2, 40, 150}, {2, 40, 200}, {"Mul"}, {number(0.1)}});
  cases.push_back({"WideGroups", {4, 3, 130}, {2, 70, 130}, {1, 70, 129}});
  cases.push_back({"ManyRows", {1, 130, 3}, {1, 5, 3}, {1, 5, 3}, {"Mul"}, {parameter({130, 1})}});
  cases.push_back({"Causal",
                   {1, 150, 4},
                   {1, 150, 4},
                   {1, 150, 4},
                   {"Mul", "Where"},
                   {number(0.5), causal_flags(150, 150), number(-infinite)}});
  return cases;
}

TEST(CudaFusedAttention, OfSeveralTilesIsThatOfTheCpu) {
  if (test::sanitized) GTEST_SKIP() << "takes too long with a sanitizer";
  expect_step_of_the_cpu(cases_of_tiles(), ElementType::float32, 1e-5);
  expect_step_of_the_cpu(cases_of_tiles(), ElementType::bfloat16,
                         order_tolerance(ElementType::bfloat16));
}

/// The decomposed step on the same device, whose dropout draws by position in the probabilities.
TEST(CudaFusedAttention, DropsTheElementsThatDropoutDrops) {
  const FusedCase each = {"Dropout",
                          {2, 4, 20, 4},
                          {2, 2, 30, 4},
                          {2, 2, 30, 4},
                          {"Mul"},
                          {number(0.5)},
                          {{"dropout", 0.4F}, {"dropout_seed", std::int64_t{9}}}};
  const ModelStep apart(
      prepare_training_step(converted(decomposed(each), ElementType::float32), {}), {});
  const ModelStep fused(
      prepare_training_step(converted(graph_of(gradient_case(each)), ElementType::float32), {}),
      {});
  const NamedTensors seeds = seeds_of(fused, ElementType::float32);
  expect_close(run_on_emulated_device(fused.default_plan(), seeds).outputs,
               run_on_emulated_device(apart.default_plan(), seeds).outputs, 1e-5);
}

OneNode fused_node(std::vector<Tensor> inputs, Attributes attributes) {
  return {"FusedAttention", std::move(inputs), std::move(attributes), 17, "com.microsoft", 2};
}

OneNode gradient_node(std::vector<Tensor> inputs, Attributes attributes) {
  return {"FusedAttentionGrad", std::move(inputs), std::move(attributes), 17, "com.microsoft", 3};
}

/// One row that sees no key, and a row that sees the first two only.
Tensor two_rows_of_flags(std::int64_t keys) {
  std::vector<char> visible(static_cast<std::size_t>(2 * keys), 0);
  std::fill_n(visible.begin() + keys, 2, 1);
  return flags({2, keys}, visible);
}

TEST(CudaFusedAttention, CarriesWhatIsNoNumberAsTheCpuDoes) {
  constexpr std::int64_t keys = 80;
  const Tensor q = spread(ElementType::float32, {2, 4});
  const Tensor k = spread(ElementType::float32, {keys, 4}, -1, 1);
  const std::vector<double> numbers_of_k = numbers(k);
  std::vector<float> items(numbers_of_k.begin(), numbers_of_k.end());
  items.back() = NAN;
  const Tensor broken = singles({keys, 4}, items);
  const Tensor hidden = singles({}, {-INFINITY});
  const Attributes where = {{"steps", Strings{"Where"}}};
  const Tensor visible = two_rows_of_flags(keys);
  std::vector<KernelCase> cases = {
      {fused_node({q, k, k, visible, hidden}, where), 1e-6},
      {fused_node({q, k, broken, visible, hidden}, where), 1e-6},
      {fused_node({q, broken, k, visible, hidden}, where), 1e-6},
      {fused_node({q, k, k, singles({}, {INFINITY})}, {{"steps", Strings{"Add"}}}), 1e-6}};
  for (std::size_t i = 0; i < 4; ++i) {
    const OneNode& forward = cases[i].node;
    std::vector<Tensor> inputs = run_node(forward);
    inputs.insert(inputs.begin(), forward.inputs.begin(), forward.inputs.begin() + 3);
    inputs.insert(inputs.begin(), spread(ElementType::float32, {2, 4}, 0.5, 1));
    inputs.insert(inputs.end(), forward.inputs.begin() + 3, forward.inputs.end());
    cases.push_back({gradient_node(std::move(inputs), forward.attributes), 1e-5});
  }
  expect_as_on_cpu(cases);
}

TEST(CudaFusedAttention, PadsTheSumsOfTheEfficientForm) {
  const Tensor q = spread(ElementType::float32, {2, 33, 4});
  expect_as_on_cpu({{fused_node({q, q, q}, {{"form", std::string("efficient")}}), 2e-6}});
}

TEST(CudaFusedAttention, StashedForItsGradientNeedsOneNumberForEachRow) {
  const Tensor q = spread(ElementType::float32, {2, 3, 20, 8});
  const Tensor sums = spread(ElementType::float32, {2, 3, 20});
  const auto scratch_of = [&](std::vector<Tensor> inputs) {
    const OneNode node = gradient_node(std::move(inputs), {});
    return lowered_node(context_of(node, {q, q, q})).scratch_bytes;
  };
  constexpr std::int64_t rows = 2 * 3 * 20;
  EXPECT_EQ(scratch_of({q, q, q, q, q, sums}), std::vector<std::int64_t>{rows * 4});
  EXPECT_EQ(scratch_of({q, q, q, q}), (std::vector<std::int64_t>{rows * 8 * 4, rows * 4, rows * 4}))
      << "the result and the sums, which are computed again";
}

TEST(CudaFusedAttention, OfNothingIsEmptyOrZero) {
  const Tensor none = spread(ElementType::float32, {2, 0, 4});
  const Tensor some = spread(ElementType::float32, {2, 3, 4});
  const Tensor narrow = spread(ElementType::float32, {2, 3, 0});
  const Tensor no_sums = singles({2, 0}, {});
  expect_as_on_cpu({{fused_node({none, some, some}, {}), 1e-6},
                    {fused_node({some, none, none}, {}), 1e-6},
                    {fused_node({some, some, narrow}, {}), 1e-6},
                    {fused_node({narrow, narrow, some}, {}), 1e-6},
                    {gradient_node({none, none, some, some, none, no_sums}, {}), 1e-6},
                    {gradient_node({none, none, some, some}, {}), 1e-6}});
  // Keys and values that all of no batches share.
  const Tensor no_batch = spread(ElementType::float32, {0, 3, 4});
  const Tensor shared = spread(ElementType::float32, {1, 5, 4});
  expect_as_on_cpu({{fused_node({no_batch, shared, shared}, {}), 1e-6},
                    {gradient_node({no_batch, no_batch, shared, shared}, {}), 1e-6}});
}

}  // namespace cuda_fused_attention_test
}  // namespace stashscope::testing_run
