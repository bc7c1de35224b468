// Attention of ONNX Runtime (com.microsoft), written step by step and as FusedAttention. The
// results are those of ONNX Runtime 1.32.0 on a CPU; the gradients are central differences.

#include <gtest/gtest.h>

#include "core/passes/infer_shapes.h"
#include "tests/core/run/cpu/kernels/element_types.h"
#include "tests/core/run/models/waves.h"

namespace stashscope {
namespace contrib_attention_test {

using testing_run::ModelStep;
using testing_run::wave;

using Dims = std::vector<std::int64_t>;

Tensor int32s(Dims dims, const std::vector<std::int32_t>& items) {
  return testing_run::tensor_of(ElementType::int32, std::move(dims), items);
}

/// A node and what ONNX Runtime computes: the wave_sums of each output.
struct ContribCase {
  const char* name;
  const char* type;
  std::vector<Tensor> operands;  ///< empty tensors are left out
  Attributes attributes;
  std::vector<std::vector<double>> sums;
};

void PrintTo(const ContribCase& each, std::ostream* out) { *out << each.name; }

/// @param trained whether the numbers are parameters in float64; else all operands are literals
Graph model_of(const ContribCase& each, bool trained) {
  GraphData data;
  data.opsets = {{"", 17}, {"com.microsoft", 1}};
  Node node;
  node.name = "node";
  node.domain = "com.microsoft";
  node.op_type = each.type;
  node.attributes = each.attributes;
  for (const Tensor& given : each.operands) {
    const bool is_number = is_floating(given.element());
    const Tensor wide =
        is_number && trained ? testing_run::doubles(given.dims(), numbers(given)) : given;
    const bool is_there = given.element() != ElementType::undefined;
    const std::string name = "x" + std::to_string(node.inputs.size());
    node.inputs.push_back(is_there ? data.add_initializer(name, wide) : ValueId());
    if (is_there) data.initializers.back().is_literal = !is_number || !trained;
  }
  for (std::size_t i = 0; i < each.sums.size(); ++i) {
    node.outputs.push_back(data.add_value("y" + std::to_string(i), {}));
  }
  data.outputs = node.outputs;
  data.nodes.push_back(std::move(node));
  return Graph(std::move(data));
}

/// The model with its attention in a form.
Graph in_form(const ContribCase& each, const std::string& form, bool trained) {
  const Graph model = infer_shapes(model_of(each, trained));
  std::vector<WhatIfResult> results;
  Graph changed = infer_shapes(apply_what_ifs(model, {}, {{"attention", form}}, results));
  EXPECT_EQ(results.at(0).changed, 1U);
  for (const WhatIfStop& stop : results.at(0).stopped_by) ADD_FAILURE() << stop.reason;
  for (std::size_t i = 0; i < each.sums.size(); ++i) {
    EXPECT_EQ(changed.value(changed.data().outputs[i]).type.shape,
              model.value(model.data().outputs[i]).type.shape);
  }
  return changed;
}

class ContribAttention : public testing::TestWithParam<ContribCase> {};

TEST_P(ContribAttention, GivesTheResultsOfOnnxRuntime) {
  for (const char* const form : {"decomposed", "recomputed", "efficient", "flash"}) {
    SCOPED_TRACE(form);
    ModelStep step(prepare_training_step(in_form(GetParam(), form, false), {}), {});
    const RunResult result = testing_run::run_as_predicted(step, step.without_plans(), {});
    for (std::size_t i = 0; i < GetParam().sums.size(); ++i) {
      const std::vector<double> found =
          testing_run::wave_sums(result.outputs.at("y" + std::to_string(i)));
      for (std::size_t j = 0; j < found.size(); ++j) {
        EXPECT_NEAR(found[j], GetParam().sums[i][j], 2e-5) << "output " << i << ", sum " << j;
      }
    }
  }
}

TEST_P(ContribAttention, IsDifferentiated) {
  for (const char* const form : {"decomposed", "flash"}) {
    SCOPED_TRACE(form);
    testing_run::check_gradients(in_form(GetParam(), form, true));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ContribAttention,
    testing::ValuesIn(std::vector<ContribCase>{
        {"plain",
         "MultiHeadAttention",
         {wave({2, 4, 6}, 0), wave({2, 5, 6}, 1), wave({2, 5, 6}, 2)},
         {{"num_heads", std::int64_t{2}}},
         {{0.3290512, 0.8067676, 1.796452, 0.6206716}}},
        {"bias",
         "MultiHeadAttention",
         {wave({2, 4, 6}, 0), wave({2, 5, 6}, 1), wave({2, 5, 6}, 2), wave({18}, 3)},
         {{"num_heads", std::int64_t{2}}, {"scale", 0.5F}},
         {{0.4103761, 0.9032769, 2.501387, 1.416032}}},
        {"wider_values",
         "MultiHeadAttention",
         {wave({2, 4, 6}, 0), wave({2, 5, 6}, 1), wave({2, 5, 8}, 2)},
         {{"num_heads", std::int64_t{2}}},
         {{-1.175544, 0.5689257, -1.149021, -8.108578}}},
        {"lengths",
         "MultiHeadAttention",
         {wave({2, 4, 6}, 0), wave({2, 5, 6}, 1), wave({2, 5, 6}, 2), {}, int32s({2}, {3, 5})},
         {{"num_heads", std::int64_t{2}}},
         {{-0.278166, 0.9331047, 4.078215, -0.5569105}}},
        {"padding_and_bias",
         "MultiHeadAttention",
         {wave({2, 4, 6}, 0),
          wave({2, 5, 6}, 1),
          wave({2, 5, 6}, 2),
          {},
          int32s({2, 5}, {1, 1, 1, 0, 0, 0, 1, 1, 1, 1}),
          wave({1, 2, 4, 5}, 4)},
         {{"num_heads", std::int64_t{2}}},
         {{0.3266092, 0.7087526, 3.537428, -0.3451452}}},
        {"mask_of_rows",
         "MultiHeadAttention",
         {wave({2, 4, 6}, 0),
          wave({2, 5, 6}, 1),
          wave({2, 5, 6}, 2),
          {},
          int32s({2, 4, 5}, {0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1,
                             1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1})},
         {{"num_heads", std::int64_t{2}}, {"mask_filter_value", -3.0F}},
         {{-0.8931264, 1.804247, 0.2475551, 1.134822}}},
        {"keys_apart",
         "MultiHeadAttention",
         {wave({2, 4, 6}, 0), wave({2, 2, 5, 3}, 1), wave({2, 2, 5, 3}, 2)},
         {{"num_heads", std::int64_t{2}}},
         {{-0.9027683, 2.156884, 0.7006397, 0.4555474}}},
        {"causal_with_padding",
         "MultiHeadAttention",
         {wave({2, 4, 6}, 0),
          wave({2, 4, 6}, 1),
          wave({2, 4, 6}, 2),
          {},
          int32s({2, 4}, {1, 1, 1, 0, 0, 1, 1, 1})},
         {{"num_heads", std::int64_t{2}}, {"unidirectional", std::int64_t{1}}},
         {{-1.667578, 1.857419, 0.7455208, 2.797218}}},
        {"cached",
         "MultiHeadAttention",
         {wave({2, 4, 6}, 0),
          wave({2, 4, 6}, 1),
          wave({2, 4, 6}, 2),
          {},
          {},
          {},
          wave({2, 2, 3, 3}, 7),
          wave({2, 2, 3, 3}, 8)},
         {{"num_heads", std::int64_t{2}}, {"unidirectional", std::int64_t{1}}},
         {{0.482639, -0.3752491, 2.094946, 3.80894},
          {0.6346933, 3.29434, 1.513077, 2.773944},
          {1.990053, -4.06373, 0.6564722, -1.566364}}},
        {"cached_bias",
         "MultiHeadAttention",
         {wave({2, 4, 6}, 0), wave({2, 4, 6}, 1), wave({2, 4, 6}, 2), wave({18}, 3)},
         {{"num_heads", std::int64_t{2}}},
         {{0.006977416, 0.778037, 4.056506, 2.105628},
          {3.300447, 6.612208, 0.3389262, 2.606511},
          {9.595366, -3.956257, 2.068406, -0.3220582}}},
        {"grouped",
         "GroupQueryAttention",
         {wave({2, 3, 32}, 0),
          wave({2, 3, 16}, 1),
          wave({2, 3, 16}, 2),
          {},
          {},
          int32s({2}, {2, 2}),
          int32s({}, {3})},
         {{"num_heads", std::int64_t{4}}, {"kv_num_heads", std::int64_t{2}}},
         {{-0.9756573, -0.5703834, 7.877267, 1.450665},
          {-0.333952, -0.9390211, 1.613358, 9.533533},
          {2.017677, -0.3615316, -0.1246692, 0.01368001}}},
        {"packed",
         "GroupQueryAttention",
         {wave({2, 3, 64}, 0), {}, {}, {}, {}, int32s({2}, {2, 2}), int32s({}, {3})},
         {{"num_heads", std::int64_t{4}}, {"kv_num_heads", std::int64_t{2}}},
         {{-3.350223, -0.1814482, -1.830644, 13.06601},
          {-0.9478317, -7.097543, -2.320317, -11.11615},
          {-0.3356309, 0.8306641, 0.6118766, -3.312343}}},
        {"capped",
         "GroupQueryAttention",
         {wave({2, 3, 32}, 0),
          wave({2, 3, 16}, 1),
          wave({2, 3, 16}, 2),
          {},
          {},
          int32s({2}, {2, 2}),
          int32s({}, {3})},
         {{"softcap", 0.75F},
          {"scale", 0.5F},
          {"num_heads", std::int64_t{4}},
          {"kv_num_heads", std::int64_t{2}}},
         {{-1.004425, -0.4694091, 7.545236, 1.191367},
          {-0.333952, -0.9390211, 1.613358, 9.533533},
          {2.017677, -0.3615316, -0.1246692, 0.01368001}}},
        {"window",
         "GroupQueryAttention",
         {wave({2, 3, 32}, 0),
          wave({2, 3, 16}, 1),
          wave({2, 3, 16}, 2),
          {},
          {},
          int32s({2}, {2, 2}),
          int32s({}, {3})},
         {{"local_window_size", std::int64_t{2}},
          {"num_heads", std::int64_t{4}},
          {"kv_num_heads", std::int64_t{2}}},
         {{-0.9036179, -1.130703, 4.513879, -1.731088},
          {-0.333952, -0.9390211, 1.613358, 9.533533},
          {2.017677, -0.3615316, -0.1246692, 0.01368001}}},
        {"added",
         "GroupQueryAttention",
         {wave({2, 3, 32}, 0),
          wave({2, 3, 16}, 1),
          wave({2, 3, 16}, 2),
          {},
          {},
          int32s({2}, {2, 2}),
          int32s({}, {3}),
          {},
          {},
          {},
          wave({1, 4, 3, 3}, 4)},
         {{"num_heads", std::int64_t{4}}, {"kv_num_heads", std::int64_t{2}}},
         {{-5.258229, 0.8238069, 6.590154, 0.01966955},
          {-0.333952, -0.9390211, 1.613358, 9.533533},
          {2.017677, -0.3615316, -0.1246692, 0.01368001}}},
        {"rotated",
         "GroupQueryAttention",
         {wave({2, 3, 64}, 0),
          wave({2, 3, 32}, 1),
          wave({2, 3, 32}, 2),
          {},
          {},
          int32s({2}, {2, 2}),
          int32s({}, {3}),
          wave({5, 8}, 3),
          wave({5, 8}, 4)},
         {{"do_rotary", std::int64_t{1}},
          {"num_heads", std::int64_t{4}},
          {"kv_num_heads", std::int64_t{2}}},
         {{0.02478844, 3.139073, 0.3186243, 5.15493},
          {-0.8223749, 3.499226, 0.1346721, 0.4184472},
          {-0.1831497, -0.7404938, 1.895057, -1.853281}}},
        {"rotated_in_turn",
         "GroupQueryAttention",
         {wave({2, 3, 64}, 0),
          wave({2, 3, 32}, 1),
          wave({2, 3, 32}, 2),
          {},
          {},
          int32s({2}, {2, 2}),
          int32s({}, {3}),
          wave({5, 8}, 3),
          wave({5, 8}, 4)},
         {{"do_rotary", std::int64_t{1}},
          {"rotary_interleaved", std::int64_t{1}},
          {"num_heads", std::int64_t{4}},
          {"kv_num_heads", std::int64_t{2}}},
         {{-0.1782817, 3.185705, -1.710164, 5.238871},
          {4.349162, 0.6876279, 0.5977868, 0.1132553},
          {-0.1831497, -0.7404938, 1.895057, -1.853281}}},
        {"projected",
         "Attention",
         {wave({2, 4, 5}, 0), wave({5, 18}, 1), wave({18}, 2)},
         {{"num_heads", std::int64_t{2}}},
         {{1.431233, 1.967528, 2.10883, 1.661612}}},
        {"projected_causal",
         "Attention",
         {wave({2, 4, 5}, 0), wave({5, 18}, 1), wave({18}, 2),
          int32s({2, 4}, {1, 1, 1, 0, 0, 1, 1, 1})},
         {{"num_heads", std::int64_t{2}}, {"unidirectional", std::int64_t{1}}},
         {{1.705108, 6.261662, -0.1141528, 0.8301763}}},
        {"projected_lengths",
         "Attention",
         {wave({2, 4, 5}, 0),
          wave({5, 18}, 1),
          wave({18}, 2),
          int32s({2}, {3, 4}),
          {},
          wave({2, 2, 4, 4}, 4)},
         {{"num_heads", std::int64_t{2}}},
         {{1.711204, 2.650223, 2.494608, 0.4193705}}},
        {"projected_widths",
         "Attention",
         {wave({2, 4, 5}, 0), wave({5, 16}, 1), wave({16}, 2)},
         {{"num_heads", std::int64_t{2}}, {"qkv_hidden_sizes", Integers{6, 6, 4}}},
         {{2.000284, 3.790575, -2.321544, -9.068756}}},
    }),
    [](const auto& info) { return std::string(info.param.name); });

/// The reason that stops the node of a case, changed by `change`.
template <class Change>
std::string stop_of(ContribCase each, const Change& change) {
  change(each);
  const Graph model = infer_shapes(model_of(each, false));
  std::vector<WhatIfResult> results;
  const Graph same = apply_what_ifs(model, {}, {{"attention", "flash"}}, results);
  EXPECT_EQ(same.nodes().size(), 1U);
  return results.at(0).stopped_by.empty() ? "" : results.at(0).stopped_by[0].reason;
}

ContribCase grouped() {
  return {"grouped",
          "GroupQueryAttention",
          {wave({2, 3, 32}, 0),
           wave({2, 3, 16}, 1),
           wave({2, 3, 16}, 2),
           {},
           {},
           int32s({2}, {2, 2}),
           int32s({}, {3}),
           {},
           {},
           {},
           {}},
          {{"num_heads", std::int64_t{4}}, {"kv_num_heads", std::int64_t{2}}},
          {{}}};
}

TEST(ContribAttentionStops, NameWhatAGroupedNodeHas) {
  const auto with = [](const char* name) {
    return stop_of(grouped(),
                   [&](ContribCase& each) { each.attributes.set(name, std::int64_t{1}); });
  };
  EXPECT_NE(with("smooth_softmax").find("sink"), std::string::npos);
  EXPECT_NE(with("do_rotary").find("tables"), std::string::npos);
  EXPECT_NE(with("kv_cache_bit_width").find("quantized"), std::string::npos);
  const std::string window = stop_of(grouped(), [](ContribCase& each) {
    each.attributes.set("local_window_size", std::int64_t{0});
  });
  EXPECT_NE(window.find("window"), std::string::npos);
  const std::string normal = stop_of(grouped(), [](ContribCase& each) {
    each.operands.resize(16);
    each.operands[15] = wave({8}, 5);
  });
  EXPECT_NE(normal.find("normalizes"), std::string::npos);
  const std::string sees =
      stop_of(grouped(), [](ContribCase& each) { each.attributes.set("causal", std::int64_t{0}); });
  EXPECT_NE(sees.find("later keys"), std::string::npos);
  const std::string cached = stop_of(grouped(), [](ContribCase& each) {
    each.operands[3] = each.operands[4] = wave({2, 2, 1, 8}, 3);
  });
  EXPECT_NE(cached.find("cache"), std::string::npos);
}

TEST(ContribAttentionStops, NameWhatANodeOfManyHeadsHas) {
  const ContribCase plain = {"plain",
                             "MultiHeadAttention",
                             {wave({2, 4, 6}, 0), wave({2, 5, 6}, 1), wave({2, 5, 6}, 2), {}, {}},
                             {{"num_heads", std::int64_t{2}}},
                             {{}}};
  const std::string causal = stop_of(
      plain, [](ContribCase& each) { each.attributes.set("unidirectional", std::int64_t{1}); });
  EXPECT_NE(causal.find("another number of keys"), std::string::npos);
  const std::string packed = stop_of(plain, [](ContribCase& each) {
    each.operands = {wave({2, 4, 2, 3, 3}, 0)};
  });
  EXPECT_NE(packed.find("one tensor"), std::string::npos);
  const std::string indices = stop_of(plain, [](ContribCase& each) {
    each.operands[4] = int32s({8}, {1, 2, 3, 4, 5, 6, 7, 8});
  });
  EXPECT_NE(indices.find("mask"), std::string::npos);
}

TEST(ContribAttentionStops, NameLaterKeysThatPaddingHides) {
  const ContribCase padded = {"padded",
                              "MultiHeadAttention",
                              {wave({2, 4, 6}, 0),
                               wave({2, 4, 6}, 1),
                               wave({2, 4, 6}, 2),
                               {},
                               int32s({2, 4}, {0, 0, 1, 1, 1, 1, 1, 1})},
                              {{"num_heads", std::int64_t{2}}, {"unidirectional", std::int64_t{1}}},
                              {{}}};
  const std::string low = stop_of(
      padded, [](ContribCase& each) { each.attributes.set("mask_filter_value", -3.4e38F); });
  EXPECT_NE(low.find("padding and later keys"), std::string::npos);
}

TEST(ContribAttentionMask, CountsKeysWithNumbersAboveZeroOnly) {
  const auto result = [](const std::vector<std::int32_t>& mask) {
    const ContribCase each = {
        "mask",
        "MultiHeadAttention",
        {wave({2, 4, 6}, 0), wave({2, 4, 6}, 1), wave({2, 4, 6}, 2), {}, int32s({2, 4}, mask)},
        {{"num_heads", std::int64_t{2}}},
        {{}}};
    const ModelStep step(prepare_training_step(in_form(each, "decomposed", false), {}), {});
    return numbers(testing_run::run_on_cpu(step.default_plan(), {}).outputs.at("y0"));
  };
  const std::vector<double> expected = result({1, 0, 0, 1, 1, 1, 0, 1});
  EXPECT_EQ(result({7, -1, 0, 1, 1, 2, -5, 1}), expected);
  EXPECT_NE(result({7, 1, 0, 1, 1, 2, 5, 1}), expected);
}

TEST(ContribAttentionRotation, TrainsNoTables) {
  ContribCase each = grouped();
  each.operands = {
      wave({2, 3, 64}, 0), wave({2, 3, 32}, 1), wave({2, 3, 32}, 2), {}, {}, int32s({2}, {2, 2}),
      int32s({}, {3}),     wave({5, 8}, 3),     wave({5, 8}, 4)};
  each.attributes.set("do_rotary", std::int64_t{1});
  each.attributes.set("rotary_interleaved", std::int64_t{1});
  for (const char* const form : {"decomposed", "flash"}) {
    const Graph graph = in_form(each, form, true);
    EXPECT_TRUE(graph.data().warnings.empty());
    const TrainingStep step = prepare_training_step(graph, {});
    EXPECT_EQ(step.parameters.size(), 3U) << "queries, keys and values";
  }
}

TEST(ContribAttentionStops, NameWhatAProjectingNodeHas) {
  const ContribCase plain = {"projected",
                             "Attention",
                             {wave({2, 4, 5}, 0), wave({5, 18}, 1), wave({18}, 2), {}, {}},
                             {{"num_heads", std::int64_t{2}}},
                             {{}}};
  const std::string turns =
      stop_of(plain, [](ContribCase& each) { each.attributes.set("do_rotary", std::int64_t{1}); });
  EXPECT_NE(turns.find("rotates"), std::string::npos);
  const std::string cached = stop_of(plain, [](ContribCase& each) {
    each.operands[4] = wave({2, 2, 2, 3, 3}, 3);
  });
  EXPECT_NE(cached.find("cache"), std::string::npos);
  const std::string read = stop_of(plain, [](ContribCase& each) { each.sums.emplace_back(); });
  EXPECT_NE(read.find("cache"), std::string::npos);
}

}  // namespace contrib_attention_test
}  // namespace stashscope
