#include "core/passes/subgraph_types.h"

#include <algorithm>

#include "core/base/error.h"

namespace stashscope {

std::int64_t axis_of(const Integers& axes, std::size_t index, std::int64_t rank) {
  std::int64_t axis = index < axes.size() ? axes[index] : 0;
  if (axis < 0) axis += rank;
  if (axis >= 0 && axis < rank) return axis;
  fail_input("", "scans or stacks along an axis that a tensor of rank " + std::to_string(rank) +
                     " does not have");
}

void stack(std::vector<InferredOutput>& made, std::size_t first, const Integers& axes,
           const std::optional<Expr>& count) {
  for (std::size_t i = first; i < made.size(); ++i) {
    auto& shape = made[i].type.shape;
    made[i].contents.reset();
    if (!count) shape.reset();
    if (!shape) continue;
    shape->insert(shape->begin() + axis_of(axes, i - first, std::ssize(*shape) + 1), *count);
  }
}

bool loosen(std::vector<InferredOutput>& given, const std::vector<InferredOutput>& made,
            SymbolTable& symbols) {
  bool any = false;
  for (std::size_t i = 2; i < given.size() && i - 1 < made.size(); ++i) {
    auto& before = given[i].type.shape;
    const auto& after = made[i - 1].type.shape;
    if (!before || before == after) continue;
    any = true;
    if (!after || after->size() != before->size()) {
      before.reset();
      continue;
    }
    for (std::size_t axis = 0; axis < before->size(); ++axis) {
      Expr& dim = (*before)[axis];
      if (dim != (*after)[axis]) dim = Expr::symbol(symbols.fresh());
    }
  }
  return any;
}

void keep_common(std::vector<InferredOutput>& outputs, const std::vector<InferredOutput>& other,
                 SymbolTable& symbols) {
  for (std::size_t i = 0; i < std::min(outputs.size(), other.size()); ++i) {
    outputs[i].contents.reset();
    auto& shape = outputs[i].type.shape;
    const auto& second = other[i].type.shape;
    if (!shape || !second || shape->size() != second->size()) {
      shape.reset();
      continue;
    }
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      if ((*shape)[axis] != (*second)[axis]) {
        (*shape)[axis] = Expr::symbol(symbols.fresh());
      }
    }
  }
}

}  // namespace stashscope
