// Sums of products, written as an equation of axes.

#include "core/ops/families/einsum.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/base/error.h"
#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

constexpr std::string_view ellipsis = "...";

[[noreturn]] void fail_equation(const std::string& equation, const std::string& what) {
  fail_input("", "the equation '" + printable(equation) + "' " + what);
}

/// The characters that stand for the `count` axes of an ellipsis: the character with code 1 for the
/// last axis, code 2 for the axis before, and so on. Thus operands whose ellipses have different
/// numbers of axes are aligned at the last axis.
std::string ellipsis_axes(std::size_t count) {
  std::string names;
  for (std::size_t i = count; i > 0; --i) names += static_cast<char>(i);
  return names;
}

std::string with_ellipsis(std::string term, std::size_t count) {
  const std::size_t at = term.find(ellipsis);
  return at == std::string::npos ? term : term.replace(at, ellipsis.size(), ellipsis_axes(count));
}

std::vector<std::string> split_operands(const std::string& text) {
  std::vector<std::string> terms(1);
  for (const char letter : text) {
    if (letter == ',') {
      terms.emplace_back();
    } else {
      terms.back() += letter;
    }
  }
  return terms;
}

/// The number of axes of an operand that its ellipsis covers.
std::size_t axes_under_ellipsis(const std::string& equation, const std::string& term,
                                std::size_t rank) {
  const bool has_ellipsis = term.find(ellipsis) != std::string::npos;
  const std::size_t letters = term.size() - (has_ellipsis ? ellipsis.size() : 0);
  if (letters > rank || (!has_ellipsis && letters != rank)) {
    fail_equation(equation, "does not match the ranks of its operands");
  }
  return rank - letters;
}

/// The implicit result: the axes under an ellipsis, then the letters that occur once, in
/// alphabetical order.
std::string implicit_result(const std::vector<std::string>& operands, std::size_t under_ellipsis) {
  std::map<char, int> uses;
  for (const std::string& operand : operands) {
    for (const char letter : operand) ++uses[letter];
  }
  std::string result = ellipsis_axes(under_ellipsis);
  for (const auto& [letter, count] : uses) {
    if (count == 1 && result.find(letter) == std::string::npos) result += letter;
  }
  return result;
}

/// The size of the axis that each letter names.
std::map<char, Expr> sizes_by_letter(ShapeContext& context, const EinsumEquation& equation) {
  std::map<char, Expr> sizes;
  for (std::size_t i = 0; i < equation.operands.size(); ++i) {
    const std::string& letters = equation.operands[i];
    for (std::size_t axis = 0; axis < letters.size(); ++axis) {
      const Expr& dim = context.shape(i)[axis];
      const auto [entry, is_new] = sizes.try_emplace(letters[axis], dim);
      if (!is_new) entry->second = context.broadcast_dim(entry->second, dim);
    }
  }
  return sizes;
}

void infer_einsum(ShapeContext& context) {
  context.set_element(0, context.element(0));
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    ranks.push_back(context.shape(i).size());
  }
  const EinsumEquation equation = read_einsum(context.attributes(), ranks);
  const std::map<char, Expr> sizes = sizes_by_letter(context, equation);
  Shape shape;
  for (const char letter : equation.result) {
    const auto size = sizes.find(letter);
    if (size == sizes.end()) context.fail("the equation's output has a letter that no input has");
    shape.push_back(size->second);
  }
  context.set_shape(0, std::move(shape));
}

bool contains_all(const std::string& letters, const std::string& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](char each) { return letters.find(each) != std::string::npos; });
}

bool repeats_a_letter(std::string letters) {
  std::sort(letters.begin(), letters.end());
  return std::adjacent_find(letters.begin(), letters.end()) != letters.end();
}

/// Whether the gradient of operand i needs a sum or a repetition that an Einsum of the other
/// operand does not make: an axis of the operand has size 1 and is broadcast, or is summed with an
/// axis of size 1 of the other operand.
/// @pre the node has two operands
bool is_broadcast(const GradientContext& g, const EinsumEquation& equation, std::size_t i) {
  const std::string& own = equation.operands[i];
  const std::string& other = equation.operands[1 - i];
  const Shape& own_shape = g.shape(g.input(i));
  const Shape& other_shape = g.shape(g.input(1 - i));
  for (std::size_t axis = 0; axis < own.size(); ++axis) {
    const std::size_t place = other.find(own[axis]);
    if (place == std::string::npos || own_shape[axis] == other_shape[place]) continue;
    const bool is_summed = equation.result.find(own[axis]) == std::string::npos;
    if (own_shape[axis].is(1) || (is_summed && other_shape[place].is(1))) return true;
  }
  return false;
}

/// For C = einsum(A, B -> C): dA = einsum(dC, B -> A), dB = einsum(dC, A -> B).
void einsum_gradient(GradientContext& g) {
  const std::string text = g.attributes().text("equation", "");
  std::vector<std::size_t> ranks;
  for (const ValueId input : g.node().inputs) ranks.push_back(g.shape(input).size());
  const EinsumEquation equation = read_einsum(g.attributes(), ranks);
  if (ranks.size() > 2 || text.find(ellipsis) != std::string::npos) {
    fail_gradient("Einsum of more than two operands or with '...' has no gradient rule");
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!g.wants(i)) continue;
    if (ranks.size() == 2 && is_broadcast(g, equation, i)) {
      fail_gradient("Einsum has no gradient rule for an axis of size 1 that is broadcast");
    }
    const std::string& own = equation.operands[i];
    const std::string other = ranks.size() == 2 ? equation.operands[1 - i] : "";
    if (repeats_a_letter(own) || !contains_all(equation.result + other, own)) {
      fail_gradient(
          "Einsum has no gradient rule for a letter that occurs twice in an operand, or that "
          "neither the other operand nor the result contains");
    }
    std::vector<ValueId> inputs = {g.gradient()};
    std::string terms = equation.result;
    if (ranks.size() == 2) {
      inputs.push_back(g.input(1 - i));
      terms += "," + other;
    }
    terms += "->";
    terms += own;
    g.give(i, g.add("Einsum", std::move(inputs), {{"equation", terms}}));
  }
}

std::optional<EinsumEquation> fitting_equation(const CostContext& cost) {
  std::vector<std::size_t> ranks;
  for (const auto& dims : cost.inputs) ranks.push_back(dims.size());
  try {
    return read_einsum(cost.node.attributes, ranks);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// A multiplication and an addition for each combination of positions along all axes. 0 if the
/// equation does not match the shapes, which happens if shapes are unknown.
double einsum_flops(const CostContext& cost) {
  const auto equation = fitting_equation(cost);
  if (!equation) return 0;
  std::map<char, std::int64_t> sizes;
  for (std::size_t i = 0; i < cost.inputs.size(); ++i) {
    for (std::size_t axis = 0; axis < cost.inputs[i].size(); ++axis) {
      std::int64_t& size = sizes[equation->operands[i][axis]];
      size = std::max(size, cost.inputs[i][axis]);
    }
  }
  double combinations = 1;
  for (const auto& [letter, size] : sizes) combinations *= static_cast<double>(size);
  return 2 * combinations;
}

}  // namespace

EinsumEquation read_einsum(const Attributes& attributes, const std::vector<std::size_t>& ranks) {
  std::string text = attributes.text("equation", "");
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  EinsumEquation equation{split_operands(text.substr(0, arrow)), ""};
  if (equation.operands.size() != ranks.size()) {
    fail_equation(text, "has a different number of operands than the node");
  }
  std::size_t most = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    std::string& operand = equation.operands[i];
    const std::size_t under_ellipsis = axes_under_ellipsis(text, operand, ranks[i]);
    most = std::max(most, under_ellipsis);
    operand = with_ellipsis(std::move(operand), under_ellipsis);
  }
  equation.result = arrow == std::string::npos ? implicit_result(equation.operands, most)
                                               : with_ellipsis(text.substr(arrow + 2), most);
  return equation;
}

void add_einsum_ops(OpRegistry& registry) {
  registry.add({.type = "Einsum",
                .versions = {12},
                .operands = "inputs+:number=inputs -> output",
                .infer = infer_einsum,
                .gradient = einsum_gradient,
                .flops = einsum_flops,
                .unit = ComputeUnit::matrix,
                .recompute = RecomputeLevel::basic,
                .recompute_rules = {{{12}, {}}}});
}

}  // namespace stashscope
