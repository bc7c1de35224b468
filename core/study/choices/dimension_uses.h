#pragma once

#include <string>
#include <vector>

#include "core/study/choices/dimensions.h"

namespace stashscope {

/// An axis of a graph input that depends on a dimension.
struct DimensionUse {
  std::string input;
  std::size_t axis = 0;  ///< axis number, from 0

  friend bool operator==(const DimensionUse&, const DimensionUse&) = default;
};

/// The uses of a dimension, in the order of the graph's inputs. Empty for dimensions that nodes
/// introduce.
std::vector<DimensionUse> uses_of(const Graph& graph, const Dimension& dimension);

/// The unit that a dimension most likely counts, judged by its first use.
enum class DimensionUnit : std::uint8_t {
  none,     ///< unknown
  samples,  ///< the first axis of an input
  tokens,   ///< the second axis of a table of integers
  pixels    ///< a side of images
};
DimensionUnit unit_of(const Graph& graph, const Dimension& dimension);

/// The word that users have for a size of this unit: `batch`, `sequence` or `image`. Empty for an
/// unknown unit.
std::string word_of(DimensionUnit unit);

/// Whether the axis of an input is the height or width of images.
bool is_image_side(const TensorType& type, std::size_t axis);

}  // namespace stashscope
