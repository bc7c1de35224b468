// FLOPs and bytes of the operators, compared with hand-computed numbers.

#include <gtest/gtest.h>

#include "core/ops/families/standard_ops.h"
#include "core/ops/rules/op.h"

namespace stashscope {
namespace cost_test {

using Dims = std::vector<std::int64_t>;

/// A node with float32 operands of given dims; operands without dims are omitted.
class Example {
 public:
  Example(std::string type, std::vector<Dims> inputs, std::vector<Dims> outputs,
          Attributes attributes = {}, std::string domain = {})
      : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {
    node_.op_type = std::move(type);
    node_.domain = std::move(domain);
    node_.attributes = std::move(attributes);
    std::size_t next = 0;
    for (const Dims& dims : inputs_) {
      node_.inputs.push_back(dims.empty() ? ValueId() : ValueId(next++));
      input_bytes_.push_back(bytes(dims));
    }
    for (const Dims& dims : outputs_) {
      node_.outputs.push_back(dims.empty() ? ValueId() : ValueId(next++));
      output_bytes_.push_back(bytes(dims));
    }
  }

  double flops() const { return flops_of(op(), cost()); }
  double moved() const { return bytes_moved(op(), cost()); }

  void read_twice(std::size_t first, std::size_t second) {
    node_.inputs[second] = node_.inputs[first];
  }

 private:
  static std::int64_t bytes(const Dims& dims) { return dims.empty() ? 0 : 4 * element_count(dims); }
  static std::int64_t element_count(const Dims& dims) {
    std::int64_t count = 1;
    for (const std::int64_t dim : dims) count *= dim;
    return count;
  }
  const Op* op() const { return standard_ops().find(node_); }
  CostContext cost() const { return {node_, inputs_, outputs_, input_bytes_, output_bytes_}; }

  Node node_;
  std::vector<Dims> inputs_;
  std::vector<Dims> outputs_;
  std::vector<std::int64_t> input_bytes_;
  std::vector<std::int64_t> output_bytes_;
};

const std::string microsoft = "com.microsoft";

TEST(Flops, OfAnIntegerConvolutionHaveNoBias) {
  const std::vector<Dims> outputs = {{1, 8, 5, 5}};
  const double plain = Example("ConvInteger", {{1, 3, 7, 7}, {8, 3, 3, 3}}, outputs).flops();
  EXPECT_EQ(plain, 2.0 * 8 * 5 * 5 * 3 * 3 * 3);
  EXPECT_EQ(Example("ConvInteger", {{1, 3, 7, 7}, {8, 3, 3, 3}, {1}}, outputs).flops(), plain);
}

TEST(Flops, OfProductsCountTheInnerAxisTwice) {
  EXPECT_EQ(Example("MatMul", {{5, 2, 3}, {3, 4}}, {{5, 2, 4}}).flops(), 2 * 5 * 2 * 4 * 3);
  EXPECT_EQ(Example("MatMul", {{7}, {7}}, {{}}).flops(), 2 * 7);
  EXPECT_EQ(
      Example("FusedMatMul", {{3, 2}, {3, 4}}, {{2, 4}}, {{"transA", std::int64_t{1}}}, microsoft)
          .flops(),
      2 * 2 * 4 * 3);
}

TEST(Flops, OfAProductWithItsBatchBehindTheRows) {
  // A of [inner 3, batch 5, rows 2], B of [5, 3, 4].
  const Example product("FusedMatMul", {{3, 5, 2}, {5, 3, 4}}, {{5, 2, 4}},
                        {{"transA", std::int64_t{1}}, {"transBatchA", std::int64_t{1}}}, microsoft);
  EXPECT_EQ(product.flops(), 2 * 5 * 2 * 4 * 3);
}

TEST(Flops, OfGemmIncludeTheBias) {
  EXPECT_EQ(Example("Gemm", {{2, 3}, {3, 4}, {4}}, {{2, 4}}).flops(), 2 * 2 * 4 * 3 + 2 * 4);
  EXPECT_EQ(Example("Gemm", {{2, 3}, {3, 4}}, {{2, 4}}).flops(), 2 * 2 * 4 * 3);
}

TEST(Flops, OfRecurrentOperatorsCountEveryWeightAtEveryStep) {
  const Dims x = {5, 2, 3};
  const Dims w = {2, 16, 3};
  const Dims r = {2, 16, 4};
  const double data = 2 * 5 * 2 * (2 * 16 * 3);
  const double states = 2 * 5 * 2 * (2 * 16 * 4);
  EXPECT_EQ(Example("LSTM", {x, w, r}, {{5, 2, 2, 4}}).flops(), data + states);
  EXPECT_EQ(Example("LSTMGrad", {x, w, r}, {x, w, r}, {}, microsoft).flops(),
            2 * data + 2 * states);
  EXPECT_EQ(Example("LSTMGrad", {x, w, r}, {{}, w}, {}, microsoft).flops(), data + states);
}

TEST(Flops, OfConvolutions) {
  // 6 channels in 2 groups, 4 filters of 3 x 3: each output element has 3 * 9 weights.
  const Dims x = {1, 6, 8, 8};
  const Dims w = {4, 3, 3, 3};
  const Dims y = {1, 4, 6, 6};
  const double forward = 2.0 * 4 * 36 * 27;
  EXPECT_EQ(Example("Conv", {x, w}, {y}).flops(), forward);
  EXPECT_EQ(Example("Conv", {x, w, {4}}, {y}).flops(), forward + 4 * 36);
  EXPECT_EQ(Example("ConvGrad", {y, x, w}, {x, w}, {}, microsoft).flops(), 2 * forward);
  EXPECT_EQ(Example("ConvGrad", {y, x, w}, {{}, w}, {}, microsoft).flops(), forward);
  EXPECT_EQ(Example("ConvGrad", {y, x, w}, {{}, w, {4}}, {}, microsoft).flops(), forward + 4 * 36);
}

TEST(Flops, OfTransposedConvolutionsFollowTheInput) {
  // Stride 2: 2 channels of 4 x 4 become 3 of 8 x 8; each input element has 3 * 4 weights.
  const Dims x = {1, 2, 4, 4};
  const Dims w = {2, 3, 2, 2};
  const Dims y = {1, 3, 8, 8};
  const double forward = 2.0 * 2 * 16 * 12;
  EXPECT_EQ(Example("ConvTranspose", {x, w}, {y}).flops(), forward);
  EXPECT_EQ(Example("ConvTransposeGrad", {y, x, w}, {x, w}, {}, microsoft).flops(), 2 * forward);
}

TEST(Flops, OfAttentionAreTwoProductsAndASoftmax) {
  // 2 sentences, 3 heads, 5 queries, 7 keys, heads of 4.
  const double scores = 2 * 3 * 5 * 7;
  const double expected = 2 * scores * 4 + 2 * scores * 4 + 8 * scores;
  EXPECT_EQ(
      Example("Attention", {{2, 3, 5, 4}, {2, 3, 7, 4}, {2, 3, 7, 4}}, {{2, 3, 5, 4}}).flops(),
      expected);
  const Example flat("Attention", {{2, 5, 12}, {2, 7, 12}, {2, 7, 12}}, {{2, 5, 12}},
                     {{"q_num_heads", std::int64_t{3}}, {"kv_num_heads", std::int64_t{3}}});
  EXPECT_EQ(flat.flops(), expected);
  const Example cached("Attention",
                       {{2, 3, 5, 4}, {2, 3, 1, 4}, {2, 3, 1, 4}, {}, {2, 3, 6, 4}, {2, 3, 6, 4}},
                       {{2, 3, 5, 4}});
  EXPECT_EQ(cached.flops(), expected);
}

TEST(Flops, OfTheGradientOfAttentionAreFiveProducts) {
  const double scores = 2 * 3 * 5 * 7;
  const Dims q = {2, 3, 5, 4};
  const Dims k = {2, 3, 7, 4};
  EXPECT_EQ(
      Example("AttentionGrad", {q, k, k, {}, {}, {}, {}, q}, {q, k, k}, {}, microsoft).flops(),
      5 * 2 * scores * 4 + 16 * scores);
}

TEST(Flops, OfFusedAttentionCountProductsSoftmaxAndSteps) {
  // 2 sentences, 4 query heads and 2 key heads, 5 queries, 7 keys, sizes 3 and 6.
  const double scores = 2 * 4 * 5 * 7;
  const Dims q = {2, 4, 5, 3};
  const Dims k = {2, 2, 7, 3};
  const Dims v = {2, 2, 7, 6};
  const Dims y = {2, 4, 5, 6};
  const Attributes steps = {{"steps", Strings{"Mul", "Reshape", "Where"}}};
  const double forward = scores * (2 * (3 + 6) + 8 + 2);
  const Example fused("FusedAttention", {q, k, v, {1}, {4}, {5, 7}, {1}}, {y, {2, 4, 5}}, steps,
                      microsoft);
  EXPECT_EQ(fused.flops(), forward);
  EXPECT_EQ(fused.moved(), 4.0 * (120 + 84 + 168 + 1 + 4 + 35 + 1 + 240 + 40)) << "no scores";
  const std::vector<Dims> inputs = {y, q, k, v, y, {2, 4, 5}, {1}, {4}, {5, 7}, {1}};
  EXPECT_EQ(Example("FusedAttentionGrad", inputs, {q, k, v}, steps, microsoft).flops(),
            scores * (2 * (3 * 3 + 2 * 6) + 2 * (8 + 2)));
  EXPECT_EQ(Example("FusedAttentionGrad", inputs, {{}, {}, v}, steps, microsoft).flops(),
            scores * (2 * (3 + 2 * 6) + 2 * (8 + 2)))
      << "only what is wanted is made";
}

TEST(Flops, OfLinearAttentionFollowTheState) {
  // 2 sentences of 5 tokens, 4 query heads of 3, values of 6.
  const Example linear("LinearAttention", {{2, 5, 12}, {2, 5, 6}, {2, 5, 12}}, {{2, 5, 24}},
                       {{"q_num_heads", std::int64_t{4}}, {"kv_num_heads", std::int64_t{2}}});
  EXPECT_EQ(linear.flops(), 6.0 * 3 * 2 * 5 * 24);
}

TEST(Flops, OfSamplingFollowTheNeighbours) {
  const Dims x = {1, 2, 8, 8};
  const Dims grid = {1, 3, 3, 2};
  const Dims y = {1, 2, 3, 3};
  EXPECT_EQ(Example("GridSample", {x, grid}, {y}).flops(), 2 * 4 * 18);
  EXPECT_EQ(Example("GridSample", {x, grid}, {y}, {{"mode", std::string("cubic")}}).flops(),
            2 * 16 * 18);
  EXPECT_EQ(Example("GridSampleGrad", {y, x, grid}, {x, grid}, {}, microsoft).flops(), 4 * 4 * 18);
}

TEST(Flops, OfNormalizationsAndSoftmaxAreSomePerElement) {
  const Dims x = {4, 10};
  EXPECT_EQ(Example("LayerNormalization", {x, {10}, {10}}, {x}).flops(), 8 * 40);
  EXPECT_EQ(Example("RMSNormalization", {x, {10}}, {x}).flops(), 4 * 40);
  EXPECT_EQ(Example("SimplifiedLayerNormalization", {x, {10}}, {x}).flops(), 4 * 40);
  EXPECT_EQ(Example("BatchNormalization", {x, {10}, {10}, {10}, {10}}, {x}).flops(), 4 * 40);
  EXPECT_EQ(Example("BatchNormalization", {x, {10}, {10}, {10}, {10}}, {x, {10}, {10}},
                    {{"training_mode", std::int64_t{1}}})
                .flops(),
            8 * 40);
  EXPECT_EQ(Example("Softmax", {x}, {x}).flops(), 8 * 40);
  EXPECT_EQ(Example("SoftmaxGrad_13", {x, x}, {x}, {}, microsoft).flops(), 4 * 40);
  EXPECT_EQ(Example("LogSoftmaxGrad_13", {x, x}, {x}, {}, microsoft).flops(), 7 * 40);
}

TEST(Flops, OfReductionsFollowTheInput) {
  EXPECT_EQ(Example("ReduceSum", {{4, 10}}, {{4, 1}}).flops(), 40);
  EXPECT_EQ(Example("ReduceMean", {{4, 10}}, {{4, 1}}).flops(), 40);
  EXPECT_EQ(Example("ReduceL2", {{4, 10}}, {{4, 1}}).flops(), 80);
  EXPECT_EQ(Example("ArgMax", {{4, 10}}, {{4, 1}}).flops(), 40);
}

TEST(Flops, OfPoolingGradientsSpreadEachWindow) {
  const Attributes window = {{"kernel_shape", std::vector<std::int64_t>{2, 2}}};
  const Dims x = {1, 1, 4, 4};
  const Dims y = {1, 1, 2, 2};
  EXPECT_EQ(Example("AveragePool", {x}, {y}, window).flops(), 16);
  EXPECT_EQ(Example("AveragePoolGrad", {y, {4}}, {x}, window, microsoft).flops(), 16);
  EXPECT_EQ(Example("MaxPoolGrad", {y, y, {4}}, {x}, window, microsoft).flops(), 4);
}

TEST(Costs, OfLossesByClassOrByLabel) {
  const Dims scores = {8, 100};
  const Dims labels = {8};
  EXPECT_EQ(Example("SoftmaxCrossEntropyLoss", {scores, labels}, {{1}, scores}).flops(), 9 * 800);
  EXPECT_EQ(Example("SoftmaxCrossEntropyLossGrad", {{1}, scores, labels}, {scores}, {}, microsoft)
                .flops(),
            6 * 800);
  const Example chosen("NegativeLogLikelihoodLoss", {scores, labels}, {{1}});
  EXPECT_EQ(chosen.flops(), 2 * 8);
  EXPECT_EQ(chosen.moved(), 4 * (8 + 8 + 1));
}

/// 8 rows of 4 numbers, 100 classes, 3 rows in a piece: three pieces.
TEST(Costs, OfLossesInPieces) {
  const Dims hidden = {8, 4};
  const Dims weight = {4, 100};
  const Dims labels = {8};
  const Attributes rows = {{"rows", std::int64_t{3}}};
  const double scores = 8 * 100;
  const Example loss("LinearCrossEntropyLoss", {hidden, weight, labels}, {{1}, labels}, rows,
                     microsoft);
  EXPECT_EQ(loss.flops(), scores * (2 * 4 + 9));
  EXPECT_EQ(loss.moved(), 4 * (32 + 3 * 400 + 8 + 2 * scores + 1 + 8));
  const Example gradient("LinearCrossEntropyLossGrad", {{1}, hidden, weight, labels, labels},
                         {hidden, weight}, rows, microsoft);
  EXPECT_EQ(gradient.flops(), scores * (3 * 2 * 4 + 6));
  EXPECT_EQ(gradient.moved(),
            4 * (1 + 32 + 3 * 400 + 8 + 8 + 5 * scores + 32 + 3 * 400 + (2 + 2 + 1) * 400));
}

TEST(Costs, OfAdamFollowTheWeights) {
  const Dims w = {6, 5};
  const Example adam("AdamOptimizer", {{1}, {1}, w, w, w, w}, {{1}, w, w, w}, {}, microsoft);
  EXPECT_EQ(adam.flops(), 12 * 30);
  EXPECT_EQ(adam.moved(), 4 * (2 + 4 * 30 + 1 + 3 * 30));
}

TEST(Bytes, AreEveryOperandOnce) {
  Example sum("Add", {{4, 10}, {4, 10}}, {{4, 10}});
  EXPECT_EQ(sum.moved(), 3 * 160);
  sum.read_twice(0, 1);
  EXPECT_EQ(sum.moved(), 2 * 160);
  EXPECT_EQ(Example("NoSuchOperator", {{3}}, {{3}}).moved(), 24);
}

TEST(Bytes, OfGatherAreTheRowsTaken) {
  EXPECT_EQ(Example("Gather", {{1000, 16}, {3}}, {{3, 16}}).moved(), 4 * (2 * 48 + 3));
  EXPECT_EQ(Example("Slice", {{1000}, {1}, {1}}, {{10}}).moved(), 4 * (2 * 10 + 2));
  const Attributes embedding = {{"operator", std::string("embedding")}};
  const Example aten("ATen", {{1000, 16}, {3}}, {{3, 16}}, embedding, "org.pytorch.aten");
  EXPECT_EQ(aten.moved(), 4 * (2 * 48 + 3));
  EXPECT_EQ(aten.flops(), 0);
}

TEST(Bytes, OfGatherGradAreZerosAndTheRowsAdded) {
  const Example grad("GatherGrad", {{2}, {3}, {3, 16}}, {{1000, 16}}, {}, microsoft);
  EXPECT_EQ(grad.moved(), 4 * (16000 + 3 + 3 * 48));
  EXPECT_EQ(grad.flops(), 48);
}

TEST(Bytes, OfPaddingAreTheRowsTakenAndAllRowsMade) {
  const Example unpad("FlattenAndUnpad", {{4, 8, 16}, {3}}, {{3, 16}}, {}, microsoft);
  EXPECT_EQ(unpad.moved(), 4 * (2 * 48 + 3));
  EXPECT_EQ(unpad.flops(), 0);
  const Example pad("PadAndUnflatten", {{3, 16}, {3}, {2}}, {{4, 8, 16}}, {}, microsoft);
  EXPECT_EQ(pad.moved(), 4 * (48 + 3 + 2 + 512));
  EXPECT_EQ(pad.flops(), 0);
}

TEST(Bytes, OfShapesAreNone) {
  EXPECT_EQ(Example("Shape", {{4, 10}}, {{2}}).moved(), 0);
  EXPECT_EQ(Example("Size", {{4, 10}}, {{1}}).moved(), 0);
}

TEST(Bytes, OfMatrixProductsTellTheUnit) {
  const OpRegistry& ops = standard_ops();
  for (const char* type : {"MatMul", "Gemm", "Conv", "ConvTranspose", "Attention", "Einsum"}) {
    EXPECT_EQ(ops.find("", type)->unit, ComputeUnit::matrix) << type;
  }
  EXPECT_EQ(ops.find("", "Softmax")->unit, ComputeUnit::vector);
  EXPECT_EQ(ops.find("", "MemcpyToHost")->unit, ComputeUnit::link);
}

}  // namespace cost_test
}  // namespace stashscope
