// Mixed precision: inserts casts where PyTorch does (torch.amp, autocast op reference). Matrix
// products run in 16 bits, sums and operators with a wide range of values in float32, all other
// operators in the widest type of their inputs. Weights stay float32 with one cast each, so that
// their gradients are float32. Loss scaling does not change the memory and is left to the training
// loop.

#include <algorithm>
#include <cmath>
#include <set>

#include "core/ops/families/control_flow.h"
#include "core/ops/families/standard_ops.h"
#include "core/ops/rules/linear_loss_places.h"
#include "core/ops/rules/op.h"
#include "core/passes/graph_pass.h"

namespace stashscope {

namespace {

constexpr const char* linear_loss = "LinearCrossEntropyLoss";

const std::set<std::string>& lowered_types() {
  static const std::set<std::string> types = {
      "MatMul",         "FusedMatMul", "Gemm", "Conv", "ConvTranspose", "Einsum",
      "FusedAttention", linear_loss,   "RNN",  "GRU",  "LSTM"};
  return types;
}

const std::set<std::string>& full_types() {
  static const std::set<std::string> types = {"Softmax",
                                              "LogSoftmax",
                                              "BiasSoftmax",
                                              "LayerNormalization",
                                              "SimplifiedLayerNormalization",
                                              "RMSNormalization",
                                              "GroupNormalization",
                                              "InstanceNormalization",
                                              "SoftmaxCrossEntropyLoss",
                                              "NegativeLogLikelihoodLoss",
                                              "Exp",
                                              "Log",
                                              "Pow",
                                              "Reciprocal",
                                              "ReduceSum",
                                              "ReduceProd",
                                              "ReduceL1",
                                              "ReduceL2",
                                              "ReduceLogSumExp",
                                              "CumSum",
                                              "Softplus",
                                              "Acos",
                                              "Asin",
                                              "Cosh",
                                              "Sinh",
                                              "Tan"};
  return types;
}

/// Whether the node may be the separate node in which the exporter adds the bias of a linear layer.
bool adds_bias(const Node& node) {
  return node.op_type == "Add" || node.op_type == "BiasGelu" || node.op_type == "FastGelu" ||
         node.op_type == "BiasDropout";
}

class Precision {
 public:
  Precision(Rewriter& graph, ElementType half) : graph_(graph), half_(half) {}

  std::size_t run() {
    for (const NodeId id : IdRange<NodeId>(graph_.node_count())) {
      if (graph_.is_removed(id) || !touches_floats(graph_.node(id))) continue;
      if (is_lowered(graph_.node(id))) {
        lower(id);
      } else if (is_full(graph_.node(id))) {
        cast_inputs(id, ElementType::float32);
      } else {
        follow(id);
      }
    }
    return lowered_nodes_;
  }

 private:
  ElementType element(ValueId id) const {
    return id.valid() ? graph_.type(id).element : ElementType::undefined;
  }

  bool touches_floats(const Node& node) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
      return element(id) == ElementType::float32 || element(id) == half_;
    });
  }

  bool is_lowered(const Node& node) const {
    return lowered_types().contains(node.op_type) && !has_captured_output(node);
  }

  /// Whether the node runs in float32. Unknown operators do, and so do nodes whose outputs a
  /// subgraph captures, because the types of their outputs must not change.
  bool is_full(const Node& node) const {
    const Op* const op = standard_ops().find(node);
    return op == nullptr || is_control_flow(node) || full_types().contains(node.op_type) ||
           has_captured_output(node) ||
           (node.op_type == "BatchNormalization" && graph_.opset() < 15);
  }

  bool has_captured_output(const Node& node) const {
    return std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
      return id.valid() && graph_.keeps(id) && !graph_.is_graph_output(id);
    });
  }

  /// Whether the type of an input may change; ratios, scales and statistics keep their types.
  static bool is_data(const Node& node, std::size_t input) {
    if (node.op_type == "BiasDropout" || node.op_type == "FusedAttention") return input < 3;
    if (node.op_type == linear_loss) return input <= linear_loss_places::forward.weight;
    const bool first_only = node.op_type == "Dropout" || node.op_type == "Resize" ||
                            node.op_type == "Upsample" || node.op_type == "BatchNormalization" ||
                            node.op_type == "CastLike";
    return input == 0 || !first_only;
  }

  void lower(NodeId id) {
    cast_inputs(id, half_);
    // The loss itself is summed in float32, as a loss over whole scores is.
    if (graph_.node(id).op_type == linear_loss) {
      const auto wide = static_cast<std::int64_t>(ElementType::float32);
      graph_.set_attribute(id, "output_type", wide);
      ++lowered_nodes_;
    } else {
      make_half(id);
    }
  }

  void cast_inputs(NodeId id, ElementType to) {
    const ElementType from = to == half_ ? ElementType::float32 : half_;
    for (std::size_t i = 0; i < graph_.node(id).inputs.size(); ++i) {
      const ValueId input = graph_.node(id).inputs[i];
      if (to == half_ && !is_data(graph_.node(id), i)) continue;
      if (element(input) == from) graph_.set_input(id, i, cast(input, id, to));
    }
  }

  void make_half(NodeId id) {
    const Node& node = graph_.node(id);
    if (node.attributes.integer("dtype", 0) != 0) return;  // the output type is explicit
    const std::size_t outputs = node.op_type == "BatchNormalization" ? 1 : node.outputs.size();
    for (std::size_t i = 0; i < outputs; ++i) {
      if (element(node.outputs[i]) != ElementType::float32) continue;
      TensorType type = graph_.type(node.outputs[i]);
      type.element = half_;
      graph_.set_type(node.outputs[i], std::move(type));
    }
    ++lowered_nodes_;
  }

  /// Runs the node in the widest type of its inputs. Scalar constants and the biases of linear
  /// layers do not count as wide; they are cast to the narrower type.
  void follow(NodeId id) {
    bool any_half = false;
    bool any_full = false;
    for (std::size_t i = 0; i < graph_.node(id).inputs.size(); ++i) {
      const ValueId input = graph_.node(id).inputs[i];
      if (!is_data(graph_.node(id), i)) continue;
      any_half = any_half || element(input) == half_;
      any_full = any_full || (element(input) == ElementType::float32 && !adapts(id, input));
    }
    if (!any_half) return;
    if (any_full) return cast_inputs(id, ElementType::float32);
    for (std::size_t i = 0; i < graph_.node(id).inputs.size(); ++i) {
      const ValueId input = graph_.node(id).inputs[i];
      if (!is_data(graph_.node(id), i) || element(input) != ElementType::float32) continue;
      graph_.set_input(id, i, as_half(input, id));
    }
    if (graph_.node(id).op_type != "Cast" && graph_.node(id).op_type != "CastLike") make_half(id);
  }

  bool adapts(NodeId reader, ValueId input) const {
    const auto number = graph_.scalar(input);
    if (number) return is_limit(*number) || std::abs(*number) <= largest();
    const Shape* const shape = graph_.shape(input);
    return adds_bias(graph_.node(reader)) && shape != nullptr && shape->size() == 1 &&
           !graph_.maker(input).valid();
  }

  /// Masks contain the lowest float32, which becomes the lowest number of the narrower type.
  static bool is_limit(double number) { return std::abs(number) > 1e38; }
  double largest() const { return half_ == ElementType::float16 ? 65504 : 0x1.FEp127; }

  ValueId as_half(ValueId input, NodeId reader) {
    const auto number = graph_.scalar(input);
    const Shape* const shape = graph_.shape(input);
    if (!number || shape == nullptr) return cast(input, reader, half_);
    const auto [entry, is_new] = casts_.try_emplace({input, half_});
    if (is_new) {
      entry->second =
          graph_.add_constant(name_for(input, half_), half_number(*number, shape->size()));
    }
    return entry->second;
  }

  /// The number that fits the narrower type and is nearest to `number`, in a tensor of one element.
  Tensor half_number(double number, std::size_t axes) const {
    const double fitting = std::clamp(number, -largest(), largest());
    const TensorBytes item = Tensor::float_scalar(half_, fitting).load();
    return {half_, std::vector<std::int64_t>(axes, 1),
            std::string(reinterpret_cast<const char*>(item.bytes.data()), item.bytes.size())};
  }

  std::string name_for(ValueId value, ElementType to) const {
    return graph_.value(value).name + "_" + std::string(name_of(to));
  }

  /// Returns `value` as type `to`. All readers share one cast per value and type, which is inserted
  /// before the first reader.
  ValueId cast(ValueId value, NodeId reader, ElementType to) {
    const auto known = casts_.find({value, to});
    if (known != casts_.end()) return known->second;
    if (is_weight_transposed_for(value, reader)) return transposed_weight(value, reader, to);
    Node node;
    node.name = name_for(value, to);
    node.op_type = "Cast";
    node.inputs = {value};
    node.attributes = {{"to", static_cast<std::int64_t>(to)}};
    TensorType type = graph_.type(value);
    type.element = to;
    const ValueId made = graph_.insert_before(reader, std::move(node), std::move(type));
    casts_.emplace(std::pair(value, to), made);
    return made;
  }

  bool is_weight_transposed_for(ValueId value, NodeId reader) const {
    const NodeId maker = graph_.maker(value);
    return maker.valid() && graph_.node(maker).op_type == "Transpose" &&
           graph_.node(maker).domain.empty() && graph_.is_only_for(value, reader) &&
           !graph_.maker(graph_.node(maker).inputs[0]).valid();
  }

  /// Casts the weight before its transposition, so that other readers of the weight share the cast.
  ValueId transposed_weight(ValueId value, NodeId reader, ElementType to) {
    Node node = graph_.node(graph_.maker(value));
    node.inputs[0] = cast(node.inputs[0], graph_.maker(value), to);
    node.name = name_for(value, to);
    TensorType type = graph_.type(value);
    type.element = to;
    return graph_.insert_before(reader, std::move(node), std::move(type));
  }

  Rewriter& graph_;
  ElementType half_;
  std::map<std::pair<ValueId, ElementType>, ValueId> casts_;
  std::size_t lowered_nodes_ = 0;
};

}  // namespace

std::size_t mix_precision(Rewriter& graph, const PassContext& context) {
  return Precision(graph, context.selection.precision).run();
}

}  // namespace stashscope
