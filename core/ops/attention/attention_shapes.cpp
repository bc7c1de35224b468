#include "core/ops/attention/attention_shapes.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/error.h"

namespace stashscope {

namespace {

struct NamedStep {
  std::string_view name;
  ScoreStepKind kind;
  std::size_t operands;
};

constexpr std::array named_steps = {
    NamedStep{"Mul", ScoreStepKind::multiply, 1},
    NamedStep{"Div", ScoreStepKind::divide, 1},
    NamedStep{"Add", ScoreStepKind::add, 1},
    NamedStep{"Sub", ScoreStepKind::subtract, 1},
    NamedStep{"Where", ScoreStepKind::where, 2},
    NamedStep{"WhereNot", ScoreStepKind::where_not, 2},
    NamedStep{"Tanh", ScoreStepKind::tanh, 0},
    NamedStep{"Reshape", ScoreStepKind::reshape, 1},
};

const NamedStep& step_called(const std::string& name) {
  const auto found = std::ranges::find(named_steps, name, &NamedStep::name);
  if (found != named_steps.end()) return *found;
  fail_input("", "attribute 'steps' has the unknown step '" + printable(name) + "'",
             "The steps are Mul, Div, Add, Sub, Where, WhereNot, Tanh and Reshape.");
}

Shape leading_of(const Shape& shape) { return {shape.begin(), shape.end() - 2}; }

/// The size of an axis along which two operands broadcast. A symbolic size beside a number is 1 or
/// that number, so the result is the number. The number of query heads may also be a multiple of
/// the other number of heads, so a symbolic number of query heads stays.
const Expr& joint_dim(const Expr& queries, const Expr& other, bool counts_heads) {
  if (queries.is(1)) return other;
  if (other.is(1) || counts_heads || queries.integer() || !other.integer()) return queries;
  return other;
}

Shape joint_leading(const Shape& queries, const Shape& other) {
  Shape joint(std::max(queries.size(), other.size()), Expr(1));
  std::copy(queries.begin(), queries.end(), joint.end() - std::ssize(queries));
  for (std::size_t i = 0; i < other.size(); ++i) {
    Expr& dim = joint[joint.size() - 1 - i];
    dim = joint_dim(dim, other[other.size() - 1 - i], i == 0);
  }
  return joint;
}

Shape with_axes(Shape leading, const Expr& last_but_one, const Expr& last) {
  leading.push_back(last_but_one);
  leading.push_back(last);
  return leading;
}

Expr product_of(const Shape& shape) {
  Expr product = 1;
  for (const Expr& dim : shape) product = product * dim;
  return product;
}

}  // namespace

std::vector<ScoreStep> read_score_steps(const Attributes& attributes) {
  std::vector<ScoreStep> steps;
  for (const std::string& name : attributes.texts("steps")) {
    const NamedStep& named = step_called(name);
    steps.push_back({named.kind, operand_count(steps), named.operands, named.name});
  }
  return steps;
}

std::size_t operand_count(const std::vector<ScoreStep>& steps) {
  return steps.empty() ? 0 : steps.back().first_operand + steps.back().operands;
}

Shape AttentionShapes::scores() const { return with_axes(score_leading, rows(), keys()); }

Shape AttentionShapes::result() const { return with_axes(result_leading, rows(), value_size()); }

Shape AttentionShapes::log_sum_exp(bool is_padded) const {
  constexpr std::int64_t multiple = 32;
  Shape shape = score_leading;
  shape.push_back(is_padded ? ceil_divide(rows(), multiple) * Expr(multiple) : rows());
  return shape;
}

Shape AttentionShapes::log_sum_exp(const Attributes& attributes) const {
  return log_sum_exp(attributes.text("form", "flash") == "efficient");
}

AttentionShapes attention_shapes(const Attributes& attributes, const Shape& query, const Shape& key,
                                 const Shape& value) {
  AttentionShapes shapes = {permuted(attributes, "query_perm", query),
                            permuted(attributes, "key_perm", key),
                            permuted(attributes, "value_perm", value),
                            {},
                            {}};
  shapes.score_leading = joint_leading(leading_of(shapes.query), leading_of(shapes.key));
  shapes.result_leading = joint_leading(shapes.score_leading, leading_of(shapes.value));
  return shapes;
}

Shape permuted(const Attributes& attributes, std::string_view name, const Shape& shape) {
  Shape result;
  for (const std::int64_t axis : permutation(attributes, name, shape.size())) {
    result.push_back(shape[static_cast<std::size_t>(axis)]);
  }
  return result;
}

Integers permutation(const Attributes& attributes, std::string_view name, std::size_t rank) {
  Integers axes(rank);
  for (std::size_t i = 0; i < rank; ++i) axes[i] = static_cast<std::int64_t>(i);
  if (!attributes.has(name)) return axes;
  Integers given = attributes.integers(name);
  if (!std::is_permutation(given.begin(), given.end(), axes.begin(), axes.end())) {
    fail_input("",
               "attribute '" + std::string(name) + "' does not list each of " +
                   std::to_string(rank) + " axes once",
               "Count the axes from 0.");
  }
  return given;
}

std::optional<Shape> reshaped_scores(const Shape& scores, const std::vector<Expr>& target) {
  Shape shape;
  std::optional<std::size_t> free;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const bool is_free = target[i].is(-1);
    if ((is_free && free) || (target[i].is(0) && i >= scores.size())) return std::nullopt;
    if (is_free) free = i;
    shape.push_back(is_free ? Expr(1) : target[i].is(0) ? scores[i] : target[i]);
  }
  const Expr others = product_of(shape);
  if (free && !others.is(0)) shape[*free] = floor_divide(product_of(scores), others);
  return shape;
}

}  // namespace stashscope
