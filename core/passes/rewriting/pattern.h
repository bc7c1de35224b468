#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/passes/rewriting/rewriter.h"

namespace stashscope {

/// A small tree of operators that a fusion searches for. The root of the tree is the node that
/// runs last. A name stands for the same value wherever it occurs.
struct Pattern {
  std::string op_type;           ///< empty: any value
  std::vector<Pattern> inputs;   ///< the node's first inputs
  std::string name;              ///< name of the value that the root produces; may be empty
  std::optional<double> number;  ///< a fixed scalar that equals this number within a tolerance
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

/// A place where a pattern fits.
struct Match {
  NodeId last;
  std::map<std::string, ValueId> values;
  std::vector<NodeId> nodes;  ///< the pattern's nodes and the no-op nodes between them

  ValueId operator[](const std::string& name) const { return values.at(name); }
};

/// A pattern and the node that replaces it. `build` may return nothing; then the search goes on.
struct Fusion {
  Pattern pattern;
  std::optional<Node> (*build)(const Rewriter&, const Match&);
};

/// Replaces every place where a pattern fits and no other node reads the inner values. Tries each
/// fusion in turn over the whole graph. Operands of Add and Mul match in both orders; Identity and
/// Cast to the same type are skipped. Returns the number of replacements.
std::size_t fuse(Rewriter& graph, const std::vector<Fusion>& fusions);

}  // namespace stashscope
