#pragma once

#include <string>
#include <vector>

#include "core/study/facts/comparison.h"

namespace stashscope {

/// What is compared, by the names of the two sides.
struct ComparisonInput {
  std::string left;
  std::string right;
  const std::vector<ComparisonRow>& rows;
};

/// A table for each group. Choices, plans and tensors that both sides share are counted, not
/// listed.
std::string comparison_text(const ComparisonInput& input);

/// One JSON object with every row; its keys are part of the command line's contract.
std::string comparison_json(const ComparisonInput& input);

}  // namespace stashscope
