// The peak of GPT-2 (124 M) at batch 8, sequence 1024, worked out by hand from the architecture;
// docs/gpt2_124m_peak.md explains the lines.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/base/text.h"
#include "core/onnx/model_file.h"
#include "core/study/step/study.h"

namespace stashscope {
namespace gpt2_peak_test {

namespace fs = std::filesystem;

constexpr std::int64_t batch = 8;
constexpr std::int64_t sequence = 1024;
constexpr std::int64_t vocabulary = 50257;
constexpr std::int64_t width = 768;
constexpr std::int64_t wide = 4 * width;  // inner width of the feed-forward part
constexpr std::int64_t heads = 12;
constexpr std::int64_t layers = 12;
constexpr std::int64_t positions = 1024;  // rows of the position embedding
constexpr std::int64_t real = 4;          // bytes of a float32
constexpr std::int64_t integer = 8;       // bytes of an int64
constexpr std::int64_t flag = 1;          // bytes of a bool

constexpr std::int64_t tokens = batch * sequence;
constexpr std::int64_t hidden = tokens * width * real;
constexpr std::int64_t hidden_wide = tokens * wide * real;
constexpr std::int64_t attention = batch * heads * sequence * sequence;  // elements

/// `count` tensors of equal size; `name` is a pattern that they match.
struct Line {
  const char* name;
  std::int64_t count;
  std::int64_t bytes;
};

/// Of lines with equal bytes, the line with the most specific name comes first.
std::vector<Line> lines() {
  return {
      // Parameters.
      {"*wte.weight", 1, vocabulary * width * real},
      {"*wpe.weight", 1, positions * width * real},
      {"*ln_*.weight", 2 * layers + 1, width * real},
      {"*ln_*.bias", 2 * layers + 1, width * real},
      {"*attn.c_attn.weight", layers, width * 3 * width * real},
      {"*attn.c_attn.bias", layers, 3 * width * real},
      {"*attn.c_proj.weight", layers, width * width * real},
      {"*attn.c_proj.bias", layers, width * real},
      {"*mlp.c_fc.weight", layers, width * wide * real},
      {"*mlp.c_fc.bias", layers, wide * real},
      {"*mlp.c_proj.weight", layers, wide * width * real},
      {"*mlp.c_proj.bias", layers, width * real},
      // Inputs: three of token numbers or flags, and each layer's causal mask.
      {"inputs_*", 3, tokens * integer},
      {"*attn.bias", layers, positions * positions * flag},
      // Around the loss.
      {"output-1", 1, tokens * vocabulary * real},
      {"output-1_grad", 1, tokens * vocabulary * real},
      {"*SoftmaxCrossEntropyLoss_saved_1", 1, batch * (sequence - 1) * vocabulary * real},
      {"*lm_head/Transpose_output_0", 1, vocabulary * width * real},
      // Attention.
      {"*attn/MatMul_output_0", layers, attention * real},
      {"*attn/Cast_1_output_0", layers, attention * real},
      {"*attn_dropout/Dropout_output_1", layers, attention * flag},
      {"*attn/Slice_*_output_0", layers, sequence * sequence * flag},
      {"*attn/Transpose*_output_0", 4 * layers, hidden},
      // Feed-forward.
      {"*c_fc/Gemm_output_0", layers, hidden_wide},
      {"*act/Mul_output_0", layers, hidden_wide},
      {"*act/Pow_output_0", layers, hidden_wide},
      {"*act/Add_1_output_0", layers, hidden_wide},
      {"*act/Mul_3_output_0", layers, hidden_wide},
      // Normalizations: two in each layer, and the final one. The difference to the mean in the
      // final one has taken over the buffer of the last residual sum.
      {"*ln_?/Sub_output_0", 2 * layers, hidden},
      {"*h.11/attn/c_proj/Gemm_output_0", 1, hidden},
      {"*ln_?/Div_output_0", 2 * layers + 1, hidden},
      {"*ln_?/Mul_output_0", 2 * layers + 1, hidden},
      {"*ln_?/ReduceMean_1_output_0", 2 * layers + 1, tokens * real},
      // Masks of the other dropouts.
      {"*Dropout_output_1", 2 * layers + 1, tokens * width * flag},
      // The rest is small: positions, shapes that backward reads, the loss, literals.
      {"*Range_output_0", 1, sequence * integer},
      {"*_shape_for_backward_output", 11 * layers + 4, 3 * integer},
      {"*_shape_for_backward_output", 4 * layers, 2 * integer},
      {"*_shape_for_backward_output", layers, 4 * integer},
      {"*ConstantOfShape_output_0", layers, real},
      {"output-0", 1, real},
      {"backward_ints*", 5, 2 * integer},
      {"backward_ints*", 2, integer},
      {"backward_scalar*", 5, real},
      {"*Constant*", layers, 3 * integer},
      {"*Constant*", 657, integer},
      {"onnx::*", 431, integer},
      {"*Constant*", 161, real},
      {"onnx::*", 1, real},
      {"*Constant*", 37, flag},
      {"*Constant*", layers, 0},
  };
}

std::shared_ptr<const Study> study_of(const fs::path& file, const Choices& choices) {
  return compute_study(std::make_shared<const Graph>(load_model(file)), choices, nullptr,
                       Progress());
}

/// `ln_?` in a line stands for the three names of a normalization.
bool matches(const std::string& name, std::string pattern) {
  const std::size_t at = pattern.find("ln_?");
  if (at == std::string::npos) return matches_wildcard(name, pattern);
  for (const char which : {'1', '2', 'f'}) {
    pattern[at + 3] = which;
    if (matches_wildcard(name, pattern)) return true;
  }
  return false;
}

class Gpt2Peak : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path file = STASHSCOPE_SHARED "/models/full/gpt2_124m_train_fwd.onnx";
    if (!fs::exists(file)) GTEST_SKIP() << file << " is not there";
    Choices choices;
    choices.dims = {{"inputs_*_dim0", batch}, {"inputs_*_dim1", sequence}};
    study = study_of(file, choices);
  }
  std::shared_ptr<const Study> study;
};

TEST_F(Gpt2Peak, IsTheSumOfItsTensors) {
  std::int64_t sum = 0;
  for (const Line& line : lines()) sum += line.count * line.bytes;
  EXPECT_EQ(sum, 25'781'325'205);
  EXPECT_EQ(study->current->timeline.peak_bytes, sum);
}

TEST_F(Gpt2Peak, HasTheseTensorsAndNoOthers) {
  std::vector<Line> left = lines();
  const Timeline& timeline = study->current->timeline;
  for (const BufferId id : alive_at(timeline, timeline.peak_slot)) {
    const Buffer& buffer = timeline.buffers[id];
    const std::string name = name_of(study->graph(), study->current->dataflow, buffer);
    const auto line = std::find_if(left.begin(), left.end(), [&](const Line& each) {
      return each.count > 0 && each.bytes == buffer.bytes && matches(name, each.name);
    });
    ASSERT_NE(line, left.end()) << name << " of " << buffer.bytes << " B is in no line";
    --line->count;
  }
  for (const Line& line : left) EXPECT_EQ(line.count, 0) << line.name << " of " << line.bytes;
}

TEST_F(Gpt2Peak, HasTheseBands) {
  const std::int64_t per_layer = width * 3 * width + 3 * width + width * width + width +
                                 width * wide + wide + wide * width + width + 4 * width;
  const std::int64_t parameters =
      vocabulary * width + positions * width + layers * per_layer + 2 * width;
  EXPECT_EQ(parameters, 124'439'808) << "as published";
  const BandBytes bands = peak_bands(*study->current);
  EXPECT_EQ(of(bands, Band::parameters), parameters * real);
  EXPECT_EQ(of(bands, Band::gradients), 0) << "the peak is before the first of them is made";
  EXPECT_EQ(of(bands, Band::optimizer_states), 0);
}

}  // namespace gpt2_peak_test
}  // namespace stashscope
