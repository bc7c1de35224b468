#include "core/passes/what_if/linear_scores.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.h"

namespace stashscope {

namespace {

bool is_product(const Node& node) {
  if (node.domain == "com.microsoft") return node.op_type == "FusedMatMul";
  return node.domain.empty() && (node.op_type == "MatMul" || node.op_type == "Gemm");
}

bool is_vector(const Rewriter& graph, ValueId id) {
  return graph.shape(id) != nullptr && graph.shape(id)->size() == 1;
}

/// The position of the operand that carries the scores; the others are a bias, a factor, or say
/// how the scores are arranged.
std::size_t scores_operand(const Rewriter& graph, const Node& node) {
  if (node.inputs.size() != 2) return 0;
  if (node.op_type == "Add") return is_vector(graph, node.inputs[0]) ? 1 : 0;
  return node.op_type == "Mul" && graph.scalar(node.inputs[0]) ? 1 : 0;
}

/// Follows the scores from the product to the loss. Notes for each node the change of the hidden
/// states that has the same effect on the scores.
class Descent {
 public:
  Descent(const Rewriter& graph, NodeId loss) : graph_(graph), loss_(loss) { find_path(); }

  LinearScores finish() {
    start();
    for (std::size_t i = 0; i < found_.path.size(); ++i) {
      if (i > 0) pass(found_.path[i]);
      require_unread(i);
    }
    if (class_axis_ != 1) stop("has scores whose classes are not along axis 1");
    if (softmax_) stop("reads a softmax without a logarithm");
    return std::move(found_);
  }

 private:
  [[noreturn]] static void stop(std::string reason) { throw NoLinearScores{std::move(reason)}; }

  std::string text(NodeId id) const { return describe(graph_.node(id), id); }

  [[noreturn]] void stop_at(NodeId id, const std::string& why) const {
    stop("reads scores that pass " + text(id) + ", which " + why);
  }

  const Shape& shape(NodeId id, ValueId value) const {
    if (graph_.shape(value) == nullptr) stop_at(id, "has an operand of unknown shape");
    return *graph_.shape(value);
  }
  const Shape& result(NodeId id) const { return shape(id, graph_.node(id).outputs[0]); }

  void find_path() {
    ValueId scores = graph_.node(loss_).inputs[0];
    for (NodeId id = graph_.maker(scores);; id = graph_.maker(scores)) {
      if (!id.valid()) {
        stop("reads scores that no node computes: '" + printable(graph_.value(scores).name) + "'");
      }
      found_.path.insert(found_.path.begin(), id);
      const Node& node = graph_.node(id);
      if (is_product(node)) return;
      if (!rule_for(node)) {
        stop("reads scores of " + text(id) + ", which is no product with a weight");
      }
      scores = node.inputs[scores_operand(graph_, node)];
    }
  }

  void start() {
    const NodeId id = found_.path.front();
    const Node& product = graph_.node(id);
    found_.hidden = product.inputs[0];
    found_.weight = product.inputs[1];
    if (product.attributes.integer("transA", 0) != 0 ||
        product.attributes.integer("transBatchA", 0) != 0 ||
        product.attributes.integer("transBatchB", 0) != 0) {
      stop_at(id, "transposes the hidden states");
    }
    if (shape(id, found_.weight).size() != 2 || shape(id, found_.hidden).size() < 2) {
      stop_at(id, "is no product of hidden states with a weight of two axes");
    }
    found_.transposed = product.attributes.integer("transB", 0) != 0;
    scale_by(id, double{product.attributes.real("alpha", 1)});
    width_ = shape(id, found_.hidden).back();
    classes_ = result(id).back();
    rank_ = std::ssize(result(id));
    class_axis_ = rank_ - 1;
    if (product.op_type == "Gemm" && product.inputs.size() > 2 && product.inputs[2].valid()) {
      if (product.attributes.real("beta", 1) != 1) stop_at(id, "scales its bias");
      add_bias(id, product.inputs[2]);
    }
    skip_transposition();
  }

  /// Uses the operand of a Transpose before the product as the weight.
  void skip_transposition() {
    const NodeId maker = graph_.maker(found_.weight);
    if (!maker.valid() || !graph_.node(maker).domain.empty()) return;
    const Node& node = graph_.node(maker);
    if (node.op_type != "Transpose") return;
    const Integers order = node.attributes.integers("perm");
    if (!order.empty() && order != Integers{1, 0}) return;
    found_.weight = node.inputs[0];
    found_.transposed = !found_.transposed;
  }

  /// Requires that only the next node of the path needs the elements of a value. Other nodes may
  /// read its dims.
  void require_unread(std::size_t at) const {
    const ValueId value = graph_.node(found_.path[at]).outputs[0];
    const std::string name = "'" + printable(graph_.value(value).name) + "'";
    const std::string hint = "; the pass keep_loss_only drops all outputs except the loss";
    if (graph_.is_graph_output(value)) {
      stop("has scores that are an output of the graph: " + name + hint);
    }
    if (graph_.keeps(value)) stop("has scores that a subgraph reads: " + name);
    const NodeId next = at + 1 < found_.path.size() ? found_.path[at + 1] : loss_;
    for (const NodeId reader : graph_.readers(value)) {
      if (reader == next || can_read_dims(reader)) continue;
      const bool makes_output = graph_.is_graph_output(graph_.node(reader).outputs[0]);
      stop("is not the only node that needs its scores: " + text(reader) + " reads " + name +
           (makes_output ? " for an output of the graph" + hint : ""));
    }
  }

  bool can_read_dims(NodeId reader) const {
    return reads_only_dims(graph_.node(reader)) && classes_.integer() && is_last() &&
           graph_.opset() >= 10;
  }

  bool is_last() const { return class_axis_ + 1 == rank_; }

  using Rule = void (Descent::*)(NodeId);

  static Rule rule_for(const Node& node) {
    static const std::map<std::string, Rule> rules = {{"Identity", &Descent::skip},
                                                      {"Cast", &Descent::pass_cast},
                                                      {"Add", &Descent::pass_add},
                                                      {"Mul", &Descent::pass_factor},
                                                      {"Div", &Descent::pass_factor},
                                                      {"Reshape", &Descent::pass_reshape},
                                                      {"Flatten", &Descent::pass_reshape},
                                                      {"Squeeze", &Descent::pass_reshape},
                                                      {"Unsqueeze", &Descent::pass_reshape},
                                                      {"Slice", &Descent::pass_slice},
                                                      {"Gather", &Descent::pass_gather},
                                                      {"Transpose", &Descent::pass_transpose},
                                                      {"LogSoftmax", &Descent::pass_softmax},
                                                      {"Softmax", &Descent::pass_softmax},
                                                      {"Log", &Descent::pass_log}};
    const auto found = rules.find(node.op_type);
    return node.domain.empty() && found != rules.end() ? found->second : nullptr;
  }

  void pass(NodeId id) {
    (this->*rule_for(graph_.node(id)))(id);
    rank_ = std::ssize(result(id));
  }

  void skip(NodeId) {}

  void pass_cast(NodeId id) {
    const ElementType to = graph_.type(graph_.node(id).outputs[0]).element;
    const bool widens =
        to == ElementType::float64 && graph_.type(found_.hidden).element != ElementType::float64;
    if (!is_floating(to) || widens) stop_at(id, "changes the precision of the loss");
  }

  void pass_add(NodeId id) {
    const Node& node = graph_.node(id);
    add_bias(id, node.inputs[1 - scores_operand(graph_, node)]);
  }

  void add_bias(NodeId id, ValueId bias) {
    if (found_.bias.valid() || softmax_ || found_.normalized)
      stop_at(id, "adds to them after their bias or softmax");
    const Shape& added = shape(id, bias);
    if (added.size() != 1 || added.front() != classes_ ||
        class_axis_ + 1 != std::ssize(result(id))) {
      stop_at(id, "adds something other than one number per class");
    }
    found_.bias = bias;
  }

  void pass_factor(NodeId id) {
    const Node& node = graph_.node(id);
    const std::size_t operand = scores_operand(graph_, node);
    const auto factor = graph_.scalar(node.inputs[1 - operand]);
    if (!factor || result(id) != shape(id, node.inputs[operand])) {
      stop_at(id, "multiplies them by something other than one constant number");
    }
    if (found_.bias.valid() || softmax_ || found_.normalized) {
      stop_at(id, "multiplies them after their bias or softmax");
    }
    scale_by(id, node.op_type == "Div" ? 1 / *factor : *factor);
  }

  /// The factor of LinearCrossEntropyLoss is a float32, like that of FusedMatMul.
  void scale_by(NodeId id, double factor) {
    found_.scale *= factor;
    const auto stored = static_cast<float>(found_.scale);
    const bool is_exact = double{stored} == found_.scale;
    const bool is_double = graph_.type(found_.hidden).element == ElementType::float64;
    if (found_.scale != 1 && (!std::isnormal(stored) || (is_double && !is_exact))) {
      stop_at(id, "multiplies them by a number that a float32 cannot hold");
    }
  }

  /// The axis of the hidden states for an axis of the scores. The last axis of the hidden states is
  /// their width.
  std::int64_t hidden_axis(NodeId id, std::int64_t axis, std::int64_t rank) const {
    if (axis < 0) axis += rank;
    if (axis == class_axis_) stop_at(id, "selects classes");
    return axis < class_axis_ ? axis : axis - 1;
  }

  /// The type of the hidden states that belong to scores of a shape.
  TensorType hidden_type(Shape scores) const {
    scores.erase(scores.begin() + class_axis_);
    scores.push_back(width_);
    return {graph_.type(found_.hidden).element, std::move(scores), {}};
  }

  Node moved_node(NodeId id) const {
    Node node = graph_.node(id);
    node.inputs[0] = ValueId();
    node.outputs.clear();
    return node;
  }

  /// For any node that divides or merges rows and leaves the classes as they are.
  void pass_reshape(NodeId id) {
    const Shape& to = result(id);
    if (!is_last() || to.size() < 2 || to.back() != classes_) {
      stop_at(id, "does not keep the classes together");
    }
    class_axis_ = std::ssize(to) - 1;
    TensorType type = hidden_type(to);
    Integers target;
    for (const Expr& dim : *type.shape) target.push_back(dim.integer().value_or(-1));
    if (target.back() < 1 || std::count(target.begin(), target.end(), -1) > 1) {
      stop_at(id, "makes axes whose sizes are not numbers");
    }
    Node node = moved_node(id);
    node.op_type = "Reshape";
    node.inputs = {ValueId(), ValueId()};
    node.attributes = {};
    found_.moved.push_back({id, std::move(node), std::move(type), 1, std::move(target)});
  }

  void pass_slice(NodeId id) {
    Node node = moved_node(id);
    const Shape& scores = shape(id, graph_.node(id).inputs[0]);
    if (graph_.opset() < 10 || node.inputs.size() < 3)
      stop_at(id, "is in a model of an opset below 10");
    const auto axes = node.inputs.size() > 3 && node.inputs[3].valid()
                          ? graph_.integers(node.inputs[3])
                          : leading_axes(id, node.inputs[1]);
    if (!axes) stop_at(id, "selects along axes that are not known");
    Integers moved;
    for (const std::int64_t axis : *axes)
      moved.push_back(hidden_axis(id, axis, std::ssize(scores)));
    if (node.inputs.size() < 4) node.inputs.resize(4);
    found_.moved.push_back({id, std::move(node), hidden_type(result(id)), 3, std::move(moved)});
  }

  /// The axes of a Slice without an operand for axes: the leading ones.
  std::optional<Integers> leading_axes(NodeId id, ValueId starts) const {
    const auto count = shape(id, starts).front().integer();
    if (!count) return std::nullopt;
    Integers axes;
    for (std::int64_t axis = 0; axis < *count; ++axis) axes.push_back(axis);
    return axes;
  }

  void pass_gather(NodeId id) {
    Node node = moved_node(id);
    const Shape& scores = shape(id, graph_.node(id).inputs[0]);
    if (!is_vector(graph_, node.inputs[1]))
      stop_at(id, "selects with indices that do not have one axis");
    const std::int64_t axis = node.attributes.integer("axis", 0);
    node.attributes.set("axis", hidden_axis(id, axis, std::ssize(scores)));
    found_.moved.push_back({id, std::move(node), hidden_type(result(id))});
  }

  /// Only the classes may move; rows keep their order.
  void pass_transpose(NodeId id) {
    Integers order = graph_.node(id).attributes.integers("perm");
    const auto classes = std::find(order.begin(), order.end(), class_axis_);
    if (classes == order.end()) stop_at(id, "reverses its axes");
    class_axis_ = classes - order.begin();
    order.erase(classes);
    if (!std::is_sorted(order.begin(), order.end())) stop_at(id, "changes the order of rows");
  }

  void pass_softmax(NodeId id) {
    const Node& node = graph_.node(id);
    const std::int64_t rank = std::ssize(result(id));
    const bool single_axis = graph_.opset() >= 13;
    const std::int64_t axis = node.attributes.integer("axis", single_axis ? -1 : 1);
    const bool along_classes = (axis < 0 ? axis + rank : axis) == class_axis_;
    if (!along_classes || (!single_axis && !is_last()) || softmax_ || found_.normalized) {
      stop_at(id, "is a second softmax or does not run along the classes alone");
    }
    (node.op_type == "Softmax" ? softmax_ : found_.normalized) = true;
  }

  void pass_log(NodeId id) {
    if (!softmax_) stop_at(id, "is not the logarithm of a softmax");
    softmax_ = false;
    found_.normalized = true;
  }

  const Rewriter& graph_;
  NodeId loss_;
  LinearScores found_;
  Expr width_ = 0;
  Expr classes_ = 0;
  std::int64_t class_axis_ = 0;
  std::int64_t rank_ = 0;  ///< of the scores so far
  bool softmax_ = false;   ///< the last value is a softmax without its logarithm
};

}  // namespace

LinearScores linear_scores_of(const Rewriter& graph, NodeId loss) {
  return Descent(graph, loss).finish();
}

bool reads_only_dims(const Node& node) { return node.domain.empty() && node.op_type == "Shape"; }

}  // namespace stashscope
