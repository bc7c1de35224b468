#pragma once

#include <map>
#include <set>
#include <string>

#include "core/graph/graph.h"
#include "core/passes/what_if/what_if.h"

namespace stashscope {

/// Computes nodes whose inputs are all constants, with the kernels of a runner (`cpu_evaluator`).
struct ConstantEvaluator {
  bool (*knows)(const Node&) = nullptr;
  /// Runs a graph without inputs; returns its outputs by name.
  std::map<std::string, Tensor> (*run)(const Graph&) = nullptr;
};

/// The passes and what-ifs to apply to a forward model before its backward pass is built, and the
/// type of its gradients.
struct PassSelection {
  std::set<std::string> names;
  ElementType precision = ElementType::undefined;  ///< mixed-precision type; undefined: off
  ConstantEvaluator evaluator = {};                ///< empty: only inferred values are folded
  /// The type in which float32 gradients of parameters are kept; undefined: they stay float32.
  ElementType gradient_type = ElementType::undefined;
  WhatIfChoices what_ifs = {};  ///< applied before the passes that fuse

  bool any() const {
    return !names.empty() || precision != ElementType::undefined || !what_ifs.empty();
  }
};

/// The effect of one pass.
struct PassResult {
  std::string name;
  std::size_t changed = 0;
  std::size_t nodes_before = 0;
  std::size_t nodes_after = 0;
};

}  // namespace stashscope
