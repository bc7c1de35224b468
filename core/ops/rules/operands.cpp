#include "core/ops/rules/operands.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/ops/rules/op.h"
#include "core/ops/rules/shape_context.h"

namespace stashscope {

namespace {

constexpr std::uint32_t bit(ElementType type) { return 1U << static_cast<unsigned>(type); }

template <class... Types>
constexpr std::uint32_t bits(Types... types) {
  return (bit(types) | ...);
}

struct TypeGroup {
  std::string_view name;
  std::uint32_t types;
  std::string_view words;
};

constexpr std::uint32_t floats =
    bits(ElementType::float16, ElementType::bfloat16, ElementType::float32, ElementType::float64);
constexpr std::uint32_t integers =
    bits(ElementType::int8, ElementType::int16, ElementType::int32, ElementType::int64,
         ElementType::uint8, ElementType::uint16, ElementType::uint32, ElementType::uint64);

constexpr std::uint32_t small_floats = bits(ElementType::float8e4m3fn, ElementType::float8e4m3fnuz,
                                            ElementType::float8e5m2, ElementType::float8e5m2fnuz);

constexpr TypeGroup type_groups[] = {
    {"float8", small_floats, "floating-point numbers of 8 bits"},
    {"float", floats, "floating-point numbers of 16 to 64 bits"},
    {"integer", integers, "integers of 8 to 64 bits"},
    {"number", floats | integers,
     "integers of 8 to 64 bits or floating-point numbers of 16 to 64 bits"},
    {"index", bits(ElementType::int32, ElementType::int64), "int32 or int64"},
};

[[noreturn]] void fail_text(std::string_view text, const char* what) {
  throw std::invalid_argument("operands '" + std::string(text) + "': " + what);
}

void add_type(Operand& operand, std::string_view name) {
  const auto group = std::ranges::find(type_groups, name, &TypeGroup::name);
  std::string_view words = name;
  if (name == "value") {
    operand.may_be_sequence = true;
    return;
  }
  if (group != std::end(type_groups)) {
    operand.types |= group->types;
    words = group->words;
  } else {
    int number = 1;
    while (is_known_element_type(number) && name_of(static_cast<ElementType>(number)) != name) {
      ++number;
    }
    if (!is_known_element_type(number)) fail_text(name, "is no element type");
    operand.types |= bit(static_cast<ElementType>(number));
  }
  operand.types_text += (operand.types_text.empty() ? "" : " or ") + std::string(words);
}

/// Returns the part of `text` before the first character that is in `ends`. Removes this part from
/// `text`.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::string_view taken = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(taken.size());
  return taken;
}

std::size_t rank_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) fail_text(text, "is no rank");
  return number;
}

void read_ranks(Operand& operand, std::string_view text) {
  const std::size_t dots = text.find("..");
  operand.least_rank = rank_number(text.substr(0, dots));
  if (dots == std::string_view::npos) {
    operand.most_rank = operand.least_rank;
  } else if (dots + 2 < text.size()) {
    operand.most_rank = rank_number(text.substr(dots + 2));
  }
}

/// @param earlier the operands before this one; `=` may refer to one of them, or to this operand
Operand read_operand(std::string_view text, const std::vector<Operand>& earlier) {
  Operand operand;
  std::string_view rest = text;
  operand.name = take_until(rest, "?+*:=[");
  if (operand.name.empty()) fail_text(text, "has no name");
  while (!rest.empty()) {
    const char mark = rest.front();
    rest.remove_prefix(1);
    if (mark == '?' && operand.repeats()) {
      operand.may_lack_names = true;
    } else if (mark == '?') {
      operand.count = Operand::Count::optional;
    }
    if (mark == '+') operand.count = Operand::Count::some;
    if (mark == '*') operand.count = Operand::Count::any;
    if (mark == ':') {
      for (const std::string& name : split(take_until(rest, "=["), '|')) add_type(operand, name);
    } else if (mark == '=') {
      const std::string_view name = take_until(rest, "[");
      const auto like = std::ranges::find(earlier, name, &Operand::name);
      if (like == earlier.end() && name != operand.name) fail_text(text, "refers to no operand");
      operand.like = static_cast<std::size_t>(like - earlier.begin());
    } else if (mark == '[') {
      read_ranks(operand, take_until(rest, "]"));
      rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
    }
  }
  return operand;
}

Signature read_signature(std::int64_t since, std::string_view text) {
  Signature signature{since, std::string(text), {}, {}};
  std::vector<Operand>* side = &signature.inputs;
  for (const std::string& word : split(text, ' ')) {
    if (word == "->") {
      side = &signature.outputs;
    } else if (!word.empty()) {
      if (!side->empty() && side->back().repeats())
        fail_text(text, "has operands after a repeated operand");
      side->push_back(read_operand(word, *side));
    }
  }
  if (side != &signature.outputs) fail_text(text, "has no outputs");
  return signature;
}

std::string words_of(std::string_view kind, std::size_t index, const Operand& operand) {
  return std::string(kind) + " " + std::to_string(index) + " (" + operand.name + ")";
}

std::string quoted_names(const std::vector<Operand>& operands) {
  std::vector<std::string> names;
  for (const Operand& each : operands) {
    const std::string name = each.repeats() ? each.name + "..." : each.name;
    names.push_back(each.required() ? name : "[" + name + "]");
  }
  return names.empty() ? "none" : join(names, ", ");
}

/// @param has whether the node has the operand at an index
template <class Has>
void check_count(std::string_view kind, const std::vector<Operand>& operands, std::size_t count,
                 const Has& has, const ShapeContext& context) {
  for (std::size_t i = 0; i < std::max(count, operands.size()); ++i) {
    const Operand* const operand = operand_at(operands, i);
    if (operand == nullptr) {
      context.fail("has " + std::to_string(count) + " " + std::string(kind) +
                   "s, but the operator has only: " + quoted_names(operands));
    }
    const bool is_needed = operand->count == Operand::Count::one ||
                           (operand->repeats() && !operand->may_lack_names && i < count) ||
                           (operand->count == Operand::Count::some && i < operands.size());
    // An output of a repeated operand may lack a name; then no node reads the output.
    const bool is_named = kind == "input" || !operand->repeats() ? has(i) : i < count;
    if (is_needed && !is_named) {
      context.fail(words_of(kind, i, *operand) + " is missing; the operator has the " +
                   std::string(kind) + "s: " + quoted_names(operands));
    }
  }
}

void check_type(const Operand& operand, std::size_t index, const Signature& signature,
                const ShapeContext& context) {
  const TensorType& type = context.type(index);
  if (!type.opaque.empty() && !operand.may_be_sequence) {
    context.fail(words_of("input", index, operand) +
                 " is a sequence, a map or an optional, but must be a tensor");
  }
  if (type.element == ElementType::undefined) return;
  const std::string found = words_of("input", index, operand) + " has elements of type " +
                            std::string(name_of(type.element));
  if (operand.types != 0 && (operand.types & bit(type.element)) == 0) {
    context.fail(found + "; the operator takes " + operand.types_text);
  }
  if (!operand.like || !context.has_input(*operand.like)) return;
  const ElementType wanted = context.element(*operand.like);
  if (wanted == ElementType::undefined || wanted == type.element) return;
  context.fail(found + ", but " +
               words_of("input", *operand.like, *operand_at(signature.inputs, *operand.like)) +
               " has " + std::string(name_of(wanted)) + "; the operator needs one type for both");
}

std::string ranks_text(const Operand& operand) {
  if (operand.least_rank == operand.most_rank) return std::to_string(operand.least_rank);
  const std::string least = std::to_string(operand.least_rank);
  if (operand.most_rank == Operand().most_rank) return least + " or more";
  return least + " to " + std::to_string(operand.most_rank);
}

void check_rank(const Operand& operand, std::size_t index, const ShapeContext& context) {
  if (!context.has_shape(index)) return;
  const std::size_t rank = context.shape(index).size();
  if (rank >= operand.least_rank && rank <= operand.most_rank) return;
  context.fail(words_of("input", index, operand) + " has shape " +
               context.text(context.shape(index)) + ", of rank " + std::to_string(rank) +
               "; the operator takes rank " + ranks_text(operand));
}

}  // namespace

Operands::Operands(std::initializer_list<std::pair<std::int64_t, const char*>> texts) {
  for (const auto& [since, text] : texts) signatures_.push_back(read_signature(since, text));
}

const Signature* Operands::at(std::int64_t version) const {
  const Signature* found = signatures_.empty() ? nullptr : &signatures_.front();
  for (const Signature& each : signatures_) {
    if (each.since <= version) found = &each;
  }
  return found;
}

const Operand* operand_at(const std::vector<Operand>& operands, std::size_t index) {
  if (index < operands.size()) return &operands[index];
  return !operands.empty() && operands.back().repeats() ? &operands.back() : nullptr;
}

void check_operands(const Op& op, const ShapeContext& context) {
  const Signature* const signature = op.operands.at(context.version());
  if (signature == nullptr) return;
  check_count(
      "input", signature->inputs, context.input_count(),
      [&](std::size_t i) { return context.has_input(i); }, context);
  check_count(
      "output", signature->outputs, context.output_count(),
      [&](std::size_t i) { return context.has_output(i); }, context);
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    if (!context.has_input(i)) continue;
    const Operand& operand = *operand_at(signature->inputs, i);
    check_type(operand, i, *signature, context);
    check_rank(operand, i, context);
  }
}

void infer_outputs(const Op& op, ShapeContext& context) {
  check_operands(op, context);
  if (op.infer != nullptr) op.infer(context);
}

}  // namespace stashscope
