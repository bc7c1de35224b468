// A mixture of experts: each token goes to its two best experts, so that the number of tokens of an
// expert depends on the data.

#include "tests/core/run/cpu/kernels/gradient_case.h"

namespace stashscope {
namespace experts_test {

using namespace testing_run;  // NOLINT: the test's own helpers

constexpr std::int64_t tokens = 5;
constexpr std::int64_t width = 3;
constexpr std::int64_t experts = 3;

/// Builds the model node by node. Values of nodes have the names of their results.
class ExpertsModel {
 public:
  explicit ExpertsModel(double bias_of_last) {
    data_.opsets = {{"", 18}};
    trained("tokens", {tokens, width});
    trained("gate", {width, experts});
    literal("bias", doubles({experts}, {0, 0, bias_of_last}));
    literal("two", Tensor::int64s({2}));
    literal("zero", Tensor::int64_scalar(0));
    literal("one", Tensor::int64s({1}));
    node("MatMul", {"tokens", "gate"}, {"products"});
    node("Add", {"products", "bias"}, {"scores"});
    node("Softmax", {"scores"}, {"shares"}, {{"axis", std::int64_t{-1}}});
    node("TopK", {"shares", "two"}, {"weights", "chosen"});
    literal("nothing", doubles({tokens, width}, std::vector<double>(tokens * width, 0)));
    std::string sum = "nothing";
    for (std::int64_t e = 0; e < experts; ++e) sum = add_expert(std::to_string(e), e, sum);
    node("Identity", {sum}, {"y0"});
    data_.outputs = {values_.at("y0")};
  }

  Graph build() { return Graph(std::move(data_)); }

 private:
  void trained(const std::string& name, const std::vector<std::int64_t>& dims) {
    values_[name] = data_.add_initializer(name, random_doubles(dims, -1, 1, random_));
    data_.initializers.back().is_literal = false;
  }
  void literal(const std::string& name, Tensor tensor) {
    values_[name] = data_.add_initializer(name, std::move(tensor));
  }
  void node(const std::string& type, const std::vector<std::string>& inputs,
            const std::vector<std::string>& outputs, Attributes attributes = {}) {
    Node node;
    node.name = outputs[0];
    node.op_type = type;
    node.attributes = std::move(attributes);
    for (const std::string& each : inputs) node.inputs.push_back(values_.at(each));
    for (const std::string& each : outputs) {
      values_[each] = data_.add_value(each, {});
      node.outputs.push_back(values_.at(each));
    }
    data_.nodes.push_back(std::move(node));
  }

  /// Adds what expert `e` makes of its tokens to `sum`. Returns the name of the new sum.
  std::string add_expert(const std::string& e, std::int64_t number, const std::string& sum) {
    trained("w" + e, {width, width});
    literal("number" + e, Tensor::int64_scalar(number));
    node("Equal", {"chosen", "number" + e}, {"mine" + e});
    node("NonZero", {"mine" + e}, {"load" + e});
    node("Gather", {"load" + e, "zero"}, {"rows" + e});
    node("Gather", {"tokens", "rows" + e}, {"taken" + e});
    node("MatMul", {"taken" + e, "w" + e}, {"made" + e});
    node("Transpose", {"load" + e}, {"places" + e});
    node("GatherND", {"weights", "places" + e}, {"factors" + e});
    node("Unsqueeze", {"factors" + e, "one"}, {"column" + e});
    node("Mul", {"made" + e, "column" + e}, {"weighted" + e});
    node("Unsqueeze", {"rows" + e, "one"}, {"targets" + e});
    node("ScatterND", {sum, "targets" + e, "weighted" + e}, {"sum" + e},
         {{"reduction", std::string("add")}});
    return "sum" + e;
  }

  GraphData data_;
  std::map<std::string, ValueId> values_;
  std::mt19937_64 random_{7};
};

TEST(Experts, HaveTheSlopeAsGradient) { check_gradients(ExpertsModel(0).build()); }

/// All tokens go to the first two experts; nothing goes to the last one.
TEST(Experts, WithoutTokensTrain) { check_gradients(ExpertsModel(-100).build()); }

TEST(Experts, LoadsAreDimensionsThatPredictMemory) {
  for (const double bias_of_last : {0.0, -100.0}) {
    ModelStep step(prepare_training_step(ExpertsModel(bias_of_last).build(), {}), {});
    const RunResult first = run_on_cpu(step.default_plan(), {});
    std::int64_t total = 0;
    for (const auto& [name, size] : first.measurement.data_dependent) total += size;
    EXPECT_EQ(first.measurement.data_dependent.size(), static_cast<std::size_t>(experts));
    EXPECT_EQ(total, 2 * tokens);
    step.take_sizes(first.measurement.data_dependent);
    const RunPlan plan = step.default_plan();
    EXPECT_EQ(run_on_cpu(plan, {}).measurement.live_bytes, plan.timeline.live_bytes);
  }
}

}  // namespace experts_test
}  // namespace stashscope
