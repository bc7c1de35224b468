#include "core/recompute/clusters.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/recompute/apply.h"
#include "core/recompute/regions.h"
#include "core/recompute/switched_on.h"
#include "core/symbolic/collected.h"

namespace stashscope {

namespace {

using Combination = std::vector<const NodePlan*>;

/// Plans by entry node.
using PlansOfNode = std::map<NodeId, std::vector<const NodePlan*>>;

PlansOfNode plans_of_nodes(const std::vector<NodePlan>& all) {
  PlansOfNode plans;
  for (const NodePlan& plan : all) plans[plan.node].push_back(&plan);
  return plans;
}

/// Extends `combination` by one plan of each owner of a reused buffer. Adds every combination that
/// results to `found`.
void combine_owners(const PlansOfNode& plans, const std::vector<NodeId>& owners, std::size_t next,
                    Combination& combination, std::vector<Combination>& found) {
  if (next == owners.size()) {
    found.push_back(combination);
    return;
  }
  const auto owner_plans = plans.find(owners[next]);
  if (owner_plans == plans.end()) return;
  for (const NodePlan* const plan : owner_plans->second) {
    combination.push_back(plan);
    combine_owners(plans, owners, next + 1, combination, found);
    combination.pop_back();
  }
}

/// The combinations that start with `plan`. A buffer that an output of the plan reuses is freed
/// only if a plan of the buffer's owner is applied, too, so each combination has one plan of each
/// owner.
std::vector<Combination> combinations_of(const Graph& graph, const PlansOfNode& plans,
                                         const NodePlan& plan) {
  std::vector<NodeId> owners;
  for (const auto& [output, buffer] : plan.reused) {
    if (!buffer.needs_plan) continue;
    const NodeId node = graph.value(buffer.owner).producer;
    if (std::find(owners.begin(), owners.end(), node) == owners.end()) owners.push_back(node);
  }
  std::vector<Combination> found;
  Combination combination = {&plan};
  combine_owners(plans, owners, 0, combination, found);
  return found;
}

std::string entry_text(const NodePlan& plan) { return to_string(plan.cluster, {plan.type, -1}); }

std::string config_of(const Combination& combination) {
  std::vector<std::string> entries;
  for (const NodePlan* const plan : combination) entries.push_back(entry_text(*plan));
  std::sort(entries.begin(), entries.end());
  return join(entries, ",");
}

/// Adds `sign` times the bytes that a region saves: those of the storages that it frees, minus
/// those of the storages that only its kept outputs hold.
void add_region_sizes(const Graph& graph, const NodePlan& plan, int sign,
                      std::vector<SizeProduct>& products) {
  const CapturedStep& step = *graph.data().captured;
  const auto add = [&](ValueId value, int times) {
    products.push_back({Rational(times), {step.storages[step.storage_of[value]].bytes}});
  };
  for (const ValueId value : plan.region->freed) add(value, sign);
  for (const ValueId value : plan.region->held) add(value, -sign);
}

/// Adds the bytes that a plan saves, one product of dimensions for each output. Leaves out outputs
/// whose buffer the plan of another node frees. Also leaves out outputs of unknown shape, and then
/// sets `complete` to false.
void add_sizes(const Graph& graph, const NodePlan& plan, std::vector<SizeProduct>& products,
               bool& complete) {
  if (plan.region) return add_region_sizes(graph, plan, 1, products);
  for (const std::size_t output : plan.outputs) {
    if (plan.needs_owner(output)) continue;
    const Value& value = graph.value(graph.node(plan.node).outputs[output]);
    const auto& shape = table_shape(value);
    if (!shape) {
      complete = false;
      continue;
    }
    const Rational bytes = Rational::ratio(bits_per_element(value.type.element), 8);
    products.push_back({bytes * plan.save_ratio, *shape});
  }
}

/// The bytes of all products; 0 if a dimension has no value or the sum exceeds 64 bits.
std::int64_t evaluate(const std::vector<SizeProduct>& products, const Bindings& bindings) {
  Rational total;
  try {
    for (const SizeProduct& product : products) {
      Rational size = product.coefficient;
      for (const Expr& dim : product.dims) {
        const auto number = dim.evaluate(bindings);
        if (!number) return 0;
        size = size * Rational(*number);
      }
      total = total + size;
    }
  } catch (const Error&) {
    return 0;
  }
  return total.floor();
}

StashedOutput describe_output(const Graph& graph, const ReferenceRules& rules, const NodePlan& plan,
                              std::size_t output) {
  const ValueId id = graph.node(plan.node).outputs[output];
  const Value& value = graph.value(id);
  StashedOutput described;
  described.output = output;
  const auto& shape = cluster_shape(graph, rules, id);
  described.shape_known = shape.has_value();
  if (shape) described.shape = *shape;
  described.bytes_per_element = bits_per_element(value.type.element) / 8;
  described.saved_percent = static_cast<int>((plan.save_ratio * Rational(100)).floor());
  return described;
}

/// ONNX Runtime's grouping key; nodes with equal keys share a row.
std::string key_of(const Graph& graph, const ReferenceRules& rules, const NodePlan& plan) {
  const Node& node = graph.node(plan.node);
  std::string key =
      "recompute:" + node.op_type + "-" + (plan.type == PlanType::compromise ? "1" : "0") + "-";
  for (const std::size_t output : plan.outputs) {
    const ValueId value = node.outputs[output];
    const auto& shape = cluster_shape(graph, rules, value);
    key += std::to_string(output) + ":" + (shape ? element_count_text(graph, *shape) : "unknown") +
           ":" + std::to_string(static_cast<int>(graph.value(value).type.element)) + "-";
  }
  return key + plan.cluster;
}

ClusterOption describe_option(const Graph& graph, const ReferenceRules& rules,
                              const NodePlan& plan) {
  ClusterOption option;
  option.type = plan.type;
  option.cluster = plan.cluster;
  for (const std::size_t output : plan.outputs) {
    option.stashed.push_back(describe_output(graph, rules, plan, output));
  }
  return option;
}

/// Whether the value's shape is unknown, or ONNX Runtime knows neither a number nor a name for one
/// of its dimensions. ONNX Runtime takes names only from the declarations in the file.
bool has_open_dim(const Graph& graph, const Value& value) {
  const auto& shape = table_shape(value);
  if (!shape) return true;
  const bool is_declared = value.declared_shape || !value.producer.valid();
  return std::ranges::any_of(*shape, [&](const Expr& dim) {
    return is_declared ? dim_text(graph, dim).empty() : !dim.is_constant();
  });
}

}  // namespace

const std::optional<Shape>& table_shape(const Value& value) {
  return value.declared_shape ? value.declared_shape : value.type.shape;
}

const std::optional<Shape>& cluster_shape(const Graph& graph, const ReferenceRules& rules,
                                          ValueId value) {
  const Value& shown = graph.value(value);
  const auto& own = table_shape(shown);
  if (!rules.lists_reshaped_inputs || !shown.producer.valid()) return own;
  const Node& producer = graph.node(shown.producer);
  if (producer.op_type != "Reshape" || !has_open_dim(graph, shown)) return own;
  const Value& reshaped = graph.value(producer.inputs[0]);
  return has_open_dim(graph, reshaped) ? own : table_shape(reshaped);
}

std::string dim_text(const Graph& graph, const Expr& dim) {
  const auto& by_data = graph.data().data_dependent;
  for (const SymbolId symbol : dim.symbols()) {
    const bool is_named = std::any_of(by_data.begin(), by_data.end(), [&](const auto& each) {
      return each.symbol == symbol && each.at_most;
    });
    if (graph.symbols().is_fresh(symbol) && !is_named) return "";
  }
  return to_valid_utf8(to_string(dim, graph.symbols()));
}

std::string element_count_text(const Graph& graph, ValueId value) {
  const auto& shape = table_shape(graph.value(value));
  return shape ? element_count_text(graph, *shape) : "unknown";
}

std::string element_count_text(const Graph& graph, const Shape& shape) {
  if (shape.empty()) return "(((1)))";
  std::string text = "(";
  for (const Expr& dim : shape) {
    text += (text.size() > 1 ? "*(" : "(") + dim_text(graph, dim) + ")";
  }
  return text + ")";
}

namespace {

/// The occurrences of one combination while they are collected.
struct Occurrences {
  std::vector<Occurrence> all;
  std::vector<SizeProduct> sizes;
  bool complete = true;

  void add(const Graph& graph, const Bindings& bindings, Combination combination) {
    std::vector<SizeProduct> own;
    for (const NodePlan* const part : combination) add_sizes(graph, *part, own, complete);
    all.push_back({std::move(combination), evaluate(own, bindings)});
    sizes.insert(sizes.end(), own.begin(), own.end());
  }
};

/// Subtracts the largest occurrence from the saving of a row of regions. The regions run again one
/// after the other, and the memory that a region frees is in use again while this region runs
/// again.
void take_off_largest(const Graph& graph, Occurrences& occurrences) {
  const auto largest = std::ranges::max_element(
      occurrences.all, {}, [](const Occurrence& each) { return each.saving_bytes; });
  add_region_sizes(graph, *largest->parts.front(), -1, occurrences.sizes);
}

PlanRow row_of(const Graph& graph, const Opportunities& found, const Bindings& bindings,
               const std::string& config, Occurrences occurrences) {
  const Combination& first = occurrences.all.front().parts;
  if (first.front()->region) take_off_largest(graph, occurrences);
  PlanRow row;
  row.type = first.front()->type;
  row.config = config;
  for (const NodePlan* const part : first) row.entries[part->cluster] = {part->type, -1};
  row.frequency = static_cast<int>(occurrences.all.size());
  row.saving_symbolic = collected_text(occurrences.sizes, graph.symbols());
  row.saving_bytes = occurrences.complete ? evaluate(occurrences.sizes, bindings) : 0;
  std::ranges::stable_sort(occurrences.all, {}, [&](const Occurrence& each) {
    return found.position[each.parts.front()->node.index()];
  });
  row.occurrences = std::make_shared<const std::vector<Occurrence>>(std::move(occurrences.all));
  return row;
}

std::vector<PlanRow> table_of(const Graph& graph, const Opportunities& found,
                              const std::vector<NodePlan>& all, const Bindings& bindings) {
  const PlansOfNode plans = plans_of_nodes(all);
  std::map<std::string, Occurrences> groups;
  for (const NodePlan& plan : all) {
    for (Combination& combination : combinations_of(graph, plans, plan)) {
      Occurrences& group = groups[config_of(combination)];
      group.add(graph, bindings, std::move(combination));
    }
  }
  std::vector<PlanRow> rows;
  rows.reserve(groups.size());
  for (auto& [config, group] : groups) {
    rows.push_back(row_of(graph, found, bindings, config, std::move(group)));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const PlanRow& a, const PlanRow& b) {
    return a.saving_bytes > b.saving_bytes;
  });
  return rows;
}

}  // namespace

std::vector<PlanRow> plan_table(const Graph& graph, const Opportunities& opportunities,
                                const Bindings& bindings) {
  return table_of(graph, opportunities, opportunities.plans, bindings);
}

std::vector<PlanRow> extension_table(const Graph& graph, const Opportunities& opportunities,
                                     const Bindings& bindings) {
  return table_of(graph, opportunities, opportunities.extensions, bindings);
}

void mark_chosen(const RecomputeConfig& config, const std::vector<const NodePlan*>& applied,
                 std::vector<PlanRow>& rows) {
  const std::unordered_set<const NodePlan*> carried_out(applied.begin(), applied.end());
  const auto is_applied = [&](const NodePlan* plan) { return carried_out.contains(plan); };
  for (PlanRow& row : rows) {
    row.on = is_switched_on(row, config);
    row.applied = 0;
    row.saved_bytes = 0;
    std::int64_t largest = 0;
    for (const Occurrence& each : *row.occurrences) {
      if (!std::ranges::all_of(each.parts, is_applied)) continue;
      ++row.applied;
      row.saved_bytes += each.saving_bytes;
      largest = std::max(largest, each.saving_bytes);
    }
    if (row.type == PlanType::region) row.saved_bytes -= largest;
  }
}

namespace {

/// By index in `plans`: whether the plan is applied.
std::vector<bool> applied_plans(const std::vector<NodePlan>& plans,
                                const std::vector<const NodePlan*>& applied) {
  std::vector<bool> is_applied(plans.size(), false);
  for (const NodePlan* const plan : applied) {
    if (is_searched(plan->type)) {
      is_applied[static_cast<std::size_t>(plan - plans.data())] = true;
    }
  }
  return is_applied;
}

void mark_requested(const RecomputeConfig& config, ClusterOption& option) {
  const auto chosen = config.find(option.cluster);
  const bool is_chosen = chosen != config.end() && chosen->second.type == option.type;
  option.requested = is_chosen ? std::optional(chosen->second.count) : std::nullopt;
  option.applied = 0;
}

}  // namespace

void mark_chosen(const Opportunities& opportunities, const RecomputeConfig& config,
                 const std::vector<const NodePlan*>& applied, std::vector<ClusterRow>& rows) {
  IdVector<NodeId, ClusterRow*> row_of(opportunities.position.size(), nullptr);
  for (ClusterRow& row : rows) {
    for (const NodeId node : row.nodes) row_of[node] = &row;
    for (ClusterOption& option : row.options) mark_requested(config, option);
  }
  // Each node of a row has one plan for each option of the row, in the same order.
  IdVector<NodeId, std::uint32_t> next_option(row_of.size(), 0);
  const std::vector<bool> is_applied = applied_plans(opportunities.plans, applied);
  for (std::size_t i = 0; i < is_applied.size(); ++i) {
    const NodeId node = opportunities.plans[i].node;
    const std::uint32_t option = next_option[node]++;
    if (is_applied[i]) ++row_of[node]->options[option].applied;
  }
}

std::vector<ClusterRow> cluster_table(const Graph& graph, const Opportunities& opportunities,
                                      const RecomputeConfig& config,
                                      const std::vector<const NodePlan*>& applied) {
  const ReferenceRules& rules = rules_of(opportunities.reference);
  std::map<std::string, ClusterRow> rows;
  for (const auto& [node, plans] : plans_of_nodes(opportunities.plans)) {
    std::string key;
    for (const NodePlan* const plan : plans) key += key_of(graph, rules, *plan);
    ClusterRow& row = rows[key];
    row.key = key;
    row.nodes.push_back(node);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (row.options.size() == i) {
        row.options.push_back(describe_option(graph, rules, *plans[i]));
      }
      ClusterOption& option = row.options[i];
      for (const auto& [output, buffer] : plans[i]->reused) ++option.reuse_frequency[output];
    }
  }
  std::vector<ClusterRow> sorted;
  for (auto entry = rows.rbegin(); entry != rows.rend(); ++entry) {
    sorted.push_back(std::move(entry->second));
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const ClusterRow& a, const ClusterRow& b) {
    return a.nodes.size() > b.nodes.size();
  });
  mark_chosen(opportunities, config, applied, sorted);
  return sorted;
}

}  // namespace stashscope
