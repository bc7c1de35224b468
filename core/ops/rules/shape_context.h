#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// The elements of a tensor where they are known, row-major.
using Contents = std::vector<Expr>;

/// Tensors with more elements than this are not followed by value.
constexpr std::size_t max_contents = 128;

/// One input as a shape rule sees it; what it points to belongs to the caller.
struct KnownInput {
  const TensorType* type = nullptr;    ///< null: the optional input is left out
  const Contents* contents = nullptr;  ///< null: not known
};

/// One output as a shape rule leaves it.
struct InferredOutput {
  TensorType type;
  std::shared_ptr<const Contents> contents;
};

/// Thrown by ShapeContext getters when a rule needs a shape that is not known; the caller then
/// leaves the outputs' shapes unknown.
struct ShapeUnknown {};

/// Two sizes that must be equal for the model to make sense.
struct Equality {
  Expr a;
  Expr b;
};

/// What a shape rule reads and writes. The same rules serve the analysis (symbolic dims) and the
/// runners (all dims and contents are numbers).
class ShapeContext {
 public:
  /// @param version since-version of the node's operator
  /// @param symbols where unknown dims get their names
  /// @param output_name of the first output, for the names of sizes that depend on data; empty:
  /// they are numbered
  ShapeContext(const Node& node, std::int64_t version, std::vector<KnownInput> inputs,
               SymbolTable& symbols, std::string output_name = {});

  const Node& node() const { return node_; }
  const Attributes& attributes() const { return node_.attributes; }
  std::int64_t version() const { return version_; }

  std::size_t input_count() const { return inputs_.size(); }
  std::size_t output_count() const { return node_.outputs.size(); }
  bool has_input(std::size_t index) const {
    return index < inputs_.size() && inputs_[index].type != nullptr;
  }
  bool has_output(std::size_t index) const {
    return index < node_.outputs.size() && node_.outputs[index].valid();
  }

  /// Throws an input Error when the (required) input is left out.
  const TensorType& type(std::size_t index) const;
  ElementType element(std::size_t index) const { return type(index).element; }
  const Shape& shape(std::size_t index) const;  ///< throws ShapeUnknown
  std::int64_t rank(std::size_t index) const {
    return static_cast<std::int64_t>(shape(index).size());
  }
  const Expr& dim(std::size_t index, std::int64_t axis) const;
  bool has_shape(std::size_t index) const { return has_input(index) && type(index).shape; }
  /// Null when the input is left out or its elements are not known.
  const Contents* contents(std::size_t index) const;
  /// The elements as numbers; nothing when one of them is not.
  std::optional<std::vector<std::int64_t>> integers(std::size_t index) const;
  std::optional<std::int64_t> integer(std::size_t index) const;

  void set_element(std::size_t output, ElementType element);
  void set_shape(std::size_t output, Shape shape);
  void set(std::size_t output, ElementType element, Shape shape);
  /// Elements of an output whose type and shape are set, as its type rounds them. Ignored when
  /// there are more than `max_contents`, not as many as the shape says, or some that do not fit the
  /// type.
  void set_contents(std::size_t output, Contents contents);
  /// Output 0 is like input 0, element type and shape.
  void set_like_input(std::size_t output, std::size_t input);

  Expr unknown_dim() { return Expr::symbol(symbols_.fresh()); }
  /// A size of the outputs that only the data tells. @param axis names it, within the node
  Expr data_dependent_dim(std::int64_t axis, std::optional<Expr> at_most);
  /// Whether a size is made from one that neither the model names nor a rule could tell.
  bool is_unknown(const Expr& size) const;
  /// Notes that `a` and `b` must be equal and returns the simpler one; numbers that differ are an
  /// Error.
  Expr same_dim(const Expr& a, const Expr& b, const char* what);
  /// Multidirectional broadcasting. (ONNX, Broadcasting.md)
  Expr broadcast_dim(const Expr& a, const Expr& b);
  Shape broadcast(const Shape& a, const Shape& b);
  /// Numbers that differ are an Error; what has a name is left to the run, which knows all dims.
  void require_dim(const Expr& a, const Expr& b, const char* what) const;
  /// The same of an input, if it is there, with one axis.
  void require_length(std::size_t input, const Expr& size, const char* what) const;
  /// Unidirectional broadcasting of an input that may be left out. (ONNX, Broadcasting.md)
  void require_broadcastable(std::size_t input, const Shape& to) const;

  /// Element types of the inputs must agree.
  void require_same_element(std::size_t a, std::size_t b) const;
  /// `axis` in [0, rank), counting negative ones from the end; an Error outside.
  std::int64_t axis(std::int64_t axis, std::int64_t rank) const;
  [[noreturn]] void fail(const std::string& what) const;
  /// For what is wrong but has an answer elsewhere: the user is told, and the shape stays unknown
  /// unless the model declares it.
  [[noreturn]] void leave_to_declaration(std::string warning);
  const std::vector<std::string>& warnings() const { return warnings_; }
  std::string text(const Expr& expr) const { return to_string(expr, symbols_); }
  std::string text(const Shape& shape) const;

  std::vector<InferredOutput>& outputs() { return outputs_; }
  const std::vector<Equality>& equalities() const { return equalities_; }
  const std::vector<DataDependentDim>& data_dependent() const { return data_dependent_; }

 private:
  const Node& node_;
  std::int64_t version_;
  std::vector<KnownInput> inputs_;
  SymbolTable& symbols_;
  std::vector<InferredOutput> outputs_;
  std::vector<Equality> equalities_;
  std::vector<DataDependentDim> data_dependent_;
  std::string output_name_;
  std::vector<std::string> warnings_;
};

}  // namespace stashscope
