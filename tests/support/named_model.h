#pragma once

#include <random>

#include "core/study/step/study.h"
#include "tests/support/model_builder.h"

namespace stashscope::test {

/// The model with each node named after its first output.
inline std::shared_ptr<const Graph> named(const ModelBuilder& model) {
  GraphData data = model.data();
  for (Node& node : data.nodes) node.name = data.values[node.outputs.front()].name;
  return std::make_shared<const Graph>(std::move(data));
}

/// A transformer-like model: numbered blocks with an attention and a feed-forward module each, and
/// residual connections around them.
inline ModelBuilder blocks(int count, std::int64_t width = 16) {
  ModelBuilder m;
  m.input("x", {"N", width}).input("labels", {"N"}, ElementType::int64);
  std::string last = "x";
  for (int i = 0; i < count; ++i) {
    const std::string block = "/model/h." + std::to_string(i);
    m.weight(block + "/attn/w", {width, width}).weight(block + "/mlp/w", {width, width});
    m.node("MatMul", {last, block + "/attn/w"}, {block + "/attn/MatMul"});
    m.node("Tanh", {block + "/attn/MatMul"}, {block + "/attn/Tanh"});
    m.node("Add", {last, block + "/attn/Tanh"}, {block + "/Add"});
    m.node("MatMul", {block + "/Add", block + "/mlp/w"}, {block + "/mlp/MatMul"});
    m.node("Gelu", {block + "/mlp/MatMul"}, {block + "/mlp/Gelu"}, {}, "com.microsoft");
    m.node("Add", {block + "/Add", block + "/mlp/Gelu"}, {block + "/Add_1"});
    last = block + "/Add_1";
  }
  m.node("SoftmaxCrossEntropyLoss", {last, "labels"}, {"loss"});
  return m.output("loss");
}

/// Layers with a SiLU of two operators, which a pass fuses. Its backward then reads one tensor
/// less. Plans can recompute the rest.
/// @param rows the first dimension of the input: a name or a size
inline ModelBuilder silu_layers(const ModelBuilder::Dim& rows) {
  ModelBuilder m;
  m.input("x", {rows, 64});
  std::string last = "x";
  for (const std::string layer : {"a", "b", "c", "d"}) {
    m.weight(layer + "w", {64, 64}).node("MatMul", {last, layer + "w"}, {layer + "p"});
    m.node("Sigmoid", {layer + "p"}, {layer + "s"});
    m.node("Mul", {layer + "p", layer + "s"}, {layer + "y"});
    m.node("Gelu", {layer + "y"}, {layer + "g"}, {}, "com.microsoft");
    last = layer + "g";
  }
  return m.output(last);
}

/// Layers that compute in half precision and widen their results. The wide tensor has a recompute
/// plan and a compromise plan (from the narrow tensor), which exclude each other.
inline ModelBuilder mixed_precision(int layers) {
  const auto cast_to = [](ElementType element) {
    return Attributes{{"to", static_cast<std::int64_t>(element)}};
  };
  ModelBuilder m;
  m.input("x", {"N", 16}).input("labels", {"N"}, ElementType::int64);
  std::string last = "x";
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "l" + std::to_string(i) + ".";
    m.weight(layer + "w", {16, 16});
    m.node("MatMul", {last, layer + "w"}, {layer + "h"});
    m.node("Cast", {layer + "h"}, {layer + "narrow"}, cast_to(ElementType::float16));
    m.node("Gelu", {layer + "narrow"}, {layer + "g"}, {}, "com.microsoft");
    m.node("Cast", {layer + "g"}, {layer + "wide"}, cast_to(ElementType::float32));
    m.node("Gelu", {layer + "wide"}, {layer + "y"}, {}, "com.microsoft");
    last = layer + "y";
  }
  m.node("SoftmaxCrossEntropyLoss", {last, "labels"}, {"loss"});
  return m.output("loss");
}

/// A model of elementwise operators with random edges and names; every node reads earlier nodes.
inline ModelBuilder random_model(unsigned seed, int nodes) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  ModelBuilder m;
  m.input("x", {"N", 4}).input("labels", {"N"}, ElementType::int64).weight("w", {4, 4});
  m.node("MatMul", {"x", "w"}, {"start"});
  std::vector<std::string> made = {"start"};
  const std::vector<std::string> scopes = {"",      "/a/",     "/a/b.0/",  "/a/b.1/",
                                           "/c.0/", "/c.1/d/", "/c.2/d/e/"};
  for (int i = 0; i < nodes; ++i) {
    const std::string name = scopes[below(scopes.size())] + "n" + std::to_string(i);
    const std::string& recent =
        made[made.size() - 1 - below(std::min<std::size_t>(4, made.size()))];
    if (below(3) == 0) {
      m.node("Gelu", {recent}, {name}, {}, "com.microsoft");
    } else {
      m.node(below(2) == 0 ? "Add" : "Mul", {recent, made[below(made.size())]}, {name});
    }
    made.push_back(name);
  }
  m.node("SoftmaxCrossEntropyLoss", {made.back(), "labels"}, {"loss"});
  return m.output("loss");
}

inline std::shared_ptr<const Study> study_of(const std::shared_ptr<const Graph>& model,
                                             int level = 0) {
  Choices choices;
  choices.plans.level = level;
  choices.dims["N"] = 64;
  return compute_study(model, choices, nullptr, Progress());
}

}  // namespace stashscope::test
