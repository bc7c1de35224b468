// Attention of ONNX Runtime (com.microsoft), written step by step and as FusedAttention. The
// results are those of ONNX Runtime 1.32.0 on a CPU; the gradients are central differences.

#include <gtest/gtest.h>

#include "core/passes/infer_shapes.h"
#include "tests/core/run/cpu/kernels/element_types.h"
#include "tests/core/run/models/attention_forms.h"
#include "tests/core/run/models/waves.h"

namespace stashscope {
namespace contrib_attention_test {

using testing_run::int32s;
using testing_run::ModelStep;
using testing_run::OneNode;
using testing_run::wave;
using testing_run::WaveCase;
using testing_run::WaveSums;

/// The node whose outputs have these sums; one output if there are none.
WaveCase contrib(const char* name, const char* type, std::vector<Tensor> inputs, WaveSums sums,
                 Attributes attributes) {
  const std::size_t outputs = std::max<std::size_t>(1, sums.size());
  return {name,
          {.type = type,
           .inputs = std::move(inputs),
           .attributes = std::move(attributes),
           .opset = 17,
           .domain = "com.microsoft",
           .outputs = outputs},
          std::move(sums)};
}

std::vector<Tensor> joined(std::vector<Tensor> first, const std::vector<Tensor>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

/// A MultiHeadAttention of two heads.
WaveCase many_heads(const char* name, std::vector<Tensor> inputs, WaveSums sums,
                    Attributes attributes = {}) {
  attributes.set("num_heads", std::int64_t{2});
  return contrib(name, "MultiHeadAttention", std::move(inputs), std::move(sums),
                 std::move(attributes));
}

/// Queries of 4 rows, 5 keys and 5 values, and further operands.
std::vector<Tensor> qkv(const std::vector<Tensor>& more = {}) {
  return joined({wave({2, 4, 6}, 0), wave({2, 5, 6}, 1), wave({2, 5, 6}, 2)}, more);
}

/// As many keys as rows: 4.
std::vector<Tensor> square(const std::vector<Tensor>& more = {}) {
  return joined({wave({2, 4, 6}, 0), wave({2, 4, 6}, 1), wave({2, 4, 6}, 2)}, more);
}

/// A GroupQueryAttention of four heads of queries and two of keys.
WaveCase grouped(const char* name, std::vector<Tensor> inputs, WaveSums sums,
                 Attributes attributes = {}) {
  attributes.set("num_heads", std::int64_t{4});
  attributes.set("kv_num_heads", std::int64_t{2});
  return contrib(name, "GroupQueryAttention", std::move(inputs), std::move(sums),
                 std::move(attributes));
}

/// Operands of a first call with 3 positions, and further operands.
/// @param width the number of features of the keys
std::vector<Tensor> first_call(std::int64_t width, const std::vector<Tensor>& more = {}) {
  return joined({wave({2, 3, 2 * width}, 0), wave({2, 3, width}, 1), wave({2, 3, width}, 2),
                 Tensor(), Tensor(), int32s({2, 2}), int32s({}, {3})},
                more);
}

/// The sums of a node of `first_call(16)`, whose outputs for later calls are its keys and values.
WaveSums with_cache(std::vector<double> result) {
  return {std::move(result),
          {-0.333952, -0.9390211, 1.613358, 9.533533},
          {2.017677, -0.3615316, -0.1246692, 0.01368001}};
}

/// A GroupQueryAttention that rotates queries and keys.
WaveCase rotated(const char* name, std::vector<double> result, std::vector<double> keys,
                 Attributes attributes = {}) {
  attributes.set("do_rotary", std::int64_t{1});
  const std::vector<double> values = {-0.1831497, -0.7404938, 1.895057, -1.853281};
  return grouped(name, first_call(32, {wave({5, 8}, 3), wave({5, 8}, 4)}),
                 {std::move(result), std::move(keys), values}, std::move(attributes));
}

WaveCase rotated_in_turn() {
  return rotated("rotated_in_turn", {-0.1782817, 3.185705, -1.710164, 5.238871},
                 {4.349162, 0.6876279, 0.5977868, 0.1132553},
                 {{"rotary_interleaved", std::int64_t{1}}});
}

/// An Attention of two heads, which projects its input.
WaveCase projecting(const char* name, std::vector<Tensor> inputs, WaveSums sums,
                    Attributes attributes = {}) {
  attributes.set("num_heads", std::int64_t{2});
  return contrib(name, "Attention", std::move(inputs), std::move(sums), std::move(attributes));
}

/// An input of 4 positions, weights and bias of the projection to `width` features, and further
/// operands.
std::vector<Tensor> projected(std::int64_t width, const std::vector<Tensor>& more = {}) {
  return joined({wave({2, 4, 5}, 0), wave({5, width}, 1), wave({width}, 2)}, more);
}

/// @param trained whether the numbers are parameters in float64; else all operands are literals
Graph model_of(OneNode node, bool trained) {
  for (Tensor& tensor : node.inputs) {
    const bool is_number = is_floating(tensor.element());
    if (trained && is_number) tensor = testing_run::doubles(tensor.dims(), numbers(tensor));
  }
  return graph_of(node,
                  [&](const Tensor& tensor) { return trained && is_floating(tensor.element()); });
}

/// The model with its attention in a form.
Graph in_form(const OneNode& node, const std::string& form, bool trained) {
  const Graph model = infer_shapes(model_of(node, trained));
  std::vector<WhatIfResult> results;
  Graph changed =
      infer_shapes(apply_what_if(model, find_what_if("attention"), form, {}, {}, results));
  EXPECT_EQ(results.at(0).changed, 1U);
  for (const WhatIfStop& stop : results.at(0).stopped_by) ADD_FAILURE() << stop.reason;
  for (std::size_t i = 0; i < node.outputs; ++i) {
    EXPECT_EQ(changed.value(changed.data().outputs[i]).type.shape,
              model.value(model.data().outputs[i]).type.shape);
  }
  return changed;
}

class ContribAttention : public testing::TestWithParam<WaveCase> {};

TEST_P(ContribAttention, GivesTheResultsOfOnnxRuntime) {
  for (const char* const form : testing_run::attention_forms) {
    SCOPED_TRACE(form);
    ModelStep step(prepare_training_step(in_form(GetParam().node, form, false), {}), {});
    const RunResult result = testing_run::run_as_predicted(step, step.without_plans(), {});
    for (std::size_t i = 0; i < GetParam().sums.size(); ++i) {
      const std::string name = "y" + std::to_string(i);
      testing_run::expect_sums(result.outputs.at(name), GetParam().sums[i], name);
    }
  }
}

TEST_P(ContribAttention, IsDifferentiated) {
  for (const char* const form : {"decomposed", "flash"}) {
    SCOPED_TRACE(form);
    testing_run::check_gradients(in_form(GetParam().node, form, true));
  }
}

const std::vector<WaveCase> many_heads_cases = {
    many_heads("plain", qkv(), {{0.3290512, 0.8067676, 1.796452, 0.6206716}}),
    many_heads("bias", qkv({wave({18}, 3)}), {{0.4103761, 0.9032769, 2.501387, 1.416032}},
               {{"scale", 0.5F}}),
    many_heads("wider_values", {wave({2, 4, 6}, 0), wave({2, 5, 6}, 1), wave({2, 5, 8}, 2)},
               {{-1.175544, 0.5689257, -1.149021, -8.108578}}),
    many_heads("lengths", qkv({Tensor(), int32s({3, 5})}),
               {{-0.278166, 0.9331047, 4.078215, -0.5569105}}),
    many_heads(
        "padding_and_bias",
        qkv({Tensor(), int32s({2, 5}, {1, 1, 1, 0, 0, 0, 1, 1, 1, 1}), wave({1, 2, 4, 5}, 4)}),
        {{0.3266092, 0.7087526, 3.537428, -0.3451452}}),
    many_heads("mask_of_rows",
               qkv({Tensor(), int32s({2, 4, 5},
                                     {0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1,
                                      0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1})}),
               {{-0.8931264, 1.804247, 0.2475551, 1.134822}}, {{"mask_filter_value", -3.0F}}),
    many_heads("keys_apart", {wave({2, 4, 6}, 0), wave({2, 2, 5, 3}, 1), wave({2, 2, 5, 3}, 2)},
               {{-0.9027683, 2.156884, 0.7006397, 0.4555474}}),
    many_heads("causal_with_padding", square({Tensor(), int32s({2, 4}, {1, 1, 1, 0, 0, 1, 1, 1})}),
               {{-1.667578, 1.857419, 0.7455208, 2.797218}}, {{"unidirectional", std::int64_t{1}}}),
    many_heads("cached",
               square({Tensor(), Tensor(), Tensor(), wave({2, 2, 3, 3}, 7), wave({2, 2, 3, 3}, 8)}),
               {{0.482639, -0.3752491, 2.094946, 3.80894},
                {0.6346933, 3.29434, 1.513077, 2.773944},
                {1.990053, -4.06373, 0.6564722, -1.566364}},
               {{"unidirectional", std::int64_t{1}}}),
    many_heads("cached_bias", square({wave({18}, 3)}),
               {{0.006977416, 0.778037, 4.056506, 2.105628},
                {3.300447, 6.612208, 0.3389262, 2.606511},
                {9.595366, -3.956257, 2.068406, -0.3220582}})};

const std::vector<WaveCase> grouped_cases = {
    grouped("grouped", first_call(16), with_cache({-0.9756573, -0.5703834, 7.877267, 1.450665})),
    grouped("packed",
            {wave({2, 3, 64}, 0), Tensor(), Tensor(), Tensor(), Tensor(), int32s({2, 2}),
             int32s({}, {3})},
            {{-3.350223, -0.1814482, -1.830644, 13.06601},
             {-0.9478317, -7.097543, -2.320317, -11.11615},
             {-0.3356309, 0.8306641, 0.6118766, -3.312343}}),
    grouped("capped", first_call(16), with_cache({-1.004425, -0.4694091, 7.545236, 1.191367}),
            {{"softcap", 0.75F}, {"scale", 0.5F}}),
    grouped("window", first_call(16), with_cache({-0.9036179, -1.130703, 4.513879, -1.731088}),
            {{"local_window_size", std::int64_t{2}}}),
    grouped("added", first_call(16, {Tensor(), Tensor(), Tensor(), wave({1, 4, 3, 3}, 4)}),
            with_cache({-5.258229, 0.8238069, 6.590154, 0.01966955})),
    rotated("rotated", {0.02478844, 3.139073, 0.3186243, 5.15493},
            {-0.8223749, 3.499226, 0.1346721, 0.4184472}),
    rotated_in_turn()};

const std::vector<WaveCase> projecting_cases = {
    projecting("projected", projected(18), {{1.431233, 1.967528, 2.10883, 1.661612}}),
    projecting("projected_causal", projected(18, {int32s({2, 4}, {1, 1, 1, 0, 0, 1, 1, 1})}),
               {{1.705108, 6.261662, -0.1141528, 0.8301763}},
               {{"unidirectional", std::int64_t{1}}}),
    projecting("projected_lengths",
               projected(18, {int32s({3, 4}), Tensor(), wave({2, 2, 4, 4}, 4)}),
               {{1.711204, 2.650223, 2.494608, 0.4193705}}),
    projecting("projected_widths", projected(16), {{2.000284, 3.790575, -2.321544, -9.068756}},
               {{"qkv_hidden_sizes", Integers{6, 6, 4}}})};

INSTANTIATE_TEST_SUITE_P(ManyHeads, ContribAttention, testing::ValuesIn(many_heads_cases),
                         testing_run::wave_case_name);
INSTANTIATE_TEST_SUITE_P(Grouped, ContribAttention, testing::ValuesIn(grouped_cases),
                         testing_run::wave_case_name);
INSTANTIATE_TEST_SUITE_P(Projecting, ContribAttention, testing::ValuesIn(projecting_cases),
                         testing_run::wave_case_name);

/// The reason that stops a node, changed by `change`.
template <class Change>
std::string stop_of(const WaveCase& each, const Change& change) {
  OneNode node = each.node;
  change(node);
  const Graph model = infer_shapes(model_of(node, false));
  std::vector<WhatIfResult> results;
  const Graph same = apply_what_if(model, find_what_if("attention"), "flash", {}, {}, results);
  EXPECT_EQ(same.nodes().size(), 1U);
  return results.at(0).stopped_by.empty() ? "" : results.at(0).stopped_by[0].reason;
}

TEST(ContribAttentionStops, NameWhatAGroupedNodeHas) {
  const WaveCase plain = grouped("grouped", first_call(16), {});
  const auto with = [&](const char* name) {
    return stop_of(plain, [&](OneNode& node) { node.attributes.set(name, std::int64_t{1}); });
  };
  EXPECT_NE(with("smooth_softmax").find("sink"), std::string::npos);
  EXPECT_NE(with("do_rotary").find("tables"), std::string::npos);
  EXPECT_NE(with("kv_cache_bit_width").find("quantized"), std::string::npos);
  const std::string window = stop_of(
      plain, [](OneNode& node) { node.attributes.set("local_window_size", std::int64_t{0}); });
  EXPECT_NE(window.find("window"), std::string::npos);
  const std::string normal = stop_of(plain, [](OneNode& node) {
    node.inputs.resize(16);
    node.inputs[15] = wave({8}, 5);
  });
  EXPECT_NE(normal.find("normalizes"), std::string::npos);
  const std::string sees =
      stop_of(plain, [](OneNode& node) { node.attributes.set("causal", std::int64_t{0}); });
  EXPECT_NE(sees.find("later keys"), std::string::npos);
  const std::string cached = stop_of(plain, [](OneNode& node) {
    node.inputs[3] = node.inputs[4] = wave({2, 2, 1, 8}, 3);
  });
  EXPECT_NE(cached.find("cache"), std::string::npos);
}

TEST(ContribAttentionStops, NameWhatANodeOfManyHeadsHas) {
  const WaveCase plain = many_heads("plain", qkv({Tensor(), Tensor()}), {});
  const std::string causal =
      stop_of(plain, [](OneNode& node) { node.attributes.set("unidirectional", std::int64_t{1}); });
  EXPECT_NE(causal.find("another number of keys"), std::string::npos);
  const std::string packed = stop_of(plain, [](OneNode& node) {
    node.inputs = {wave({2, 4, 2, 3, 3}, 0)};
  });
  EXPECT_NE(packed.find("one tensor"), std::string::npos);
  const std::string indices = stop_of(plain, [](OneNode& node) {
    node.inputs[4] = int32s({1, 2, 3, 4, 5, 6, 7, 8});
  });
  EXPECT_NE(indices.find("mask"), std::string::npos);
  const std::string with_cache_that_is_read = stop_of(plain, [](OneNode& node) {
    node.inputs[4] = int32s({1, 2, 3, 4, 5, 6, 7, 8});
    node.outputs = 3;
  });
  EXPECT_EQ(with_cache_that_is_read, indices);
}

TEST(ContribAttentionStops, NameLaterKeysThatPaddingHides) {
  const WaveCase padded =
      many_heads("padded", square({Tensor(), int32s({2, 4}, {0, 0, 1, 1, 1, 1, 1, 1})}), {},
                 {{"unidirectional", std::int64_t{1}}});
  const std::string low =
      stop_of(padded, [](OneNode& node) { node.attributes.set("mask_filter_value", -3.4e38F); });
  EXPECT_NE(low.find("padding and later keys"), std::string::npos);
}

TEST(ContribAttentionMask, CountsKeysWithNumbersAboveZeroOnly) {
  const auto result = [](const std::vector<std::int32_t>& mask) {
    const WaveCase each = many_heads("mask", square({Tensor(), int32s({2, 4}, mask)}), {});
    const ModelStep step(prepare_training_step(in_form(each.node, "decomposed", false), {}), {});
    return numbers(testing_run::run_on_cpu(step.default_plan(), {}).outputs.at("y0"));
  };
  const std::vector<double> expected = result({1, 0, 0, 1, 1, 1, 0, 1});
  EXPECT_EQ(result({7, -1, 0, 1, 1, 2, -5, 1}), expected);
  EXPECT_NE(result({7, 1, 0, 1, 1, 2, 5, 1}), expected);
}

TEST(ContribAttentionRotation, TrainsNoTables) {
  for (const char* const form : {"decomposed", "flash"}) {
    const Graph graph = in_form(rotated_in_turn().node, form, true);
    EXPECT_TRUE(graph.data().warnings.empty());
    const TrainingStep step = prepare_training_step(graph, {});
    EXPECT_EQ(step.parameters.size(), 3U) << "queries, keys and values";
  }
}

TEST(ContribAttentionStops, NameWhatAProjectingNodeHas) {
  const WaveCase plain = projecting("projected", projected(18, {Tensor(), Tensor()}), {});
  const std::string turns =
      stop_of(plain, [](OneNode& node) { node.attributes.set("do_rotary", std::int64_t{1}); });
  EXPECT_NE(turns.find("rotates"), std::string::npos);
  const std::string cached = stop_of(plain, [](OneNode& node) {
    node.inputs[4] = wave({2, 2, 2, 3, 3}, 3);
  });
  EXPECT_NE(cached.find("cache"), std::string::npos);
  const std::string read = stop_of(plain, [](OneNode& node) { node.outputs = 2; });
  EXPECT_NE(read.find("cache"), std::string::npos);
}

}  // namespace contrib_attention_test
}  // namespace stashscope
