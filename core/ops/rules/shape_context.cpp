#include "core/ops/rules/shape_context.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/ops/rules/contents.h"

namespace stashscope {

namespace {

/// The number of terms plus the number of their factors. The terms and factors in the arguments of
/// functions count double.
std::size_t complexity(const Expr& expr) {
  std::size_t total = 0;
  for (const Term& term : expr.terms()) {
    total += 1 + term.factors.size();
    for (const Factor& each : term.factors) {
      if (!each.atom.function) continue;
      for (const Expr& argument : each.atom.function->arguments) total += 2 * complexity(argument);
    }
  }
  return total;
}

}  // namespace

ShapeContext::ShapeContext(const Node& node, std::int64_t version, std::vector<KnownInput> inputs,
                           SymbolTable& symbols, std::string output_name)
    : node_(node),
      version_(version),
      inputs_(std::move(inputs)),
      symbols_(symbols),
      outputs_(node.outputs.size()),
      output_name_(std::move(output_name)) {}

Expr ShapeContext::data_dependent_dim(std::int64_t axis, std::optional<Expr> at_most) {
  const SymbolId symbol = output_name_.empty()
                              ? symbols_.fresh()
                              : symbols_.fresh(output_name_ + "_dim" + std::to_string(axis));
  data_dependent_.push_back({symbol, std::move(at_most)});
  return Expr::symbol(symbol);
}

const TensorType& ShapeContext::type(std::size_t index) const {
  if (!has_input(index)) fail("input " + std::to_string(index) + " is missing");
  return *inputs_[index].type;
}

const Shape& ShapeContext::shape(std::size_t index) const {
  const TensorType& known = type(index);
  if (!known.shape) throw ShapeUnknown();
  return *known.shape;
}

const Expr& ShapeContext::dim(std::size_t index, std::int64_t axis) const {
  const Shape& dims = shape(index);
  const auto rank = static_cast<std::int64_t>(dims.size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) {
    fail("input " + std::to_string(index) + " has rank " + std::to_string(rank) +
         ", but the operator needs more axes");
  }
  return dims[static_cast<std::size_t>(axis)];
}

const Contents* ShapeContext::contents(std::size_t index) const {
  return has_input(index) ? inputs_[index].contents : nullptr;
}

std::optional<std::vector<std::int64_t>> ShapeContext::integers(std::size_t index) const {
  return integers_of(contents(index));
}

std::optional<std::int64_t> ShapeContext::integer(std::size_t index) const {
  const auto numbers = integers(index);
  return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
}

void ShapeContext::set_element(std::size_t output, ElementType element) {
  if (output < outputs_.size()) outputs_[output].type.element = element;
}

void ShapeContext::set_shape(std::size_t output, Shape shape) {
  for (const Expr& dim : shape) {
    const auto number = dim.integer();
    if (number && *number < 0)
      fail("output " + std::to_string(output) + " would have the negative dimension " +
           std::to_string(*number));
  }
  if (output < outputs_.size()) outputs_[output].type.shape = std::move(shape);
}

void ShapeContext::set(std::size_t output, ElementType element, Shape shape) {
  set_element(output, element);
  set_shape(output, std::move(shape));
}

void ShapeContext::set_contents(std::size_t output, Contents contents) {
  if (output >= outputs_.size() || contents.size() > max_contents) return;
  const TensorType& type = outputs_[output].type;
  const auto count = element_count(type);
  if (!count || *count != Expr(std::ssize(contents))) return;
  for (Expr& item : contents) {
    const auto stored = stored_item(item, type.element);
    if (!stored) return;
    item = *stored;
  }
  outputs_[output].contents = std::make_shared<const Contents>(std::move(contents));
}

void ShapeContext::set_like_input(std::size_t output, std::size_t input) {
  set_element(output, element(input));
  set_shape(output, shape(input));
}

Expr ShapeContext::same_dim(const Expr& a, const Expr& b, const char* what) {
  if (a == b) return a;
  if (a.integer() && b.integer()) {
    fail(std::string(what) + " differ: " + text(a) + " and " + text(b));
  }
  equalities_.push_back({a, b});
  if (a.is_constant()) return a;
  if (b.is_constant()) return b;
  return complexity(a) <= complexity(b) ? a : b;
}

Expr ShapeContext::broadcast_dim(const Expr& a, const Expr& b) {
  if (a == b || b.is(1)) return a;
  if (a.is(1)) return b;
  if (a.integer() && b.integer()) {
    fail("cannot broadcast dimensions " + text(a) + " and " + text(b));
  }
  // A symbolic dim that is broadcast with a number is 1 or that number. In both cases the result is
  // the number.
  if (a.integer()) return a;
  if (b.integer()) return b;
  return same_dim(a, b, "broadcast dimensions");
}

void ShapeContext::require_dim(const Expr& a, const Expr& b, const char* what) const {
  if (a.integer() && b.integer() && a != b) {
    fail(std::string(what) + " differ: " + text(a) + " and " + text(b));
  }
}

void ShapeContext::require_length(std::size_t input, const Expr& size, const char* what) const {
  if (!has_shape(input)) return;
  if (rank(input) != 1)
    fail("input " + std::to_string(input) + " must have one axis; otherwise " + what +
         " cannot be compared");
  require_dim(dim(input, 0), size, what);
}

void ShapeContext::require_shape(std::size_t input, const Shape& wanted) const {
  if (!has_shape(input)) return;
  const Shape& found = shape(input);
  bool fits = found.size() == wanted.size();
  for (std::size_t i = 0; fits && i < found.size(); ++i) {
    fits = !found[i].integer() || !wanted[i].integer() || found[i] == wanted[i];
  }
  if (!fits) {
    fail("input " + std::to_string(input) + " has shape " + text(found) +
         ", but the other operands "
         "need " +
         text(wanted));
  }
}

void ShapeContext::require_broadcastable(std::size_t input, const Shape& to) const {
  if (!has_shape(input)) return;
  const Shape& from = shape(input);
  bool fits = from.size() <= to.size();
  for (std::size_t i = 0; fits && i < from.size(); ++i) {
    const Expr& dim = from[from.size() - 1 - i];
    const Expr& wanted = to[to.size() - 1 - i];
    fits = dim.is(1) || !dim.integer() || !wanted.integer() || dim == wanted;
  }
  if (!fits) {
    fail("input " + std::to_string(input) + " of shape " + text(from) + " does not broadcast to " +
         text(to));
  }
}

Shape ShapeContext::broadcast(const Shape& a, const Shape& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  Shape result(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const bool in_a = i + a.size() >= rank;
    const bool in_b = i + b.size() >= rank;
    const Expr left = in_a ? a[i + a.size() - rank] : Expr(1);
    const Expr right = in_b ? b[i + b.size() - rank] : Expr(1);
    result[i] = broadcast_dim(left, right);
  }
  return result;
}

void ShapeContext::require_same_element(std::size_t a, std::size_t b) const {
  const ElementType left = element(a);
  const ElementType right = element(b);
  if (left == ElementType::undefined || right == ElementType::undefined || left == right) return;
  fail("inputs " + std::to_string(a) + " and " + std::to_string(b) + " have different types, " +
       std::string(name_of(left)) + " and " + std::string(name_of(right)));
}

std::int64_t ShapeContext::axis(std::int64_t axis, std::int64_t rank) const {
  const std::int64_t wrapped = axis < 0 ? axis + rank : axis;
  if (wrapped < 0 || wrapped >= rank) {
    fail("axis " + std::to_string(axis) + " is outside of rank " + std::to_string(rank));
  }
  return wrapped;
}

bool ShapeContext::is_unknown(const Expr& size) const {
  const std::vector<SymbolId> used = size.symbols();
  return std::any_of(used.begin(), used.end(), [&](SymbolId id) { return symbols_.is_fresh(id); });
}

void ShapeContext::fail(const std::string& what) const { fail_input("", what); }

void ShapeContext::leave_to_declaration(std::string warning) {
  warnings_.push_back(std::move(warning));
  throw ShapeUnknown();
}

std::string ShapeContext::text(const Shape& shape) const {
  constexpr std::size_t most_shown = 8;
  std::string result = "[";
  for (std::size_t i = 0; i < std::min(shape.size(), most_shown); ++i) {
    result += (i > 0 ? ", " : "") + text(shape[i]);
  }
  if (shape.size() > most_shown) result += ", ... of " + std::to_string(shape.size()) + " axes";
  return result + "]";
}

}  // namespace stashscope
