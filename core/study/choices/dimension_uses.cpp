#include "core/study/choices/dimension_uses.h"

#include <algorithm>

namespace stashscope {

namespace {

DimensionUnit unit_at(const TensorType& type, std::size_t axis) {
  if (axis == 0) return DimensionUnit::samples;
  if (is_image_side(type, axis)) return DimensionUnit::pixels;
  const bool is_table = type.shape->size() == 2 && !is_floating(type.element);
  return axis == 1 && is_table ? DimensionUnit::tokens : DimensionUnit::none;
}

}  // namespace

bool is_image_side(const TensorType& type, std::size_t axis) {
  return type.shape->size() == 4 && axis >= 2 && is_floating(type.element);
}

std::vector<DimensionUse> uses_of(const Graph& graph, const Dimension& dimension) {
  std::vector<DimensionUse> uses;
  for (const ValueId id : graph.data().inputs) {
    const Value& input = graph.value(id);
    if (!input.type.shape) continue;
    for (std::size_t axis = 0; axis < input.type.shape->size(); ++axis) {
      const std::vector<SymbolId> used = (*input.type.shape)[axis].symbols();
      if (std::ranges::find(used, dimension.symbol) == used.end()) continue;
      uses.push_back({input.name, axis});
    }
  }
  return uses;
}

DimensionUnit unit_of(const Graph& graph, const Dimension& dimension) {
  const std::vector<DimensionUse> uses = uses_of(graph, dimension);
  if (uses.empty()) return DimensionUnit::none;
  return unit_at(graph.value(*graph.find_value(uses.front().input)).type, uses.front().axis);
}

std::string word_of(DimensionUnit unit) {
  switch (unit) {
    case DimensionUnit::samples:
      return "batch";
    case DimensionUnit::tokens:
      return "sequence";
    case DimensionUnit::pixels:
      return "image";
    case DimensionUnit::none:
      break;
  }
  return {};
}

}  // namespace stashscope
