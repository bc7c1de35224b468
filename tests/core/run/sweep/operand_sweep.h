#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/ops/rules/op.h"
#include "core/run/step/runner.h"

namespace stashscope::operand_sweep {

/// One operand of a node under test.
struct Given {
  bool named = true;  ///< false: an empty name
  ElementType element = ElementType::float32;
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> items;  ///< repeated to fill the tensor
};

/// A graph of one node.
struct Case {
  const Op* op = nullptr;
  std::int64_t version = 1;
  bool has_constants = false;  ///< integer operands are initializers, not inputs
  std::vector<Given> inputs;
  std::vector<bool> outputs;  ///< whether each is named
  std::string change;         ///< what was changed in the valid node
};

std::string describe(const Case& given);

/// The graph of a case and the data of its inputs.
struct Model {
  Graph graph;
  NamedTensors inputs;
};
Model model_of(const Case& given);

/// Every operator with every single change of an operand: left out, without a name, with other
/// ranks, sizes, elements and types. The order is the same in every run.
std::vector<Case> all_cases(const std::string& only_operator);

/// What became of a case.
struct Outcome {
  enum class Kind { ran, refused, fault };
  Kind kind = Kind::ran;
  std::string message;
};

/// Prepares the training step of a case and runs it on the CPU. A fault is an exception that is no
/// `Error`, or memory unlike predicted.
Outcome try_case(const Case& given);

}  // namespace stashscope::operand_sweep
