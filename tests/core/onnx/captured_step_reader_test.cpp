#include "core/onnx/captured_step_reader.h"

#include <gtest/gtest.h>

#include "core/graph/captured_step.h"
#include "core/onnx/model_file.h"
#include "tests/support/captured_model.h"
#include "tests/support/folder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace captured_step_reader_test {

GraphData read(GraphData data) {
  read_captured_step(data);
  return data;
}

std::string refused(const std::string& key, const std::string& text) {
  GraphData data = test::captured_data();
  data.metadata[key] = text;
  return test::refusal(ErrorKind::input, [&] { read(data); });
}

/// The refusal of a step whose storages live until the nodes in `last`.
std::string refused_ends(const std::string& last) {
  std::string storages = test::captured_data().metadata.at("stashscope.storages");
  const std::size_t start = storages.rfind('[');
  return refused("stashscope.storages", storages.replace(start, storages.size(), last + "}"));
}

std::vector<std::string> names(const GraphData& data, const std::vector<ValueId>& values) {
  std::vector<std::string> found;
  for (const ValueId each : values) found.push_back(data.values[each].name);
  return found;
}

TEST(CapturedStepReader, FindsPhasesAndStorages) {
  const GraphData data = read(test::captured_data());
  const CapturedStep& step = *data.captured;
  EXPECT_EQ(step.phases[NodeId(2)], CapturedPhase::forward);
  EXPECT_EQ(step.phases[NodeId(4)], CapturedPhase::backward);
  EXPECT_EQ(step.phases[NodeId(5)], CapturedPhase::optimizer);
  const Graph graph(data);
  const auto storage = [&](const char* name) {
    return step.storage_of[test::id_of(graph, name)].index();
  };
  EXPECT_EQ(storage("w"), 0U);
  EXPECT_EQ(storage("w.1"), 0U);
  EXPECT_EQ(storage("flat"), storage("product"));
  EXPECT_TRUE(step.is_root(test::id_of(graph, "product")));
  EXPECT_FALSE(step.is_root(test::id_of(graph, "flat")));
  EXPECT_EQ(step.role_of(test::id_of(graph, "w.grad")), CapturedRole::gradient);
}

TEST(CapturedStepReader, KnowsTheLastNodeOfAStorage) {
  const GraphData data = read(test::captured_data());
  EXPECT_EQ(data.captured->storages[StorageId(2)].last, NodeId(4));
  EXPECT_FALSE(data.captured->storages[StorageId(5)].last.valid()) << "it outlives the step";
}

TEST(CapturedStepReader, PutsGradientsAtTheirParametersAndUpdatesIntoTheOptimizer) {
  GraphData data = test::captured_data();
  for (Value& value : data.values) {
    if (value.name == "w.grad") value.name = "model.layers.3.proj.weight.grad";
  }
  data = read(data);
  const std::vector<std::string> modules = {"model", "layers.3", "proj"};
  ASSERT_NE(data.nodes[NodeId(4)].origin, nullptr);
  EXPECT_EQ(data.nodes[NodeId(4)].origin->modules, modules);
  EXPECT_EQ(data.nodes[NodeId(5)].origin->modules, std::vector<std::string>{"optimizer"});
  EXPECT_EQ(data.nodes[NodeId(0)].origin, nullptr);
}

TEST(CapturedStepReader, ReturnsWhatOutlivesTheStep) {
  GraphData data = test::captured_data();
  data.outputs.pop_back();
  EXPECT_EQ(names(data, read(data).outputs), (std::vector<std::string>{"loss", "w.grad"}));
}

TEST(CapturedStepReader, ReadsAFileAndWritesItAgain) {
  const test::Folder folder;
  save_model(Graph(test::captured_data()), folder / "step.onnx");
  const Graph once = load_model(folder / "step.onnx");
  ASSERT_NE(once.data().captured, nullptr);
  save_model(once, folder / "again.onnx");
  const Graph twice = load_model(folder / "again.onnx");
  ASSERT_NE(twice.data().captured, nullptr);
  EXPECT_EQ(twice.data().captured->storage_of, once.data().captured->storage_of);
}

TEST(CapturedStepReader, SizesMayBePolynomials) {
  GraphData data = test::captured_data();
  std::string& storages = data.metadata["stashscope.storages"];
  storages.replace(storages.find("64"), 2, "\"32*batch\"");
  data = read(data);
  const SymbolId batch = data.symbols.intern("batch");
  EXPECT_EQ(data.captured->storages[StorageId(2)].bytes, Expr(32) * Expr::symbol(batch));
}

GraphData data_with_batch(const char* dimensions) {
  GraphData data = test::captured_data();
  std::string& storages = data.metadata["stashscope.storages"];
  storages.replace(storages.find("64"), 2, "\"32*batch\"");
  data.metadata["stashscope.dimensions"] = dimensions;
  data.nodes[NodeId(4)].attributes.set("workspace", std::string("batch**2"));
  data.nodes[NodeId(4)].attributes.set("flops", std::string("batch/2"));
  return data;
}

TEST(CapturedStepReader, DimensionsHaveTheSizeOfTheCapture) {
  GraphData data = read(data_with_batch(R"([{"name": "batch", "value": 6, "step": 4}])"));
  const CapturedStep& step = *data.captured;
  const SymbolId batch = data.symbols.intern("batch");
  ASSERT_EQ(step.dimensions.size(), 1U);
  EXPECT_EQ(step.dimensions[0].symbol, batch);
  EXPECT_EQ(step.dimensions[0].value, 6);
  EXPECT_EQ(step.storages[StorageId(2)].bytes_as_captured, 192);
  EXPECT_EQ(step.workspace[NodeId(4)], Expr::symbol(batch) * Expr::symbol(batch));
  EXPECT_EQ(*step.flops[NodeId(4)] * Expr(2), Expr::symbol(batch));
  EXPECT_FALSE(step.flops[NodeId(0)].has_value());
  ASSERT_EQ(data.constraints.size(), 1U);
  const Constraint& every_fourth = data.constraints[0];
  Bindings sizes(data.symbols.size());
  for (const std::int64_t size : {2, 6, 10, 3, 8}) {
    sizes[batch] = size;
    EXPECT_EQ(every_fourth.a.evaluate(sizes) == every_fourth.b.evaluate(sizes), size % 4 == 2)
        << size;
  }
}

TEST(CapturedStepReader, RefusesDimensionsThatCannotBe) {
  const auto refused_dimensions = [](const char* dimensions) {
    return test::refusal(ErrorKind::input, [&] { read(data_with_batch(dimensions)); });
  };
  const std::string where = "metadata 'stashscope.dimensions'";
  EXPECT_EQ(refused_dimensions("{}"), where + ": is not a list; capture the step again");
  EXPECT_EQ(refused_dimensions("["), where + ": is cut off or damaged; capture the step again");
  for (const char* const wrong :
       {"[1]", R"([{"name": 1, "value": 6, "step": 4}])", R"([{"name": "batch", "value": 6}])",
        R"([{"name": "batch", "value": 0, "step": 1}])",
        R"([{"name": "batch", "value": 6, "step": "1"}])"}) {
    EXPECT_EQ(refused_dimensions(wrong),
              where + ": has an entry without a valid name, value or step; capture the step again")
        << wrong;
  }
  EXPECT_EQ(
      refused_dimensions(R"([{"name": "sequence", "value": 6, "step": 1}])"),
      "metadata 'stashscope.storages', storage 2: is negative or has no value at the sizes of the "
      "capture; capture the step again");
}

TEST(CapturedStepReader, SaysWhatIsWrong) {
  EXPECT_EQ(refused("stashscope.captured_step", "2"),
            "metadata 'stashscope.captured_step': is version 2 of captured steps; this program "
            "reads 1; update Stashscope");
  EXPECT_EQ(refused("stashscope.captured_step", "one"),
            "metadata 'stashscope.captured_step': is 'one', not a version number; capture the step "
            "again");
  EXPECT_EQ(refused("stashscope.storages", "{"),
            "metadata 'stashscope.storages': is cut off or damaged; capture the step again");
  EXPECT_EQ(refused("stashscope.storages", R"({"bytes": [1], "role": ["input"]})"),
            "metadata 'stashscope.storages': has no list 'last'; capture the step again");
  EXPECT_EQ(refused("stashscope.storages", R"({"bytes": [1], "role": [], "last": []})"),
            "metadata 'stashscope.storages': has lists of different lengths; capture the step "
            "again");
  EXPECT_EQ(refused("stashscope.storages",
                    R"({"bytes": [1], "role": ["input"], "last": [6], "replaces": [0, 1]})"),
            "metadata 'stashscope.storages': has lists of different lengths; capture the step "
            "again");
  EXPECT_EQ(refused("stashscope.storages", R"({"bytes": [-1], "role": ["input"], "last": [6]})"),
            "metadata 'stashscope.storages', storage 0: has no valid size; capture the step again");
  EXPECT_EQ(refused("stashscope.storages", R"({"bytes": ["-5"], "role": ["input"], "last": [6]})"),
            "metadata 'stashscope.storages', storage 0: is negative or has no value at the sizes "
            "of the capture; capture the step again");
  EXPECT_EQ(refused("stashscope.storages", R"({"bytes": [1], "role": ["toy"], "last": [6]})"),
            "metadata 'stashscope.storages', storage 0, role: has the unknown value 'toy'; capture "
            "the step again");
  EXPECT_EQ(refused("stashscope.input_storages", "[0]"),
            "metadata 'stashscope.input_storages': does not list one storage for each graph input; "
            "capture the step again");
  EXPECT_EQ(refused("stashscope.input_storages", "[0, 9]"),
            "storage 9: does not exist; capture the step again");
}

TEST(CapturedStepReader, RefusesLifetimesThatCannotBe) {
  EXPECT_EQ(refused_ends("[6, 6, 0, 6, 4, 6]"),
            "node 'make_flat' (view): tensor 'product': is read after its storage is freed; "
            "capture the step again");
  EXPECT_EQ(refused_ends("[6, 6, 7, 6, 4, 6]"),
            "metadata 'stashscope.storages', storage 2: ends at a node that does not exist; "
            "capture the step again");
  EXPECT_EQ(refused_ends("[4, 6, 4, 6, 4, 6]"),
            "node 'make_w.1' (add_): tensor 'w': is read after its storage is freed; capture the "
            "step again");
}

TEST(CapturedStepReader, RefusesWhatNoCaptureWrites) {
  const auto refused_data = [](const auto& change) {
    GraphData data = test::captured_data();
    change(data);
    return test::refusal(ErrorKind::input, [&] { read(data); });
  };
  EXPECT_EQ(refused_data([](GraphData& data) { data.nodes = {}; }),
            "the captured step has no node; capture the step again");
  EXPECT_EQ(
      refused_data([](GraphData& data) { data.add_initializer("c", Tensor::int64_scalar(1)); }),
      "tensor 'c': is a constant, which a captured step never has; capture the step again");
  EXPECT_EQ(refused_data([](GraphData& data) { data.add_value("lost", {}); }),
            "tensor 'lost': belongs to no storage; capture the step again");
  EXPECT_EQ(refused_data([](GraphData& data) { data.nodes[NodeId(0)].inputs.emplace_back(); }),
            "node 'make_product' (mul): omits an input or an output; capture the step again");
  EXPECT_EQ(refused_data([](GraphData& data) { data.nodes[NodeId(0)].domain = ""; }),
            "node 'make_product' (mul): is not an operator of PyTorch; capture the step again");
}

TEST(CapturedStepReader, PassesOnTheWarningsOfTheCapture) {
  GraphData data = test::captured_data();
  data.metadata["stashscope.warnings"] = R"(["a number was read"])";
  EXPECT_EQ(read(data).warnings, std::vector<std::string>{"a number was read"});
}

TEST(CapturedStepReader, RefusesNodesThatDoNotFit) {
  const auto refused_node = [](std::size_t node, const char* attribute, AttributeValue value) {
    GraphData data = test::captured_data();
    data.nodes[NodeId(node)].attributes.set(attribute, std::move(value));
    return test::refusal(ErrorKind::input, [&] { read(data); });
  };
  EXPECT_EQ(refused_node(0, "phase", std::string("later")),
            "node 'make_product' (mul): attribute 'phase': has the unknown value 'later'; capture "
            "the step again");
  EXPECT_EQ(refused_node(0, "storages", Integers{}),
            "node 'make_product' (mul): attribute 'storages': does not list one storage for each "
            "output; capture the step again");
  EXPECT_EQ(
      refused_node(0, "workspace", std::int64_t{-1}),
      "node 'make_product' (mul): attribute 'workspace': is negative; capture the step again");
  EXPECT_EQ(
      refused_node(0, "workspace", std::string("batch*")),
      "node 'make_product' (mul): attribute 'workspace': is not a valid polynomial; capture the "
      "step again");
  EXPECT_EQ(refused_node(2, "storages", Integers{2}), "accepted");
  EXPECT_EQ(
      refused_node(3, "storages", Integers{2}),
      "node 'make_loss.grad' (ones_like): tensor 'loss.grad': belongs to a storage that the node "
      "does not read; capture the step again");
}

}  // namespace captured_step_reader_test
}  // namespace stashscope
