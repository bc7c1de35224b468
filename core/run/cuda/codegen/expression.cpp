#include "core/run/cuda/codegen/expression.h"

namespace stashscope::cuda {

std::string call_text(const std::string& function, const std::vector<std::string>& operands) {
  std::string list;
  for (const std::string& operand : operands) {
    if (operand.empty()) continue;
    list += (list.empty() ? "" : ", ") + operand;
  }
  return function + "(" + list + ")";
}

}  // namespace stashscope::cuda
