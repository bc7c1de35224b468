#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/recompute/apply.h"
#include "core/recompute/config.h"
#include "core/recompute/strategy.h"

namespace stashscope {

/// One place in the model where a combination of clusters can be applied.
struct Occurrence {
  std::vector<const NodePlan*>
      parts;  ///< first the plan, then the plans of the owners of reused buffers
  /// Outputs of unknown shape do not count; 0 if a dimension has no value.
  std::int64_t saving_bytes = 0;
};

/// One row of ONNX Runtime's plan table: a combination of clusters and its saving.
struct PlanRow {
  PlanType type = PlanType::recompute;  ///< type of the first plan of each occurrence
  std::string config;                   ///< sorted entries `cluster:type:-1`, joined by commas
  RecomputeConfig entries;              ///< the parsed form of `config`
  int frequency = 0;
  std::int64_t saving_bytes = 0;  ///< 0 if a shape is unknown or a dimension has no value
  std::string saving_symbolic;
  bool on = false;  ///< every entry of the combination is selected
  /// In execution order; points into the opportunities. Null in rows that were not made by a table
  /// function.
  std::shared_ptr<const std::vector<Occurrence>> occurrences;
  int applied = 0;                 ///< number of occurrences whose plans are all applied
  std::int64_t saved_bytes = 0;    ///< saving of the applied occurrences
  std::int64_t bytes_at_peak = 0;  ///< saving at the peak of the step without plans
  PlanCost cost;                   ///< cost of all occurrences
};

/// A stashed output in the cluster table.
struct StashedOutput {
  std::size_t output = 0;
  Shape shape;
  bool shape_known = true;
  std::int64_t bytes_per_element = 0;
  int saved_percent = 0;
};

/// One of the mutually exclusive options of a cluster row.
struct ClusterOption {
  PlanType type = PlanType::recompute;
  std::string cluster;
  std::vector<StashedOutput> stashed;
  /// By output: the number of nodes of the row in which this output reuses a buffer.
  std::map<std::size_t, int> reuse_frequency;
  std::optional<int> requested;  ///< the requested count if the option is on
  int applied = 0;               ///< number of occurrences that are applied
};

/// Nodes whose plans have equal clusters and whose stashed outputs have equal sizes and types.
struct ClusterRow {
  std::string key;  ///< ONNX Runtime's node cluster id
  std::vector<NodeId> nodes;
  std::vector<ClusterOption> options;
};

/// A dimension as printed in the tables. Empty if it contains a symbol that shape inference added,
/// unless the symbol is a data-dependent size with an upper bound.
std::string dim_text(const Graph& graph, const Expr& dim);

/// The element count in ONNX Runtime's notation: `((b)*(16))`.
std::string element_count_text(const Graph& graph, ValueId value);
std::string element_count_text(const Graph& graph, const Shape& shape);

/// The shape in ONNX Runtime's tables: the declared shape, or else the inferred shape.
const std::optional<Shape>& table_shape(const Value& value);

/// The shape in the table of clusters: the table shape of the value. If a dimension of a Reshape's
/// output has no name, some versions show the table shape of the Reshape's input instead, unless
/// that shape has such a dimension, too.
const std::optional<Shape>& cluster_shape(const Graph& graph, const ReferenceRules& rules,
                                          ValueId value);

/// ONNX Runtime's plan table, sorted by `saving_bytes`, descending, then by config.
std::vector<PlanRow> plan_table(const Graph& graph, const Opportunities& opportunities,
                                const Bindings& bindings);

/// The plan table of the strategies that ONNX Runtime does not know.
std::vector<PlanRow> extension_table(const Graph& graph, const Opportunities& opportunities,
                                     const Bindings& bindings);

/// Marks the rows whose entries are all selected, and updates the applied occurrences and saved
/// bytes of all rows.
/// @param applied the plans that `config` selects
void mark_chosen(const RecomputeConfig& config, const std::vector<const NodePlan*>& applied,
                 std::vector<PlanRow>& rows);

/// Updates which options are selected and how often they are applied.
/// @param rows made by `cluster_table` from the same opportunities
/// @param applied the plans that `config` selects
void mark_chosen(const Opportunities& opportunities, const RecomputeConfig& config,
                 const std::vector<const NodePlan*>& applied, std::vector<ClusterRow>& rows);

/// ONNX Runtime's table of clusters, sorted by number of nodes, descending, then by key,
/// descending.
/// @param applied the plans that `config` selects
std::vector<ClusterRow> cluster_table(const Graph& graph, const Opportunities& opportunities,
                                      const RecomputeConfig& config,
                                      const std::vector<const NodePlan*>& applied);

}  // namespace stashscope
