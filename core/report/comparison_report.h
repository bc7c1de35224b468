#pragma once

#include <string>
#include <vector>

#include "core/study/facts/comparison.h"

namespace stashscope {

/// The rows of a comparison, with the names of the two sides.
struct ComparisonInput {
  std::string left;
  std::string right;
  const std::vector<ComparisonRow>& rows;
};

/// A table for each group. Choices, plans and tensors that are equal on both sides are counted, not
/// listed. Sizes of dimensions are always listed.
std::string comparison_text(const ComparisonInput& input);

/// One JSON object with every row; its keys are part of the command line interface.
std::string comparison_json(const ComparisonInput& input);

}  // namespace stashscope
