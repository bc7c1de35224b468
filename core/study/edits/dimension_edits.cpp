#include "core/study/edits/dimension_edits.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/study/edits/edits.h"

namespace stashscope {

namespace {

using SameDims = std::map<std::string, std::string>;

/// The names of the model's dimensions and the names that the user gave to dimensions.
std::set<std::string> names_known(const Graph& model, const SameDims& same_dims) {
  std::set<std::string> names;
  for (const SymbolId id : IdRange<SymbolId>(model.symbols().size())) {
    names.insert(model.symbols().name(id));
  }
  for (const auto& [pattern, name] : same_dims) names.insert(name);
  return names;
}

bool renames(const std::string& pattern, const std::string& target, const std::string& name) {
  return name != target && matches_wildcard(name, pattern);
}

/// Removes entries whose key is neither a name of the model nor a name that another entry
/// introduces. Such entries rename nothing.
void drop_unknown(const Graph& model, SameDims& same_dims) {
  const auto is_of_nothing = [&](const auto& entry) {
    const std::set<std::string> names = names_known(model, same_dims);
    return std::ranges::none_of(
        names, [&](const std::string& name) { return renames(entry.first, entry.second, name); });
  };
  auto unknown = same_dims.begin();
  while ((unknown = std::ranges::find_if(same_dims, is_of_nothing)) != same_dims.end()) {
    same_dims.erase(unknown);
  }
}

SameDims without_name(const Graph& model, const SameDims& same_dims, const std::string& name) {
  SameDims kept;
  for (const auto& [pattern, target] : same_dims) {
    if (!renames(pattern, target, name)) {
      kept[pattern] = target;
      continue;
    }
    for (const std::string& other : names_known(model, same_dims)) {
      if (other != name && renames(pattern, target, other)) kept.try_emplace(other, target);
    }
  }
  drop_unknown(model, kept);
  return kept;
}

}  // namespace

DimensionSizes without_size_of(const Study& study, const DimensionSizes& sizes,
                               const Dimension& dimension) {
  DimensionSizes kept;
  for (const auto& [pattern, given] : sizes) {
    if (!covers(pattern, dimension)) {
      kept[pattern] = given;
      continue;
    }
    for (const Dimension& other : study.sizes->dims.dimensions) {
      const bool is_other = other.symbol != dimension.symbol;
      if (is_other && covers(pattern, other)) kept.try_emplace(other.name, given);
    }
  }
  return kept;
}

Choices with_dimensions(const Study& study, Choices choices, const DimensionSizes& sizes) {
  for (const auto& [name, size] : sizes) {
    for (const Dimension& each : study.sizes->dims.dimensions) {
      const bool is_meant =
          each.name == name || std::ranges::find(each.also, name) != each.also.end();
      if (is_meant) choices = with_dimension(study, std::move(choices), each, size);
    }
  }
  return choices;
}

bool can_be_same(const Study& study, const Dimension& dimension) {
  return names_known(*study.model, study.choices.graph.same_dims).contains(dimension.name);
}

Choices with_same_dimension(const Study& study, Choices choices, const Dimension& dimension,
                            const Dimension& other) {
  choices.graph.same_dims[dimension.name] = other.name;
  choices.dims = without_size_of(study, choices.dims, dimension);
  choices.dims = without_size_of(study, choices.dims, other);
  const Dimension& kept = other.assumed ? dimension : other;
  if (!kept.assumed) choices.dims[other.name] = kept.value;
  return choices;
}

std::vector<std::string> names_made_same(const Study& study, const Dimension& dimension) {
  std::vector<std::string> names;
  for (const std::string& name : dimension.also) {
    const bool is_chosen = std::ranges::any_of(
        study.choices.graph.same_dims,
        [&](const auto& entry) { return renames(entry.first, entry.second, name); });
    if (is_chosen) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

Choices with_separate_name(const Study& study, Choices choices, const Dimension& dimension,
                           const std::string& name) {
  choices.graph.same_dims = without_name(*study.model, choices.graph.same_dims, name);
  choices.dims = without_size_of(study, choices.dims, dimension);
  if (dimension.assumed) return choices;
  const bool is_left = names_known(*study.model, choices.graph.same_dims).contains(dimension.name);
  if (is_left) choices.dims[dimension.name] = dimension.value;
  choices.dims[name] = dimension.value;
  return choices;
}

}  // namespace stashscope
