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

/// One place in the model where a combination of clusters can be carried out.
struct Occurrence {
  std::vector<const NodePlan*>
      parts;                      ///< those of owners of buffers that the first one shares last
  std::int64_t saving_bytes = 0;  ///< 0 where a dimension has no value
};

/// One row of the reference's plan table: a combination of clusters and what it saves.
struct PlanRow {
  PlanType type = PlanType::recompute;  ///< of the first part
  std::string config;                   ///< sorted `cluster:type:-1`, joined by commas
  RecomputeConfig entries;              ///< the same
  int frequency = 0;
  std::int64_t saving_bytes = 0;  ///< 0 where a dimension has no value
  std::string saving_symbolic;
  bool on = false;  ///< every entry of the combination is chosen
  /// In execution order. Refers to the opportunities; null in rows that no table made.
  std::shared_ptr<const std::vector<Occurrence>> occurrences;
  int applied = 0;                 ///< occurrences that are carried out, every part of them
  std::int64_t saved_bytes = 0;    ///< what these save
  std::int64_t bytes_at_peak = 0;  ///< of the saved ones, those that live at the peak without plans
  PlanCost cost;                   ///< of all occurrences
};

/// A stashed output as the cluster table describes it.
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
  std::map<std::size_t, int> reuse_frequency;  ///< nodes that reuse a buffer, by output
  std::optional<int> requested;                ///< the chosen count, when the option is on
  int applied = 0;                             ///< occurrences that the choice covers
};

/// Nodes with equal plans over equal activations.
struct ClusterRow {
  std::string key;  ///< the reference's node cluster id
  std::vector<NodeId> nodes;
  std::vector<ClusterOption> options;
};

/// A dimension as the tables print it; empty when the file that declares it does not name it.
std::string dim_text(const Graph& graph, const Expr& dim);

/// The element count in the reference's notation: `((b)*(16))`.
std::string element_count_text(const Graph& graph, ValueId value);

/// The shape that the reference's tables speak of: the declared one where a file declares it.
const std::optional<Shape>& table_shape(const Value& value);

/// Sorted by evaluated bytes, descending, then by config.
std::vector<PlanRow> plan_table(const Graph& graph, const Opportunities& opportunities,
                                const Bindings& bindings);

/// The same of the strategies that the reference does not know.
std::vector<PlanRow> extension_table(const Graph& graph, const Opportunities& opportunities,
                                     const Bindings& bindings);

/// Sets which rows have all their entries chosen, and where they are carried out.
/// @param applied the plans that `config` selects
void mark_chosen(const RecomputeConfig& config, const std::vector<const NodePlan*>& applied,
                 std::vector<PlanRow>& rows);

/// Sets anew which options are chosen and how often they are carried out.
/// @param rows of the same opportunities
/// @param applied the plans that `config` selects
void mark_chosen(const Opportunities& opportunities, const RecomputeConfig& config,
                 const std::vector<const NodePlan*>& applied, std::vector<ClusterRow>& rows);

/// Sorted by frequency, descending, then by key, descending.
/// @param applied the plans that `config` selects
std::vector<ClusterRow> cluster_table(const Graph& graph, const Opportunities& opportunities,
                                      const RecomputeConfig& config,
                                      const std::vector<const NodePlan*>& applied);

}  // namespace stashscope
