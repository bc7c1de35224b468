// The file of a training graph declares symbolic shapes that another tool inferred. Inference
// without these declarations gives the same shapes.

#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <random>

#include "core/onnx/model_file.h"
#include "core/passes/infer_shapes.h"

namespace stashscope {
namespace declared_shapes_test {

namespace fs = std::filesystem;

const fs::path file =
    STASHSCOPE_SHARED "/models/ort/transform/recompute/3layer_bloom_optimized_training.onnx";

/// The model without declared types of node outputs.
Graph stripped(const Graph& model) {
  GraphData data = model.data();
  for (Value& value : data.values) {
    if (!value.producer.valid()) continue;
    value.type = {};
    value.declared_shape.reset();
  }
  return Graph(std::move(data));
}

/// Numbers for all dimension names of the model; replaced names get the value of their replacement.
Bindings random_bindings(const Graph& graph, std::mt19937& random) {
  std::uniform_int_distribution<std::int64_t> any(2, 97);
  Bindings bindings(graph.symbols().size());
  for (const SymbolId symbol : IdRange<SymbolId>(bindings.size())) bindings[symbol] = any(random);
  const auto& unified = graph.data().unified;
  for (const SymbolId symbol : IdRange<SymbolId>(unified.size())) {
    if (unified[symbol]) bindings[symbol] = unified[symbol]->evaluate(bindings);
  }
  return bindings;
}

bool is_unnamed(const Graph& graph, const Expr& dim) {
  for (const SymbolId symbol : dim.symbols()) {
    if (graph.symbols().is_fresh(symbol)) return true;
  }
  return false;
}

struct Comparison {
  std::size_t values = 0;
  std::vector<std::string> different;
  std::vector<std::string> unnamed;  ///< the file gives a dim neither a number nor a name
};

bool same_at(const Bindings& bindings, const Expr& a, const Expr& b) {
  const auto left = a.evaluate(bindings);
  return left && left == b.evaluate(bindings);
}

void compare(const Graph& declared, const Graph& inferred, ValueId id, Comparison& found) {
  const Value& theirs = declared.value(id);
  const Value& ours = inferred.value(id);
  ++found.values;
  const bool comparable = ours.type.shape && ours.type.element == theirs.type.element &&
                          ours.type.shape->size() == theirs.type.shape->size();
  if (!comparable) return found.different.push_back(theirs.name);
  std::mt19937 random(7);
  for (int point = 0; point < 5; ++point) {
    const Bindings bindings = random_bindings(inferred, random);
    for (std::size_t axis = 0; axis < ours.type.shape->size(); ++axis) {
      const Expr& dim = (*theirs.type.shape)[axis];
      if (is_unnamed(declared, dim)) {
        if (point == 0) found.unnamed.push_back(theirs.name + " axis " + std::to_string(axis));
      } else if (!same_at(bindings, (*ours.type.shape)[axis], dim)) {
        return found.different.push_back(theirs.name);
      }
    }
  }
}

std::string lines(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& each : items) text += "  " + each + "\n";
  return text;
}

TEST(DeclaredShapes, OfARealTrainingGraphAreTheInferredOnes) {
  if (!fs::exists(file)) GTEST_SKIP() << file << " is not there";
  const Graph declared = load_model(file);
  const Graph inferred = infer_shapes(stripped(declared));
  Comparison found;
  for (const ValueId id : IdRange<ValueId>(declared.values().size())) {
    const Value& value = declared.value(id);
    const bool listed =
        value.declared_shape && value.producer.valid() && !declared.is_graph_output(id);
    if (listed) compare(declared, inferred, id, found);
  }
  // The file has 411 entries. Two of them describe constants, whose sizes follow from their data.
  EXPECT_EQ(found.values, 409U);
  EXPECT_TRUE(found.different.empty()) << lines(found.different);
  EXPECT_EQ(found.unnamed.size(), 5U) << lines(found.unnamed);
  std::cout << "shapes: " << file.filename().string() << ": " << found.values << " values, "
            << found.different.size() << " different\n"
            << "dims without a name in the file:\n"
            << lines(found.unnamed);
}

}  // namespace declared_shapes_test
}  // namespace stashscope
