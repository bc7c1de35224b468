#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/ops/rules/operands.h"

namespace stashscope {

class ShapeContext;
class GradientContext;

/// Concrete dims and bytes of the inputs and outputs of one node; an omitted optional input has no
/// dims and 0 bytes.
struct CostContext {
  const Node& node;
  std::span<const std::vector<std::int64_t>> inputs;
  std::span<const std::vector<std::int64_t>> outputs;
  std::span<const std::int64_t> input_bytes = {};
  std::span<const std::int64_t> output_bytes = {};
  /// Floating-point operations that a capture counted. Nothing if there is no count; then the
  /// operator's rule counts the operations.
  std::optional<double> counted_flops = {};

  /// Empty for an input that the node does not have.
  const std::vector<std::int64_t>& input_dims(std::size_t index) const;
  /// 0 for an input (output) that the node does not have.
  double input_elements(std::size_t index) const;
  double output_elements(std::size_t index = 0) const;
  double bytes_of_input(std::size_t index) const;
  double bytes_of_output(std::size_t index = 0) const;
};

/// The unit of a device that does an operator's work. Traffic to the device's memory is counted
/// separately.
enum class ComputeUnit : std::uint8_t {
  vector,  ///< vector units, for all work that the units below do not do
  matrix,  ///< matrix multiplication units; the vector units if the device has none
  link,    ///< the link to the host
};

/// The lowest level of --probe at which ONNX Runtime's memory optimizer recomputes an operator.
enum class RecomputeLevel { never, basic, advanced };

/// One row of the memory optimizer's table of recomputable operators: the since-versions that the
/// row covers, and the inputs that the search for a recompute subgraph does not follow.
struct RecomputeRule {
  std::vector<std::int64_t> versions;
  std::vector<std::size_t> ignored_inputs;
  bool is_late = false;  ///< the row exists in ONNX Runtime 1.19.2, but not in the version of
                         ///< 2023-11
};

/// Output `output` may reuse the buffer of input `input` if the input's lifetime ends at the node
/// and both have the same type and dims.
struct InPlace {
  std::size_t input;
  std::size_t output;
};

/// Everything that the analysis knows about an operator. The runners register their kernels for the
/// operator under the same domain and type.
struct Op {
  std::string domain = {};  ///< "" for ai.onnx
  std::string type = {};
  std::vector<std::int64_t> versions = {};  ///< since-versions, ascending
  Operands operands = {};                   ///< checked before the shape rule `infer` runs
  /// Sets the types (and known contents) of all outputs; null: the model's declared types are used.
  void (*infer)(ShapeContext&) = nullptr;
  /// Whether no gradient flows through the operator, because its outputs have no derivative with
  /// respect to its inputs (shapes, comparisons).
  bool stops_gradients = false;
  /// Builds the gradients of the inputs; null: no rule is known.
  void (*gradient)(GradientContext&) = nullptr;
  /// Floating-point operations; null: one per element of output 0.
  double (*flops)(const CostContext&) = nullptr;
  /// Bytes read and written in the device's memory or, for unit `link`, copied over the link; null:
  /// every input and output once.
  double (*bytes)(const CostContext&) = nullptr;
  ComputeUnit unit = ComputeUnit::vector;
  /// The input whose buffer an output always shares; nothing when there is none.
  std::optional<std::size_t> (*alias)(const Graph&, const Node&, std::size_t output) = nullptr;
  /// Whether an output that shares its input's buffer is a view, which costs nothing.
  bool alias_is_view = true;
  std::vector<InPlace> in_place = {};
  /// Whether ONNX Runtime's CPU kernel writes output 0 into the buffer of input 0 if both have the
  /// same type and nothing else reads the input. Set only for operators with recompute rules.
  bool reference_in_place = false;
  RecomputeLevel recompute = RecomputeLevel::never;
  std::vector<RecomputeRule> recompute_rules = {};
  /// Whether the node looks up rows of input 0, a table such as that of an embedding; null: it does
  /// not.
  bool (*looks_up_rows)(const Graph&, const Node&) = nullptr;
  bool random = false;          ///< draws random numbers, so a clone needs the original's seed
  bool output_on_host = false;  ///< its outputs take no device memory
  /// Whether the operator is a gradient operator whose result hardly changes if the stashed
  /// activations that it reads are stored in 8 bits. Set for the gradients of activation
  /// functions such as Gelu, because their derivatives depend little on the low digits.
  bool tolerates_float8 = false;
};

constexpr const char* any_type = "*";

/// Operators by domain and type; filled once at program start.
class OpRegistry {
 public:
  void add(Op op);
  /// Adds an operator that occurs only in captured steps; no runner runs it. An entry with type
  /// `any_type` and domain `d` stands for every operator of the domain `d` or a domain `d.x`,
  /// unless the operator has an entry of its own.
  void add_captured(Op op);
  /// Null for an unknown operator.
  const Op* find(std::string_view domain, std::string_view type) const;
  const Op* find(const Node& node) const { return find(node.domain, node.op_type); }
  std::size_t size() const { return ops_.size(); }
  /// All operators except those added by `add_captured`, with keys made of domain and type, in no
  /// particular order.
  const std::unordered_map<std::string, Op>& all() const { return ops_; }

 private:
  std::unordered_map<std::string, Op> ops_;
  std::unordered_map<std::string, Op> captured_;
};

/// The floating-point operations of a node by the operator's rule, or by the default of
/// `Op::flops`.
/// @param op null for an unknown operator
double flops_of(const Op* op, const CostContext& cost);

/// The bytes that a node moves by the operator's rule, or by the default of `Op::bytes`.
/// @param op null for an unknown operator
double bytes_moved(const Op* op, const CostContext& cost);

/// The since-version of `op` that applies at `opset`; 1 if all since-versions are above `opset`.
std::int64_t since_version(const Op& op, std::int64_t opset);

}  // namespace stashscope
