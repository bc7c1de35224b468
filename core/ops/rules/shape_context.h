#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// The known elements of a tensor, row-major.
using Contents = std::vector<Expr>;

/// The elements of a tensor are tracked only if there are at most this many.
constexpr std::size_t max_contents = 128;

/// One input of a shape rule; the caller owns the type and the contents.
struct KnownInput {
  const TensorType* type = nullptr;    ///< null: an omitted optional input
  const Contents* contents = nullptr;  ///< null: not known
};

/// One output of a shape rule.
struct InferredOutput {
  TensorType type;
  std::shared_ptr<const Contents> contents;
};

/// Thrown by getters of ShapeContext and by shape rules if a shape is not known. Shape inference
/// then keeps what the rule has set so far; all other outputs keep the shapes that the model
/// declares.
struct ShapeUnknown {};

/// Two sizes that must be equal for the model to be valid.
struct Equality {
  Expr a;
  Expr b;
};

/// The interface of a shape rule. The same rules serve the analysis (symbolic dims) and the runners
/// (all dims and contents are numbers).
class ShapeContext {
 public:
  /// @param version since-version of the node's operator
  /// @param symbols receives the symbols of unknown dims
  /// @param output_name name of the first output, used in the names of data-dependent sizes; empty:
  /// these sizes are numbered
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

  /// Throws an input Error when the (required) input is omitted.
  const TensorType& type(std::size_t index) const;
  ElementType element(std::size_t index) const { return type(index).element; }
  const Shape& shape(std::size_t index) const;  ///< throws ShapeUnknown if the rank is not known
  std::int64_t rank(std::size_t index) const {
    return static_cast<std::int64_t>(shape(index).size());
  }
  const Expr& dim(std::size_t index, std::int64_t axis) const;
  bool has_shape(std::size_t index) const { return has_input(index) && type(index).shape; }
  /// Null when the input is omitted or its elements are not known.
  const Contents* contents(std::size_t index) const;
  /// The elements as integers; nothing if an element is not known or not an integer.
  std::optional<std::vector<std::int64_t>> integers(std::size_t index) const;
  std::optional<std::int64_t> integer(std::size_t index) const;

  void set_element(std::size_t output, ElementType element);
  void set_shape(std::size_t output, Shape shape);
  void set(std::size_t output, ElementType element, Shape shape);
  /// Sets the elements of an output, rounded to its type. Call this function after the type and the
  /// shape are set. Does nothing if there are more than `max_contents` elements, if the output's
  /// shape has another number of elements, or if an element does not fit the type.
  void set_contents(std::size_t output, Contents contents);
  /// Gives an output the element type and shape of an input.
  void set_like_input(std::size_t output, std::size_t input);

  Expr unknown_dim() { return Expr::symbol(symbols_.fresh()); }
  /// A new symbol for a size of the outputs that depends on the data.
  /// @param axis distinguishes the sizes of the node
  /// @param at_most an upper bound of the size, if known
  Expr data_dependent_dim(std::int64_t axis, std::optional<Expr> at_most);
  /// Whether a size contains a fresh symbol: one that a rule made up for an unknown or
  /// data-dependent size.
  bool is_unknown(const Expr& size) const;
  /// Records that `a` and `b` must be equal and returns the simpler of the two expressions. Throws
  /// an input Error if they are different numbers.
  /// @param what names the two sizes in that Error
  Expr same_dim(const Expr& a, const Expr& b, const char* what);
  /// Multidirectional broadcasting. (ONNX, Broadcasting.md)
  Expr broadcast_dim(const Expr& a, const Expr& b);
  Shape broadcast(const Shape& a, const Shape& b);
  /// Throws an input Error if `a` and `b` are different numbers. Symbolic sizes pass; a run, which
  /// knows all dims, checks them.
  void require_dim(const Expr& a, const Expr& b, const char* what) const;
  /// Requires an input to have one axis of `size`. An omitted input, an unknown shape and symbolic
  /// sizes pass.
  void require_length(std::size_t input, const Expr& size, const char* what) const;
  /// Requires an input to have this shape. An omitted input, an unknown shape and symbolic sizes
  /// pass.
  void require_shape(std::size_t input, const Shape& wanted) const;
  /// Requires two inputs to have equal shapes. Omitted inputs, unknown shapes and symbolic sizes
  /// pass.
  void require_same_shape(std::size_t a, std::size_t b) const {
    if (has_shape(a)) require_shape(b, shape(a));
  }
  /// Requires an input to be unidirectionally broadcastable to `to`. An omitted input, an unknown
  /// shape and symbolic sizes pass. (ONNX, Broadcasting.md)
  void require_broadcastable(std::size_t input, const Shape& to) const;

  /// Requires two inputs to have the same element type.
  void require_same_element(std::size_t a, std::size_t b) const;
  /// Returns the axis in [0, rank); a negative `axis` counts from the end. Throws an input Error
  /// for an axis outside of [-rank, rank).
  std::int64_t axis(std::int64_t axis, std::int64_t rank) const;
  [[noreturn]] void fail(const std::string& what) const;
  /// Warns the user of a fault and throws ShapeUnknown, so that the model's declared shape is used.
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
