#include "core/onnx/model_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/passes/training_step.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace model_file_test {

namespace fs = std::filesystem;
using test::ModelBuilder;

class ModelFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "stashscope-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }

  fs::path saved(const Graph& graph, const std::string& name = "model.onnx") {
    save_model(graph, folder / name);
    return folder / name;
  }
  fs::path written(const std::string& bytes) {
    write_file_atomically(folder / "bytes.onnx", bytes);
    return folder / "bytes.onnx";
  }
  static std::string refusal(const fs::path& path) {
    try {
      load_model(path);
      return "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_NE(std::string(error.what()).find(path.filename().string()), std::string::npos);
      return error.what();
    }
  }

  fs::path folder;
};

TEST_F(ModelFile, ASparseInitializerMayBeAGraphInputToo) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.add_input()->set_name("w");
  onnx::SparseTensorProto& sparse = *graph.add_sparse_initializer();
  sparse.add_dims(4);
  sparse.mutable_values()->set_name("w");
  sparse.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
  sparse.mutable_values()->add_dims(1);
  sparse.mutable_values()->add_float_data(5);
  sparse.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
  sparse.mutable_indices()->add_dims(1);
  sparse.mutable_indices()->add_int64_data(2);
  const Graph loaded = load_model(written(model.SerializeAsString()));
  EXPECT_TRUE(loaded.data().inputs.empty());
  EXPECT_EQ(loaded.data().initializers.size(), 1U);
}

TEST_F(ModelFile, SurvivesSavingAndLoading) {
  Attributes attributes = {{"axis", std::int64_t{-1}}};
  const Graph graph = ModelBuilder()
                          .input("x", {"batch", 4})
                          .weight("w", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})
                          .node("MatMul", {"x", "w"}, {"h"})
                          .node("Softmax", {"h"}, {"y"}, attributes)
                          .output("y")
                          .build();
  const Graph loaded = load_model(saved(graph));
  ASSERT_EQ(loaded.nodes().size(), 2U);
  EXPECT_EQ(loaded.node(NodeId(1)).attributes.integer("axis", 0), -1);
  EXPECT_EQ(loaded.node(NodeId(0)).name, "make_h");
  const Initializer* const w = loaded.initializer(test::id_of(loaded, "w"));
  ASSERT_NE(w, nullptr);
  EXPECT_EQ(w->tensor.reals(), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
  const Shape& shape = *loaded.value(test::id_of(loaded, "x")).type.shape;
  EXPECT_EQ(to_string(shape[0], loaded.symbols()), "batch");
}

TEST_F(ModelFile, ATrainingStepSurvivesToo) {
  const TrainingStep step = prepare_training_step(test::perceptron().build(), {});
  const Graph loaded = load_model(saved(*step.graph));
  EXPECT_EQ(loaded.nodes().size(), step.graph->nodes().size());
  const TrainingStep again = prepare_training_step(loaded, {});
  EXPECT_TRUE(again.boundary.yield.valid());
  EXPECT_EQ(again.parameters.size(), step.parameters.size());
}

TEST_F(ModelFile, ExternalDataIsReadAndCopiedAlong) {
  {
    std::ofstream data(folder / "weights.bin", std::ios::binary);
    const std::vector<float> numbers = {9, 9, 4, 5, 6};
    data.write(reinterpret_cast<const char*>(numbers.data()), 20);
  }
  ExternalData place{folder / "weights.bin", "weights.bin", 8, 12};
  const Graph graph = ModelBuilder()
                          .input("x", {3})
                          .constant("w", Tensor::external(ElementType::float32, {3}, place))
                          .node("Add", {"x", "w"}, {"y"})
                          .output("y")
                          .build();
  const fs::path path = saved(graph);
  EXPECT_TRUE(fs::exists(folder / "model.onnx.data"));
  fs::remove(folder / "weights.bin");
  const Graph loaded = load_model(path);
  EXPECT_EQ(loaded.initializer(test::id_of(loaded, "w"))->tensor.reals(),
            (std::vector<double>{4, 5, 6}));
  const std::string weights = read_file(folder / "model.onnx.data");
  EXPECT_THROW(save_model(loaded, path), Error) << "the weights would be written over";
  EXPECT_EQ(read_file(folder / "model.onnx.data"), weights);
  fs::remove(folder / "model.onnx.data");
  const Graph stripped = load_model(path);
  ASSERT_EQ(stripped.data().warnings.size(), 1U);
  EXPECT_NE(stripped.data().warnings[0].find("model.onnx.data"), std::string::npos);
}

TEST_F(ModelFile, EveryCutIsNoticed) {
  const std::string whole = read_file(saved(test::perceptron().build()));
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 16) {
    EXPECT_NE(refusal(written(whole.substr(0, size))), "accepted") << size;
  }
  EXPECT_NE(refusal(written(whole.substr(0, whole.size() - 1))), "accepted");
}

TEST_F(ModelFile, NoFlippedByteCrashesTheReader) {
  const std::string whole = read_file(saved(test::perceptron().build()));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    try {
      const Graph graph = load_model(written(damaged));
      prepare_training_step(graph, {});
    } catch (const Error&) {
      // An Error is the only accepted kind of refusal.
    }
  }
}

TEST_F(ModelFile, SaysWhatAWrongFileSeemsToBe) {
  EXPECT_NE(refusal(written("")).find("empty"), std::string::npos);
  EXPECT_NE(refusal(written("version https://git-lfs.github.com/spec/v1\noid x")).find("LFS"),
            std::string::npos);
  EXPECT_NE(refusal(written("<!DOCTYPE html><html>404")).find("web page"), std::string::npos);
  EXPECT_NE(refusal(folder / "absent.onnx").find("cannot open"), std::string::npos);
  EXPECT_NE(refusal(folder).find("not a regular file"), std::string::npos);
}

/// Files of the shared collection that must be refused before any inference.
class BadFile : public testing::TestWithParam<const char*> {};

TEST_P(BadFile, IsRefusedWithOneLine) {
  const fs::path path =
      fs::path(STASHSCOPE_SHARED "/models/bad") / (std::string(GetParam()) + ".onnx");
  if (!fs::exists(path)) GTEST_SKIP() << "no shared/models/bad";
  try {
    load_model(path);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shared, BadFile,
    testing::Values("truncated_last_byte", "truncated_in_varint", "empty", "png_renamed",
                    "lfs_pointer", "html_404", "length_claims_2gb", "group_wiretype_deep",
                    "missing_input", "dup_output_name", "dup_output_same_node",
                    "output_shadows_input", "dup_graph_input", "output_never_made",
                    "no_graph_field", "dims_overflow_initializer", "dims_wrap_to_zero",
                    "negative_dim_initializer", "raw_short", "raw_long", "raw_odd",
                    "both_raw_and_float", "unknown_dtype", "undefined_dtype", "external_absolute",
                    "external_offset_past_end", "external_offset_nan", "external_overflow",
                    "external_device", "subgraph_missing_capture", "nested_if_400"),
    [](const auto& info) { return std::string(info.param); });

}  // namespace model_file_test
}  // namespace stashscope
