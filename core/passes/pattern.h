#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/passes/rewriter.h"

namespace stashscope {

/// A small tree of operators that a fusion looks for, written from its last node upwards. The same
/// name stands for the same value wherever it occurs.
struct Pattern {
  std::string op_type;           ///< empty: any value
  std::vector<Pattern> inputs;   ///< the node's first inputs
  std::string name;              ///< of the value that the pattern makes
  std::optional<double> number;  ///< a fixed scalar of (nearly) this value
  std::string domain;
};

namespace pattern {

inline Pattern any(std::string name) { return {"", {}, std::move(name), {}, ""}; }
inline Pattern number(double value) { return {"", {}, "", value, ""}; }
inline Pattern op(std::string type, std::vector<Pattern> inputs, std::string name = "") {
  return {std::move(type), std::move(inputs), std::move(name), {}, ""};
}
inline Pattern microsoft(std::string type, std::vector<Pattern> inputs) {
  return {std::move(type), std::move(inputs), "", {}, "com.microsoft"};
}

}  // namespace pattern

/// What a pattern was found to be.
struct Match {
  NodeId last;
  std::map<std::string, ValueId> values;
  std::vector<NodeId> nodes;  ///< all that the pattern names, and what lies between unchanged

  ValueId operator[](const std::string& name) const { return values.at(name); }
};

/// A pattern and the node that does the same. `build` may refuse; then the search goes on.
struct Fusion {
  Pattern pattern;
  std::optional<Node> (*build)(const Rewriter&, const Match&);
};

/// Replaces every place where a pattern fits and nothing else reads the values inside. Fusions are
/// tried in their order over the whole graph. Add and Mul match with their operands either way;
/// Identity and Cast to the same type are seen through. Returns how many were found.
std::size_t fuse(Rewriter& graph, const std::vector<Fusion>& fusions);

}  // namespace stashscope
