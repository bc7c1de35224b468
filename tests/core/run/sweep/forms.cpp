#include "tests/core/run/sweep/forms.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"

namespace stashscope::operand_sweep {

namespace {

Attributes one(const char* name, std::int64_t number) { return {{name, number}}; }

const std::map<std::string, Attributes>& attribute_table() {
  const Integers two = {2, 2};
  const Attributes heads = {{"q_num_heads", std::int64_t{1}}, {"kv_num_heads", std::int64_t{1}}};
  const Attributes steps = {{"steps", Strings{"Mul", "Where", "Reshape"}}};
  const Attributes halves = {{"kernel_shape", two}, {"strides", two}};
  static const std::map<std::string, Attributes> table = {
      {"ATen", {{"operator", std::string("embedding")}}},
      {"Attention", heads},
      {"AttentionGrad", heads},
      {"AveragePoolGrad", halves},
      {"BitCast", one("to", 1)},
      {"BitShift", {{"direction", std::string("LEFT")}}},
      {"Cast", one("to", 1)},
      {"DepthToSpace", one("blocksize", 1)},
      {"Einsum", {{"equation", std::string("...,...->...")}}},
      {"FusedAttention", steps},
      {"FusedAttentionGrad", steps},
      {"GRU", one("hidden_size", 5)},
      {"GRUGrad", one("hidden_size", 5)},
      {"GRUTraining", one("hidden_size", 5)},
      {"GroupNormalization", one("num_groups", 2)},
      {"LRN", one("size", 1)},
      {"LSTM", one("hidden_size", 5)},
      {"LSTMGrad", one("hidden_size", 5)},
      {"LSTMTraining", one("hidden_size", 5)},
      {"LinearAttention", heads},
      {"MaxUnpool", halves},
      {"Momentum",
       {{"alpha", 0.5F},
        {"beta", 0.5F},
        {"norm_coefficient", 0.5F},
        {"mode", std::string("standard")}}},
      {"Pad", {{"pads", Integers{0, 0, 0, 0, 1, 1, 1, 1}}}},
      {"RNN", one("hidden_size", 5)},
      {"RNNGrad", one("hidden_size", 5)},
      {"RandomNormal", {{"shape", two}}},
      {"RandomUniform", {{"shape", two}}},
      {"Reshape", {{"shape", Integers{-1}}}},
      {"RotaryEmbedding", one("num_heads", 1)},
      {"Slice", {{"starts", Integers{0}}, {"ends", Integers{1}}}},
      {"SpaceToDepth", one("blocksize", 1)},
      {"TfIdfVectorizer",
       {{"mode", std::string("TF")},
        {"min_gram_length", std::int64_t{1}},
        {"max_gram_length", std::int64_t{1}},
        {"max_skip_count", std::int64_t{0}},
        {"ngram_counts", Integers{0}},
        {"ngram_indexes", Integers{0, 1}},
        {"pool_int64s", Integers{1, 2}}}},
      {"TopK", one("k", 1)},
      {"Unsqueeze", {{"axes", Integers{0}}}},
      {"Upsample", {{"scales", Floats{1, 1, 2, 2}}}},
  };
  return table;
}

/// Operands as `TYPE:DIMS=ITEMS`, with `|` between them. `()` are the dims of a scalar, `-` is an
/// operand without a name.
const std::map<std::string, std::string> operand_table = {
    {"Adagrad", "() | ()=0 | 2,2 | 2,2 | 2,2"},
    {"Adam", "() | ()=0 | 2,2 | 2,2 | 2,2 | 2,2"},
    {"AdamOptimizer", "() | ()=1 | 2,2 | 2,2 | 2,2 | 2,2"},
    {"AffineGrid", "2,2,3 | 4=2,1,3,3"},
    {"AttentionGrad", "1,2,4 | 1,2,4 | 1,2,4 | - | - | - | - | 1,2,4"},
    {"AveragePoolGrad", "1,1,2,2 | 4=1,1,4,4"},
    {"BitCast", "2,2"},
    {"BitmaskDropoutGrad", "2,2 | 1 | ()=0 | ()=1"},
    {"BlackmanWindow", "()=4"},
    {"CausalConvWithState", "1,2,4 | 2,1,3 | 2 | 1,2,2"},
    {"Col2Im", "1,4,4 | 2=3,3 | 2=2,2"},
    {"Col2ImGrad", "1,1,3,3 | 3=1,4,4 | 2=2,2"},
    {"ConvGrad", "1,1,2,2 | 1,1,3,3 | 1,1,2,2"},
    {"ConvTransposeGrad", "1,1,4,4 | 1,1,3,3 | 1,1,2,2"},
    {"CumProd", "2,3 | ()=1"},
    {"CumProdGrad", "2,3 | 2,3 | ()=1"},
    {"CumSum", "2,3 | ()=1"},
    {"DFT", "1,4,1 | ()=4 | ()=1"},
    {"DeformConv", "1,1,3,3 | 1,1,2,2 | 1,8,2,2 | 1 | 1,4,2,2"},
    {"DequantizeLinear", "int8:2,2 | () | int8:()"},
    {"FlattenAndUnpad", "2,2,2 | int64:3=0,1,3"},
    {"FusedAttention", "2,3,4 | 2,2,4 | 2,2,4 | () | bool:2 | () | int64:4=2,1,3,2"},
    {"FusedAttentionGrad",
     "2,3,4 | 2,3,4 | 2,2,4 | 2,2,4 | 2,3,4 | 2,3 | () | bool:2 | () | int64:4=2,1,3,2"},
    {"GRU", "3,2,4 | 1,15,4 | 1,15,5 | 1,30 | 2=3,1 | 1,2,5"},
    {"GRUGrad",
     "3,2,4 | 1,15,4 | 1,15,5 | 1,30 | 2=3,1 | 1,2,5 | 3,1,2,5 | 3,1,2,15 | 3,1,2,5 | "
     "1,2,5"},
    {"GRUTraining", "3,2,4 | 1,15,4 | 1,15,5 | 1,30 | 2=3,1 | 1,2,5"},
    {"GatherGrad", "2=3,2 | 2=0,2 | 2,2"},
    {"GlobalAveragePoolGrad", "1,2,1,1 | 4=1,2,3,3"},
    {"HammingWindow", "()=4"},
    {"HannWindow", "()=4"},
    {"LSTM", "3,2,4 | 1,20,4 | 1,20,5 | 1,40 | 2=3,1 | 1,2,5 | 1,2,5 | 1,15"},
    {"LSTMGrad",
     "3,2,4 | 1,20,4 | 1,20,5 | 2=3,1 | 1,2,5 | 1,2,5 | 3,1,2,5 | 3,1,2,5 | "
     "3,1,2,20 | 3,1,2,5 | 1,2,5 | 1,2,5 | 1,15"},
    {"LSTMTraining", "3,2,4 | 1,20,4 | 1,20,5 | 1,40 | 2=3,1 | 1,2,5 | 1,2,5 | 1,15"},
    {"LayerNormalization", "2,3 | 3 | 3"},
    {"LayerNormalizationGrad", "2,3 | 2,3 | 3 | 2,1 | 2,1"},
    {"LinearAttention", "2,3,4 | 2,3,4 | 2,3,2 | 2,1,4,2 | 2,3,1 | 2,3,1"},
    {"LinearCrossEntropyLoss", "2,3 | 3,4 | 2=0,2 | 4 | 4"},
    {"LinearCrossEntropyLossGrad", "() | 2,3 | 3,4 | 2=0,2 | 2 | 4 | 4"},
    {"MaxUnpool", "1,1,2,2 | 1,1,2,2=0,3,8,15 | 4=1,1,4,4"},
    {"MelWeightMatrix", "()=4 | ()=8 | ()=16 | ()=0 | ()=8"},
    {"Momentum", "() | ()=0 | 2,2 | 2,2 | 2,2"},
    {"NegativeLogLikelihoodLoss", "2,3 | 2=0,2 | 3"},
    {"NegativeLogLikelihoodLossGrad", "() | 2,3 | 2=0,2 | 3"},
    {"NonMaxSuppression", "1,3,4=0,0,1,1 | 1,2,3 | ()=2 | ()=1 | ()=0"},
    {"OneHot", "2 | ()=3 | 2"},
    {"PadAndUnflatten", "3,2 | int64:3=0,1,3 | int64:2=2,2"},
    {"PadGrad", "4,4 | 2=2,2 | 4=1,1,1,1"},
    {"QLinearConv",
     "uint8:1,1,3,3 | ()=1 | uint8:() | uint8:1,1,2,2 | ()=1 | uint8:() | ()=1 | "
     "uint8:() | 1"},
    {"QLinearMatMul",
     "uint8:2,2 | ()=1 | uint8:() | uint8:2,2 | ()=1 | uint8:() | ()=1 | uint8:()"},
    {"QuantizeLinear", "2,2 | ()=1 | int8:()"},
    {"RMSNormalization", "2,3 | 3"},
    {"RNN", "3,2,4 | 1,5,4 | 1,5,5 | 1,10 | 2=3,1 | 1,2,5"},
    {"RNNGrad", "3,2,4 | 1,5,4 | 1,5,5 | 2=3,1 | 1,2,5 | 3,1,2,5 | 3,1,2,5 | 1,2,5"},
    {"Range", "()=0 | ()=3 | ()=1"},
    {"RoiAlign", "2,1,4,4 | 3,4=0,0,2,2 | 3=0,1,0"},
    {"RotaryEmbedding", "1,2,4 | 2,2 | 2,2 | 1,2=0,1"},
    {"STFT", "1,8,1 | ()=2 | 4 | ()=4"},
    {"SimplifiedLayerNormalization", "2,3 | 3"},
    {"SimplifiedLayerNormalizationGrad", "2,3 | 2,3 | 3 | 2,1"},
    {"SkipLayerNormalization", "2,3 | 2,3 | 3 | 3 | 3"},
    {"SkipSimplifiedLayerNormalization", "2,3 | 2,3 | 3 | 3"},
    {"SliceGrad", "1,2 | 2=3,2 | 1=1 | 1=2 | 1=0 | 1=1"},
    {"SoftmaxCrossEntropyLoss", "2,3 | 2=0,2 | 3"},
    {"SoftmaxCrossEntropyLossGrad", "() | 2,3 | 2=0,2 | 3"},
    {"SoftmaxCrossEntropyLossInternal", "2,3 | 2=0,2 | 3 | ()=-1"},
    {"SoftmaxCrossEntropyLossInternalGrad", "() | 2,3 | 2=0,2 | 3 | ()=-1"},
    {"SparseSoftmaxCrossEntropy", "2,3 | 2=0,2"},
    {"SparseSoftmaxCrossEntropyGrad", "() | 2,3 | 2=0,2"},
    {"TensorScatter", "1,1,4,2 | 1,1,2,2 | 1=1"},
    {"TfIdfVectorizer", "6=1,2,3"},
};

std::vector<std::int64_t> numbers_in(const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (const std::string& each : split(text, ',')) numbers.push_back(std::stoll(each));
  return numbers;
}

ElementType element_called(const std::string& name) {
  int number = 1;
  while (name_of(static_cast<ElementType>(number)) != name) ++number;
  return static_cast<ElementType>(number);
}

Given operand_of(std::string text, ElementType element) {
  Given given{text != "-", element, {}, {0, 1}};
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos) {
    given.element = element_called(text.substr(0, colon));
    text.erase(0, colon + 1);
  }
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos) given.items = numbers_in(text.substr(equals + 1));
  const std::string dims = text.substr(0, equals);
  if (given.named && dims != "()") given.dims = numbers_in(dims);
  return given;
}

}  // namespace

Attributes attributes_of(const std::string& type) {
  const auto found = attribute_table().find(type);
  if (found != attribute_table().end()) return found->second;
  if (type.starts_with("Concat")) return one("axis", 0);
  if (type.ends_with("Pool") || type.ends_with("PoolGrad")) {
    return {{"kernel_shape", Integers{2, 2}}};
  }
  return {};
}

std::vector<Given> operands_in_form(const std::string& type,
                                    const std::vector<ElementType>& element) {
  std::vector<Given> operands;
  const auto found = operand_table.find(type);
  if (found == operand_table.end()) return operands;
  for (const std::string& each : split(found->second, '|')) {
    const std::size_t at = std::min(operands.size(), element.size() - 1);
    operands.push_back(operand_of(trimmed(each), element[at]));
  }
  return operands;
}

std::size_t outputs_in_form(const std::string& type) {
  if (type == "AdamOptimizer") return 5;  // without the output of mixed-precision weights
  return type == "Adam" || type == "AttentionGrad" ? 3 : 0;
}

}  // namespace stashscope::operand_sweep
