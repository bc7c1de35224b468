#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/element_type.h"

namespace stashscope {

class ShapeContext;
struct Op;

/// One input or output of an operator. A repeated operand stands for all operands from its position
/// on.
struct Operand {
  /// `some` is one operand or more, `any` is zero or more.
  enum class Count : std::uint8_t { one, optional, some, any };

  std::string name;
  Count count = Count::one;
  std::uint32_t types = 0;          ///< bit n allows element type n; 0: all types are allowed
  std::string types_text;           ///< `types` in words
  bool may_be_sequence = false;     ///< also takes sequences, maps and optional values
  bool may_lack_names = false;      ///< some repetitions of the operand may be omitted
  std::optional<std::size_t> like;  ///< index of the input whose element type this one must have
  std::size_t least_rank = 0;
  std::size_t most_rank = std::numeric_limits<std::size_t>::max();

  bool repeats() const { return count == Count::some || count == Count::any; }
  bool required() const { return count == Count::one || count == Count::some; }
};

/// The inputs and outputs of an operator from one since-version on.
struct Signature {
  std::int64_t since = 1;
  std::string text;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
};

/// The inputs and outputs of an operator, written as a line for each version that changed them, for
/// example `X:float[3..] W=X B?=X[1] -> Y`:
/// - `B?` may be omitted; `data+` stands for one or several operands, `data*` for any number of
///   operands, and `data*?` for any number of operands, each of which may be omitted;
/// - `:float` names the element types, separated by `|`: single types, or `float` (16 to 64 bits),
///   `float8`, `integer` (8 to 64 bits), `number` (float and integer), `index` (int32, int64) and
///   `value` (tensors, sequences, maps and optional values); an operand without types takes every
///   tensor;
/// - `=X` requires the element type of input X;
/// - `[1]`, `[0..1]` and `[2..]` are the ranks that the operand may have.
class Operands {
 public:
  Operands() = default;
  Operands(const char* text) : Operands({{1, text}}) {}  // NOLINT: implicit for tables
  /// Since-versions, ascending, with their texts. Throws std::invalid_argument for a text that does
  /// not follow the grammar.
  Operands(std::initializer_list<std::pair<std::int64_t, const char*>> texts);

  bool known() const { return !signatures_.empty(); }
  const std::vector<Signature>& signatures() const { return signatures_; }
  /// The signature that applies at a version; null if the operator has no signature.
  const Signature* at(std::int64_t version) const;

 private:
  std::vector<Signature> signatures_;
};

/// The operand at an index, where a repeated last operand covers all further indices; null if the
/// operator has no such operand.
const Operand* operand_at(const std::vector<Operand>& operands, std::size_t index);

/// Throws an input Error if the node lacks an operand that the operator needs, or has an operand
/// that the operator does not have. Also throws if the operator does not take the element type or
/// rank of an input. Unknown types and shapes pass.
void check_operands(const Op& op, const ShapeContext& context);

/// `check_operands`, then the operator's shape rule, if it has one. Shape rules must be called
/// through this function only, so that rules and kernels can rely on the operands.
void infer_outputs(const Op& op, ShapeContext& context);

}  // namespace stashscope
