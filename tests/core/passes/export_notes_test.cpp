#include "core/passes/export_notes.h"

#include <gtest/gtest.h>

#include "core/passes/training_step.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace export_notes_test {

using test::ModelBuilder;

/// Notes on a model whose nodes belong to the given modules.
std::vector<std::string> notes_on(const ModelBuilder& m, const std::vector<std::string>& modules) {
  GraphData data = m.data();
  for (std::size_t i = 0; i < modules.size(); ++i) {
    auto origin = std::make_shared<NodeOrigin>();
    origin->modules = {"model", modules[i]};
    data.nodes[NodeId(i)].origin = std::move(origin);
  }
  const Graph model(std::move(data));
  const TrainingStep step = prepare_training_step(model, {});
  return export_notes(model, *step.graph, step.parameters);
}

TEST(ExportNotes, DropoutsThatKeepEverythingAreNamed) {
  ModelBuilder m;
  m.input("x", {"N", 3}).weight("w", {3}).node("Mul", {"x", "w"}, {"a"});
  m.node("Identity", {"a"}, {"b"}).node("Dropout", {"b"}, {"c"}).node("Identity", {"c"}, {"y"});
  const std::vector<std::string> notes = notes_on(m.output("y"), {"", "attn.dropout", "", "out"});
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("2 dropouts keep every element: 'make_b', 'make_c'"), std::string::npos)
      << notes[0];
}

/// Two scalings by the same weight.
ModelBuilder scaled_twice(const std::vector<float>& weight) {
  ModelBuilder m;
  m.input("x", {"N", 3}).weight("norm1.weight", {3}, weight);
  m.node("Mul", {"x", "norm1.weight"}, {"a"}).node("Mul", {"a", "norm1.weight"}, {"y"});
  return m.output("y");
}

TEST(ExportNotes, OneWeightOfOnesInTwoModulesWasMerged) {
  const std::vector<std::string> notes = notes_on(scaled_twice({1, 1, 1}), {"norm1", "norm2"});
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("'norm1.weight'"), std::string::npos) << notes[0];
  EXPECT_NE(notes[0].find("optimize=False"), std::string::npos) << notes[0];
}

TEST(ExportNotes, AModuleMayReadItsWeightTwice) {
  EXPECT_TRUE(notes_on(scaled_twice({1, 1, 1}), {"norm1", "norm1"}).empty());
  EXPECT_TRUE(notes_on(scaled_twice({1, 1, 1}), {"norm1", "norm1.inner"}).empty());
}

/// Such weights are tied in the program.
TEST(ExportNotes, DifferentNumbersAreNeverMerged) {
  EXPECT_TRUE(notes_on(scaled_twice({1, 2, 3}), {"norm1", "norm2"}).empty());
}

/// The older exporter writes an Identity node with the name of the other parameter.
TEST(ExportNotes, IdentitiesOfAWeightAreMergedParameters) {
  ModelBuilder m;
  m.input("x", {"N", 3}).weight("norm1.weight", {3}, {1, 1, 1});
  m.node("Identity", {"norm1.weight"}, {"norm2.weight"});
  m.node("Mul", {"x", "norm1.weight"}, {"a"}).node("Mul", {"a", "norm2.weight"}, {"y"});
  m.output("y");
  EXPECT_EQ(notes_on(m, {}).size(), 1U);
  const PassSelection all{{"clean_shapes"}};
  EXPECT_EQ(prepare_training_step(m.build(), {}, all).warnings,
            prepare_training_step(m.build(), {}).warnings);
}

/// A tied embedding and the transposed copy that constant folding makes of it.
TEST(ExportNotes, ATransposedCopyOfATiedWeightIsFound) {
  std::vector<float> table(12 * 5);
  std::vector<float> turned(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<float>(i) * 0.5F;
    turned[i % 5 * 12 + i / 5] = table[i];
  }
  ModelBuilder m;
  m.input("ids", {"N"}, ElementType::int64).weight("wte.weight", {12, 5}, table);
  m.weight("onnx::MatMul_7", {5, 12}, turned);
  m.node("Gather", {"wte.weight", "ids"}, {"h"}).node("MatMul", {"h", "onnx::MatMul_7"}, {"y"});
  const std::vector<std::string> notes = notes_on(m.output("y"), {});
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_NE(notes[0].find("do_constant_folding=False"), std::string::npos) << notes[0];
  EXPECT_NE(notes[1].find("'onnx::MatMul_7' of 'wte.weight'"), std::string::npos) << notes[1];
}

TEST(ExportNotes, AFoldedWeightOfItsOwnIsNoCopy) {
  std::vector<float> numbers(60);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  ModelBuilder m;
  m.input("ids", {"N"}, ElementType::int64).weight("wte.weight", {12, 5}, numbers);
  m.weight("onnx::MatMul_7", {5, 12}, numbers);
  m.node("Gather", {"wte.weight", "ids"}, {"h"}).node("MatMul", {"h", "onnx::MatMul_7"}, {"y"});
  EXPECT_EQ(notes_on(m.output("y"), {}).size(), 1U);
}

}  // namespace export_notes_test
}  // namespace stashscope
