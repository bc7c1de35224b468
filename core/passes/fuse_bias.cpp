// Fuses a bias with the softmax or dropout that follows it.

#include "core/passes/graph_pass.h"
#include "core/passes/rewriting/operators.h"
#include "core/passes/rewriting/pattern.h"

namespace stashscope {

namespace {

using namespace pattern;

bool same_shape(const Rewriter& graph, ValueId a, ValueId b) {
  return graph.shape(a) != nullptr && graph.shape(b) != nullptr &&
         *graph.shape(a) == *graph.shape(b);
}

/// BiasSoftmax repeats a bias along some of the axes before the axis of the softmax: either along
/// the outermost axes (outer), or along the axes directly before that of the softmax (inner).
enum class Repeats { outer, inner };

/// How the bias repeats; nothing if BiasSoftmax cannot repeat a bias in this way.
/// @param axis the last axis, along which the softmax runs
std::optional<Repeats> repeats_of(const Shape& bias, const Shape& data, std::size_t axis) {
  if (bias.size() > data.size() || bias.empty() || bias.back() != data[axis]) return std::nullopt;
  const std::size_t missing = data.size() - bias.size();
  const auto is_whole = [&](std::size_t i) { return i >= missing && bias[i - missing] == data[i]; };
  std::size_t changes = 0;
  for (std::size_t i = 1; i < axis; ++i) changes += is_whole(i) != is_whole(i - 1) ? 1 : 0;
  if (changes > 1) return std::nullopt;
  const bool inner = axis > 0 && is_whole(0) && !is_whole(axis - 1);
  return inner ? Repeats::inner : Repeats::outer;
}

std::optional<Node> bias_softmax(const Rewriter& graph, const Match& match) {
  const Shape* const data = graph.shape(match["x"]);
  const Shape* const bias = graph.shape(match["bias"]);
  if (bias == nullptr || !same_shape(graph, match["x"], match["sum"]) || data->empty()) {
    return std::nullopt;
  }
  const auto rank = static_cast<std::int64_t>(data->size());
  std::int64_t axis =
      graph.node(match.last).attributes.integer("axis", graph.opset() >= 13 ? -1 : 1);
  if (axis < 0) axis += rank;
  if (axis != rank - 1) return std::nullopt;
  const auto repeats = repeats_of(*bias, *data, data->size() - 1);
  if (!repeats) return std::nullopt;
  return microsoft_node(
      "BiasSoftmax", "", {match["x"], match["bias"]},
      {{"axis", axis}, {"is_inner_broadcast", std::int64_t{*repeats == Repeats::inner}}});
}

/// The bias must be a single row. The residual must have the dims of the data.
std::optional<Node> bias_dropout(const Rewriter& graph, const Match& match) {
  const Shape* const bias = graph.shape(match["bias"]);
  if (bias == nullptr || bias->size() != 1 || !same_shape(graph, match["x"], match["sum"]) ||
      bias->front() != graph.shape(match["x"])->back()) {
    return std::nullopt;
  }
  const Node& dropout = graph.node(graph.maker(match["dropped"]));
  if (graph.opset() < 12 || dropout.inputs.size() < 2) return std::nullopt;
  Node node =
      microsoft_node("BiasDropout", "", {match["x"], match["bias"], ValueId()}, dropout.attributes);
  if (match.values.contains("residual")) {
    if (!same_shape(graph, match["residual"], match["dropped"])) return std::nullopt;
    node.inputs[2] = match["residual"];
  }
  node.inputs.insert(node.inputs.end(), dropout.inputs.begin() + 1, dropout.inputs.end());
  return node;
}

}  // namespace

std::size_t fuse_bias_softmax(Rewriter& graph, const PassContext&) {
  return fuse(graph, {{op("Softmax", {op("Add", {any("x"), any("bias")}, "sum")}), bias_softmax}});
}

std::size_t fuse_bias_dropout(Rewriter& graph, const PassContext&) {
  const Pattern dropped = op("Dropout", {op("Add", {any("x"), any("bias")}, "sum")}, "dropped");
  return fuse(graph,
              {{op("Add", {dropped, any("residual")}), bias_dropout}, {dropped, bias_dropout}});
}

}  // namespace stashscope
