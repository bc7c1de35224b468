#pragma once

#include <map>
#include <set>
#include <string>

#include "core/graph/graph.h"

namespace stashscope {

/// Computes nodes whose inputs are all constants; comes from a runner, which knows arithmetic.
struct ConstantEvaluator {
  bool (*knows)(const Node&) = nullptr;
  /// The outputs by name of a graph without inputs.
  std::map<std::string, Tensor> (*run)(const Graph&) = nullptr;
};

/// What is to be done to a forward model before its backward pass is built.
struct PassSelection {
  std::set<std::string> names;
  ElementType precision = ElementType::undefined;  ///< of mixed precision; undefined: none
  ConstantEvaluator evaluator = {};                ///< without one, less is folded

  bool any() const { return !names.empty() || precision != ElementType::undefined; }
};

/// What one pass did.
struct PassResult {
  std::string name;
  std::size_t changed = 0;
  std::size_t nodes_before = 0;
  std::size_t nodes_after = 0;
};

}  // namespace stashscope
