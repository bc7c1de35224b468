#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/study/step/plan_effects.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The number of rows of both plan tables, and a row by its index. The rows of `plans` come first,
/// then the rows of `extensions`.
std::size_t plan_rows(const Study& study);
const PlanRow& plan_row(const Study& study, std::size_t row);

/// All rows in groups; each row is in exactly one group. Two rows exclude each other if they are in
/// the same table and their plans for the same node conflict, or if their config entries have the
/// same cluster but different types. Rows that exclude each other are in the same group.
std::vector<std::vector<std::size_t>> plan_groups(const Study& study);

/// Where the tables of a study show a node: at an occurrence of a plan, or at a stashed tensor that
/// has no plan.
struct TablePlace {
  std::size_t row = 0;         ///< row of the plan, see `plan_row`
  std::size_t occurrence = 0;  ///< index within the row
  /// If valid, the row shows this tensor without a plan, and `row` and `occurrence` are not used.
  ValueId tensor;
};

/// The most informative place in the tables for a node of the model; nothing if no table shows the
/// node. A plan that is carried out for the node's own output comes first. Other plans are compared
/// by these criteria, the most important first: ONNX Runtime knows the plan type; the plan frees
/// the node's own output instead of only running the node again; the plan is carried out; the plan
/// saves more bytes. A stashed output of the node without a plan comes after plans that are carried
/// out or whose type ONNX Runtime knows, and before all other plans. A tensor that has no plan
/// because the search stopped at the node comes last.
std::optional<TablePlace> table_place(const Study& study, NodeId node);

/// The modules that contain a node, outermost module first, joined by dots; may be empty.
std::string layer_of(const Graph& graph, NodeId node);

/// The stashed bytes that the occurrences of a row free together between forward and backward. For
/// modules of a captured step, the row's saving is smaller: it leaves out the bytes of the largest
/// module, because these bytes are in use again while that module runs again.
std::int64_t freed_bytes(const PlanRow& row);
/// The part of `freed_bytes` that is alive at the peak of the step without plans.
std::int64_t freed_bytes_at_peak(const PlanRow& row);

/// The values that a plan frees, including values that lie in the memory of other values.
std::vector<ValueId> freed_by(const Graph& graph, const NodePlan& plan);

/// The modules of the entry nodes of a row's occurrences, each once, in execution order.
std::vector<std::string> layers_of(const Graph& graph, const PlanRow& row);

/// The lifetime of a value, as slots of the execution order. Slots count from 0.
struct Life {
  std::size_t made = 0;
  std::size_t last_read = 0;  ///< equal to `made` if nothing reads the value
};

/// Facts about single occurrences of plan rows in a study. Refers to the study.
class OccurrenceFacts {
 public:
  explicit OccurrenceFacts(const Study& study);
  explicit OccurrenceFacts(Study&& study) = delete;

  /// The entry node of the occurrence's first plan.
  static NodeId node(const Occurrence& each) { return each.parts.front()->node; }
  /// The first output of the entry node, see `node`, that the occurrence's first plan frees.
  ValueId value(const Occurrence& each) const;

  bool is_applied(const Occurrence& each) const;
  bool has_pinned_node(const Occurrence& each) const;
  /// Lifetime in the current step; nothing for inputs and parameters, which no node produces.
  std::optional<Life> life(ValueId value) const;
  /// The part of `freed_bytes` that the occurrences in use free.
  std::int64_t freed_bytes_in_use(const PlanRow& row) const;
  /// The number of nodes at which the rows have occurrences. Each node counts once.
  struct Places {
    int all = 0;
    int in_use = 0;
  };
  Places places(const std::vector<const PlanRow*>& rows) const;
  /// One clause on why the occurrence is not carried out. Empty if the occurrence is carried out,
  /// or if its row is off and its nodes are not pinned.
  std::string why_not(const PlanRow& row, const Occurrence& each) const;
  /// The bytes that an occurrence frees and that are alive at the peak of the step without plans.
  std::int64_t bytes_at_peak(const Occurrence& each) const;
  /// The seconds that an occurrence adds to the step if kernels and transfers do not overlap.
  double seconds(const Occurrence& each) const;

 private:
  const Study& study_;
  PlanCostInput costs_;
  std::unordered_set<const NodePlan*> applied_;
  std::unordered_set<NodeId> treated_;  ///< entry nodes of the applied plans
  IdVector<NodeId, std::size_t> step_of_;
};

}  // namespace stashscope
