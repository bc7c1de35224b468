// The loss in pieces on the device against the CPU's kernels.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "tests/core/run/cpu/kernels/element_types.h"
#include "tests/core/run/cpu/losses/loss_cases.h"
#include "tests/core/run/cuda/emulation/kernel_cases.h"
#include "tests/support/refusal.h"

namespace stashscope::testing_run {
namespace cuda_linear_loss_test {

using loss_cases::LossCase;
using loss_cases::small_loss;

/// The node of a case, with its operands in a type.
OneNode node_of(const GradientCase& each, ElementType element) {
  const Graph graph = converted(graph_of(each), element);
  OneNode node = {
      .type = each.type, .attributes = each.attributes, .domain = each.domain, .outputs = 2};
  for (const ValueId id : graph.nodes()[NodeId(0)].inputs) {
    node.inputs.push_back(id.valid() ? graph.initializer(id)->tensor : Tensor());
  }
  return node;
}

/// The gradient of a node, with the sums that the CPU's kernel stashes.
OneNode gradient_of(const OneNode& loss) {
  const std::vector<Tensor> made = run_node(loss);
  OneNode node = loss;
  node.type += "Grad";
  node.inputs = {random_tensor(made[0].element(), made[0].dims(), 0.7, 0.3), loss.inputs[0],
                 loss.inputs[1], loss.inputs[2], made[1]};
  for (std::size_t i = 3; i < loss.inputs.size(); ++i) node.inputs.push_back(loss.inputs[i]);
  const bool has_bias =
      loss.inputs.size() > 3 && loss.inputs[3].element() != ElementType::undefined;
  node.outputs = has_bias ? 3 : 2;
  return node;
}

double tolerance_of_sums(ElementType element) {
  return element == ElementType::float32 ? 1e-5 : order_tolerance(element);
}

void add_cases(const GradientCase& each, ElementType element, std::vector<KernelCase>& cases) {
  const OneNode loss = node_of(each, element);
  cases.push_back({loss, tolerance_of_sums(element)});
  cases.push_back({gradient_of(loss), tolerance_of_sums(element)});
}

TEST(CudaLinearLoss, AndItsGradientAreThoseOfTheCpu) {
  std::vector<KernelCase> cases;
  std::size_t turn = 0;
  for (const LossCase& each : loss_cases::all_losses()) {
    add_cases(loss_cases::in_pieces(each), ElementType::float64, cases);
    add_cases(loss_cases::in_pieces(each), device_floats[turn++ % 3], cases);
  }
  expect_as_on_cpu(cases);
}

/// Rows for blocks and in passes, and more rows than threads list at once.
GradientCase wide_case(std::int64_t rows, std::int64_t width, std::int64_t classes,
                       std::int64_t of_piece) {
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < rows; ++i) {
    labels.push_back(i % 5 == 3 ? loss_cases::ignored : i * 7919 % classes);
  }
  return {.name = "wide",
          .type = "LinearCrossEntropyLoss",
          .operands = {parameter({rows, width}), parameter({width, classes}),
                       constant(integers({rows}, labels)), parameter({classes})},
          .attributes = {{"rows", of_piece}, {"ignore_index", loss_cases::ignored}},
          .domain = "com.microsoft"};
}

TEST(CudaLinearLoss, TakesLongRowsAndManyRows) {
  std::vector<KernelCase> cases;
  for (const ElementType element : device_floats) {
    add_cases(wide_case(9, 8, 999, 4), element, cases);
    add_cases(wide_case(2500, 3, 20, 1000), element, cases);
  }
  add_cases(wide_case(3, 2, 33001, 2), ElementType::float32, cases);
  expect_as_on_cpu(cases);
}

TEST(CudaLinearLoss, IsRoundedToTheTypeThatIsAskedFor) {
  std::vector<KernelCase> cases;
  for (const ElementType element : {ElementType::float16, ElementType::bfloat16}) {
    LossCase each = {.name = "float32", .rows = 3, .has_bias = true};
    GradientCase made = loss_cases::in_pieces(each);
    made.attributes.set("output_type", std::int64_t{1});
    const OneNode loss = node_of(made, element);
    cases.push_back({loss, 1e-5});
    cases.push_back({gradient_of(loss), order_tolerance(element)});
  }
  expect_as_on_cpu(cases);
}

TEST(CudaLinearLoss, DoesNotComputeRowsWithAnIgnoredLabel) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  const Attributes ignoring = {{"ignore_index", std::int64_t{-100}}};
  const OneNode some =
      small_loss(singles({3, 2}, {1, 2, none, none, 0, 1}), {0, -100, 2}, ignoring);
  const OneNode nothing = small_loss(singles({2, 2}, {1, 2, 0, 1}), {-100, -100}, ignoring);
  const OneNode no_rows = small_loss(singles({0, 2}, {}), {}, {{"reduction", std::string("sum")}});
  expect_as_on_cpu({{some, 1e-6},
                    {gradient_of(some), 1e-6},
                    {nothing, 1e-6},
                    {gradient_of(nothing), 1e-6},
                    {no_rows, 1e-6},
                    {gradient_of(no_rows), 1e-6}});
}

std::int64_t scratch_bytes(const OneNode& node, const std::vector<Tensor>& outputs) {
  const cuda::Lowered lowered = lowered_node(context_of(node, outputs));
  return std::accumulate(lowered.scratch_bytes.begin(), lowered.scratch_bytes.end(),
                         std::int64_t{0});
}

TEST(CudaLinearLoss, HasScratchMemoryForTheNumbersOfOnePiece) {
  constexpr std::int64_t rows = 100;
  constexpr std::int64_t width = 8;
  constexpr std::int64_t classes = 50;
  constexpr std::int64_t of_piece = 7;
  GradientCase each = wide_case(rows, width, classes, of_piece);
  each.attributes.set("reduction", std::string("none"));
  const OneNode loss = node_of(each, ElementType::float32);
  const Tensor each_row = random_tensor(ElementType::float32, {rows});
  constexpr std::int64_t piece = of_piece * (width + classes) * 4;
  EXPECT_EQ(scratch_bytes(loss, {each_row, each_row}), piece + rows * 4) << "and the list of rows";
  const OneNode gradient = gradient_of(loss);
  EXPECT_EQ(scratch_bytes(gradient, {loss.inputs[0], loss.inputs[1], loss.inputs[3]}),
            piece + of_piece * width * 4 + rows * 8 + classes * 8)
      << "and the gradients of a piece's hidden states, a factor for each row, and the bias's sums";
}

/// The CPU kernels refuse such a label; the device must not read memory with it.
TEST(CudaLinearLoss, OfALabelOutsideOfTheClassesIsNotANumber) {
  const OneNode node = small_loss(singles({3, 2}, {1, 2, 0, 1, 1, 1}), {1, 3, 2},
                                  {{"reduction", std::string("none")}});
  const Tensor each_row = singles({3}, {0, 0, 0});
  const std::vector<double> found = numbers(results_on_device(node, {each_row, each_row}).at(0));
  EXPECT_GT(found[0], 0);
  EXPECT_TRUE(std::isnan(found[1]));
  EXPECT_GT(found[2], 0);
}

TEST(CudaLinearLoss, RefusesWhatItsKernelsCannotIndex) {
  const OneNode node = small_loss(singles({3, 2}, {1, 2, 0, 1, 1, 1}), {0, 1, 2}, {});
  const Tensor each_row = singles({3}, {0, 0, 0});
  const auto lower_with = [&](std::size_t input, std::size_t axis, std::int64_t size) {
    const CaseContext known = context_of(node, {singles({}, {0}), each_row});
    known.context->inputs.at(input).dims.at(axis) = size;
    return lowered_node(known).calls.size();
  };
  constexpr std::int64_t too_many = std::int64_t{1} << 30;
  const auto refused = [&](std::size_t input, std::size_t axis, std::int64_t size) {
    return test::refusal(ErrorKind::run, [&] { lower_with(input, axis, size); });
  };
  EXPECT_GT(lower_with(0, 1, 2), 0U);
  for (const auto& [input, axis] : {std::pair{0U, 1U}, {2U, 0U}, {1U, 1U}}) {
    EXPECT_NE(refused(input, axis, too_many).find(std::to_string(too_many)), std::string::npos)
        << refused(input, axis, too_many);
  }
  EXPECT_NE(refused(1, 1, 0).find("without classes"), std::string::npos);
}

}  // namespace cuda_linear_loss_test
}  // namespace stashscope::testing_run
