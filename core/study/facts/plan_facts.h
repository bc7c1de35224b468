#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/study/step/plan_effects.h"
#include "core/study/step/study.h"

namespace stashscope {

/// Rows of the plan tables by their position: first those of `plans`, then those of `extensions`.
std::size_t plan_rows(const Study& study);
const PlanRow& plan_row(const Study& study, std::size_t row);

/// Every row once. Rows of a group exclude each other, directly or by a third one: they treat the
/// same outputs, or config strings call them alike.
std::vector<std::vector<std::size_t>> plan_groups(const Study& study);

/// Where the tables of a study have a node: at an occurrence of a plan, or at a stashed tensor
/// without one.
struct TablePlace {
  std::size_t row = 0;         ///< of the plan
  std::size_t occurrence = 0;  ///< of that row
  ValueId tensor;              ///< valid: this tensor without a plan instead
};

/// The place that tells most of a node of the model: a plan for its own output comes before one
/// that runs the node again, one that is carried out before others, and what saves most before the
/// rest; a plan of our own strategies that is not carried out comes behind the tensor that has no
/// other one. Nothing where no table has the node.
std::optional<TablePlace> table_place(const Study& study, NodeId node);

/// The modules that the node's name places it in, from the outside in, joined by `/`; may be empty.
std::string layer_of(const Graph& graph, NodeId node);

/// When a value is needed, in steps from 0.
struct Life {
  std::size_t made = 0;
  std::size_t last_read = 0;  ///< the step that makes it where nobody reads it
};

/// What single occurrences of plan rows come to under the choices in force. Refers to the study.
class OccurrenceFacts {
 public:
  explicit OccurrenceFacts(const Study& study);
  explicit OccurrenceFacts(Study&& study) = delete;

  /// The entry node, and the first of its outputs that are freed.
  static NodeId node(const Occurrence& each) { return each.parts.front()->node; }
  ValueId value(const Occurrence& each) const;

  bool is_applied(const Occurrence& each) const;
  bool is_kept(const Occurrence& each) const;
  /// In the current step; nothing for inputs and parameters, which no step makes.
  std::optional<Life> life(ValueId value) const;
  /// One clause; empty where it is carried out or its row is off.
  std::string why_not(const PlanRow& row, const Occurrence& each) const;
  /// What it saves of what lives at the peak of the step without plans.
  std::int64_t bytes_at_peak(const Occurrence& each) const;
  /// What it adds to the step when nothing overlaps.
  double seconds(const Occurrence& each) const;

 private:
  const Study& study_;
  PlanCostInput costs_;
  std::unordered_set<const NodePlan*> applied_;
  std::unordered_set<NodeId> treated_;  ///< entries of these
  IdVector<NodeId, std::size_t> step_of_;
};

}  // namespace stashscope
