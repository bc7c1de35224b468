// The operations of a training step of GPT-2 (124 M) at batch 8, sequence 1024, against the
// textbook's count: for each token, 6 operations per parameter of a matrix product (2 forward, 4
// backward), and 12 * layers * sequence * width operations of attention (two products of 2 *
// sequence * width forward, twice as much backward). Kaplan et al., "Scaling Laws for Neural
// Language Models", 2020, section 2.1.

#include <gtest/gtest.h>

#include <filesystem>

#include "core/onnx/model_file.h"
#include "core/study/step/study.h"

namespace stashscope {
namespace gpt2_flops_test {

namespace fs = std::filesystem;

constexpr double tokens = 8.0 * 1024;
constexpr double sequence = 1024;
constexpr double width = 768;
constexpr double layers = 12;
constexpr double vocabulary = 50257;

/// The parameters of matrix products. In each layer, attention has 3 input projections and 1 output
/// projection of width * width, and the feed-forward part has 4 times this size up and 4 times
/// down. The word embedding also computes the scores. Biases, normalizations and position
/// embeddings are in no matrix product.
constexpr double multiplying = layers * (3 + 1 + 4 + 4) * width * width + vocabulary * width;
static_assert(multiplying == 123'532'032);

constexpr double textbook = tokens * (6 * multiplying + 12 * layers * sequence * width);

std::shared_ptr<const Study> gpt2() {
  const fs::path file = STASHSCOPE_SHARED "/models/full/gpt2_124m_train_fwd.onnx";
  if (!fs::exists(file)) return nullptr;
  Choices choices;
  choices.dims = {{"inputs_*_dim0", 8}, {"inputs_*_dim1", 1024}};
  return compute_study(std::make_shared<const Graph>(load_model(file)), choices, nullptr,
                       Progress());
}

TEST(Gpt2Flops, AreTheTextbooksWithinTwoPercent) {
  const auto study = gpt2();
  if (study == nullptr) GTEST_SKIP() << "no shared/models/full/gpt2_124m_train_fwd.onnx";
  EXPECT_NEAR(textbook, 7.0e12, 0.01e12);
  EXPECT_GE(study->baseline->flops, textbook) << "elementwise operators come on top";
  EXPECT_LE(study->baseline->flops, 1.02 * textbook);
}

TEST(Gpt2Flops, OfProductsAreTheTextbooksExactly) {
  const auto study = gpt2();
  if (study == nullptr) GTEST_SKIP() << "no shared/models/full/gpt2_124m_train_fwd.onnx";
  double products = 0;
  for (const NodeId id : IdRange<NodeId>(study->graph().nodes().size())) {
    const std::string& type = study->graph().node(id).op_type;
    const bool is_product = type == "MatMul" || type == "FusedMatMul" || type == "Gemm";
    if (is_product) products += study->sizes->work.flops[id];
  }
  EXPECT_NEAR(products, textbook, 1e-3 * textbook) << "Gemm adds its bias, too";
}

TEST(Gpt2Times, LieBetweenTheBoundsOfTheSheet) {
  const auto study = gpt2();
  if (study == nullptr) GTEST_SKIP() << "no shared/models/full/gpt2_124m_train_fwd.onnx";
  const double seconds = step_seconds(*study, *study->baseline);
  EXPECT_GT(seconds, textbook / 156e12) << "the A100's peak of tf32";
  EXPECT_LT(seconds, textbook / 19.5e12) << "its peak without matrix units";
}

}  // namespace gpt2_flops_test
}  // namespace stashscope
