#include "core/ops/contents.h"

namespace stashscope {

std::optional<std::vector<std::int64_t>> integers_of(const std::vector<Expr>* contents) {
  if (contents == nullptr) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Expr& item : *contents) {
    const auto number = item.integer();
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace stashscope
