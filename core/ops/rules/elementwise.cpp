#include "core/ops/rules/elementwise.h"

#include <set>
#include <string>
#include <string_view>

namespace stashscope {

bool is_elementwise(const Node& node) {
  static const std::set<std::string> types = {":Add",
                                              ":Sub",
                                              ":Mul",
                                              ":Div",
                                              ":Pow",
                                              ":Where",
                                              ":Cast",
                                              ":Neg",
                                              ":Exp",
                                              ":Log",
                                              ":Sqrt",
                                              ":Erf",
                                              ":Sigmoid",
                                              ":Tanh",
                                              ":Relu",
                                              ":Gelu",
                                              "com.microsoft:Gelu",
                                              "com.microsoft:FastGelu",
                                              "com.microsoft:QuickGelu",
                                              "com.microsoft:BiasGelu"};
  return types.contains(node.domain + ":" + node.op_type);
}

bool passes_elements_on(const Node& node) {
  static const std::set<std::string_view> types = {"Identity",  "Reshape", "Flatten",   "Squeeze",
                                                   "Unsqueeze", "Expand",  "Transpose", "Slice",
                                                   "Tile",      "Split",   "Gather"};
  return node.domain.empty() && types.contains(node.op_type);
}

}  // namespace stashscope
