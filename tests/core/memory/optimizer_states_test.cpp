#include "core/memory/optimizer_states.h"

#include <gtest/gtest.h>

#include <map>

#include "core/graph/tensor.h"
#include "core/passes/infer_shapes.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace optimizer_states_test {

using Dims = std::vector<std::int64_t>;

struct Form {
  Dims shape;
  ElementType element = ElementType::float32;
  bool is_embedding = false;
  bool master_weights = false;
};

/// Bytes by the name of the state.
std::map<std::string, std::int64_t> states(const char* optimizer, const Form& form) {
  const UpdatedParameter parameter{form.element, form.shape, form.is_embedding};
  const std::int64_t bytes = packed_bytes(form.element, element_count(form.shape));
  std::map<std::string, std::int64_t> found;
  for (const OptimizerState& each :
       optimizer_states(find_optimizer(optimizer), parameter,
                        keeps_master_weights({optimizer, form.master_weights, false}))) {
    found[std::string(each.name)] = ParameterState{ValueId(0), form.element, each}.bytes(bytes);
  }
  return found;
}

using Bytes = std::map<std::string, std::int64_t>;

/// The sizes of the tensors in the state of AdamW8bit of bitsandbytes 0.50.2 after one step.
TEST(OptimizerStates, OfBitsandbytesAreInBlocks) {
  const auto bytes = [](const Dims& shape, ElementType element = ElementType::float32) {
    return states("adamw_8bit", {shape, element});
  };
  const auto quantized = [](std::int64_t codes, std::int64_t scales) {
    return Bytes{{"state1", codes}, {"absmax1", scales}, {"qmap1", 1024},
                 {"state2", codes}, {"absmax2", scales}, {"qmap2", 1024}};
  };
  EXPECT_EQ(bytes({1}), (Bytes{{"state1", 4}, {"state2", 4}}));
  EXPECT_EQ(bytes({4095}), (Bytes{{"state1", 16380}, {"state2", 16380}}));
  EXPECT_EQ(bytes({4095}, ElementType::bfloat16), bytes({4095})) << "small ones are float32";
  EXPECT_EQ(bytes({4096}), quantized(4096, 64));
  EXPECT_EQ(bytes({4097}), quantized(4097, 68));
  EXPECT_EQ(bytes({5000}, ElementType::bfloat16), quantized(5000, 80));
  EXPECT_EQ(bytes({768, 3072}), quantized(2359296, 36864));
  EXPECT_EQ(bytes({64, 3, 7, 7}), quantized(9408, 148));
  EXPECT_EQ(states("lion_8bit", {{64, 3, 7, 7}}),
            (Bytes{{"state1", 9408}, {"absmax1", 148}, {"qmap1", 1024}}));
}

/// The sizes of the tensors in the states of AdamW8bit and AdamW4bit of torchao 0.14.1.
TEST(OptimizerStates, OfTorchaoAreInFullBlocks) {
  const auto quantized = [](std::int64_t codes, std::int64_t scales, std::int64_t table) {
    return Bytes{{"exp_avg.codes", codes},     {"exp_avg.scale", scales},
                 {"exp_avg.qmap", table},      {"exp_avg_sq.codes", codes},
                 {"exp_avg_sq.scale", scales}, {"exp_avg_sq.qmap", table}};
  };
  EXPECT_EQ(states("adamw_torch_8bit", {{4096}}), quantized(4096, 64, 1024));
  EXPECT_EQ(states("adamw_torch_8bit", {{768, 3072}}), quantized(2359296, 36864, 1024));
  EXPECT_EQ(states("adamw_torch_4bit", {{8192}}), quantized(4096, 256, 64));
  EXPECT_EQ(states("adamw_torch_4bit", {{768, 3072}, ElementType::bfloat16}),
            quantized(1179648, 73728, 64));
  for (const char* optimizer : {"adamw_torch_8bit", "adamw_torch_4bit"}) {
    EXPECT_EQ(states(optimizer, {{4095}}), (Bytes{{"exp_avg", 16380}, {"exp_avg_sq", 16380}}));
    EXPECT_EQ(states(optimizer, {{64, 3, 7, 7}, ElementType::bfloat16}),
              (Bytes{{"exp_avg", 18816}, {"exp_avg_sq", 18816}}));
  }
}

TEST(OptimizerStates, OfAdafactorAreRowsAndColumns) {
  EXPECT_EQ(states("adafactor", {{}}), (Bytes{{"variance", 4}}));
  EXPECT_EQ(states("adafactor", {{4095}}), (Bytes{{"variance", 16380}}));
  EXPECT_EQ(states("adafactor", {{768, 3072}}), (Bytes{{"row_var", 3072}, {"col_var", 12288}}));
  EXPECT_EQ(states("adafactor", {{64, 3, 7, 7}, ElementType::bfloat16}),
            (Bytes{{"row_var", 2688}, {"col_var", 2688}}));
}

TEST(OptimizerStates, OfMuonAreOneMomentumForMatrices) {
  EXPECT_EQ(states("muon", {{768, 3072}}), (Bytes{{"momentum_buffer", 9437184}}));
  for (const Form& other :
       {Form{{50, 96}, ElementType::float32, true}, Form{{4800}}, Form{{50, 3, 32}}}) {
    EXPECT_EQ(states("muon", other), (Bytes{{"exp_avg", 19200}, {"exp_avg_sq", 19200}}));
  }
}

TEST(OptimizerStates, OfAMasterWeightAreThoseOfAFloat32Parameter) {
  const Form half{{2, 8}, ElementType::bfloat16, false, true};
  EXPECT_EQ(states("adafactor", half),
            (Bytes{{"master_weight", 64}, {"row_var", 8}, {"col_var", 32}}));
  EXPECT_EQ(states("lion", half), (Bytes{{"master_weight", 64}, {"exp_avg", 64}}));
  EXPECT_EQ(states("adamw_stochastic", half), (Bytes{{"exp_avg", 32}, {"exp_avg_sq", 32}}))
      << "it rounds instead";
}

/// w is an embedding, v a matrix that rows of the embedding are multiplied with.
Graph with_embedding() {
  test::ModelBuilder m;
  m.input("ids", {3}, ElementType::int64).weight("w", {128, 64}).weight("v", {64, 128});
  m.node("Gather", {"w", "ids"}, {"rows"}).node("MatMul", {"rows", "v"}, {"y"}).output("y");
  return infer_shapes(m.build());
}

UpdateMemory updated(const char* optimizer, const Graph& graph) {
  const ValueId w = test::id_of(graph, "w");
  const ValueId v = test::id_of(graph, "v");
  return update_memory(graph, {{w, w}, {v, v}}, {optimizer, false, false});
}

TEST(OptimizerStates, TablesOfBitsandbytesAreThereOnce) {
  const Graph graph = with_embedding();
  std::int64_t bytes = 0;
  for (const ParameterState& each : updated("adamw_8bit", graph).states) bytes += each.bytes(32768);
  EXPECT_EQ(bytes, 2 * 2 * (8192 + 32 * 4) + 2 * 1024);
}

TEST(OptimizerStates, OfAnEmbeddingAreFoundInTheGraph) {
  const Graph graph = with_embedding();
  std::vector<std::string> names;
  for (const ParameterState& each : updated("muon", graph).states) {
    names.push_back(graph.value(each.parameter).name + "." + std::string(each.state.name));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"w.exp_avg", "w.exp_avg_sq", "v.momentum_buffer"}));
}

/// Whether a matrix counts as an embedding if a node of this kind reads it first.
bool is_embedding_for(const char* op_type, const Attributes& attributes, const char* domain) {
  test::ModelBuilder m;
  m.input("ids", {3}, ElementType::int64).weight("w", {128, 64}).weight("v", {64, 128});
  m.node(op_type, {"w", "ids"}, {"rows"}, attributes, domain).output("rows");
  return updated("muon", m.build()).states.at(0).state.name == "exp_avg";
}

TEST(OptimizerStates, OfAnEmbeddingDependOnTheOperatorThatReadsIt) {
  const auto axis = [](std::int64_t number) { return Attributes{{"axis", number}}; };
  EXPECT_TRUE(is_embedding_for("Gather", axis(-2), ""));
  EXPECT_FALSE(is_embedding_for("Gather", axis(1), ""));
  EXPECT_TRUE(is_embedding_for("ATen", {{"operator", "embedding"}}, "org.pytorch.aten"));
  EXPECT_FALSE(is_embedding_for("ATen", {{"operator", "bilinear"}}, "org.pytorch.aten"));
  EXPECT_TRUE(is_embedding_for("embedding", {}, "pytorch.aten"));
  EXPECT_FALSE(is_embedding_for("mm", {}, "pytorch.aten"));
}

TEST(OptimizerStates, TakeNothingIfTheParameterTakesNothing) {
  const OptimizerState scales{"absmax1", ElementType::float32, Dims{16}};
  EXPECT_EQ((ParameterState{ValueId(0), ElementType::float32, scales}.bytes(0)), 0);
  EXPECT_EQ((ParameterState{ValueId(0), ElementType::float32, scales}.bytes(16384)), 64);
}

TEST(OptimizerStates, OfAnUnknownShapeAreWhole) {
  for (const char* optimizer : {"adafactor", "muon", "adamw_torch_8bit"}) {
    for (const OptimizerState& each :
         optimizer_states(find_optimizer(optimizer), {ElementType::float16}, false)) {
      EXPECT_EQ(each.element, ElementType::float16) << optimizer;
      EXPECT_FALSE(each.shape) << optimizer;
    }
  }
}

}  // namespace optimizer_states_test
}  // namespace stashscope
