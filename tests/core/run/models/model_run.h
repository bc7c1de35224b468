#pragma once

// Runs model files and compares the results with those in their folders.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>

#include "core/graph/micro_batches.h"
#include "core/memory/timeline.h"
#include "core/onnx/model_file.h"
#include "core/ops/families/standard_ops.h"
#include "core/passes/training_step.h"
#include "core/planner/copy_overlap.h"
#include "core/recompute/apply.h"
#include "core/run/devices/devices.h"
#include "core/run/measurement/difference.h"
#include "core/run/step/micro_tensors.h"
#include "core/run/step/runner.h"
#include "core/schedule/fusion/fusions.h"

namespace stashscope::testing_run {

namespace fs = std::filesystem;

/// The tensors in files `<prefix><number>.pb`, by the names they carry.
inline NamedTensors load_tensors(const fs::path& folder, const std::string& prefix) {
  NamedTensors tensors;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (!entry.path().filename().string().starts_with(prefix)) continue;
    NamedTensor loaded = load_tensor(entry.path());
    tensors.emplace(std::move(loaded.name), std::move(loaded.tensor));
  }
  return tensors;
}

/// The values of named dims, from the dims of given inputs, which hold the whole batch.
inline Bindings bindings_from(const Graph& graph, const NamedTensors& inputs) {
  Bindings bindings(graph.symbols().size());
  for (const ValueId id : graph.data().inputs) {
    const Value& value = graph.value(id);
    const auto given = inputs.find(value.name);
    if (given == inputs.end() || !value.type.shape) continue;
    if (is_split_input(graph, id)) {
      bindings[graph.data().micro_batches->batch] = given->second.dims()[0];
    }
    for (std::size_t i = 0; i < value.type.shape->size(); ++i) {
      const Expr& dim = (*value.type.shape)[i];
      for (const SymbolId symbol : IdRange<SymbolId>(graph.symbols().size())) {
        if (dim == Expr::symbol(symbol)) bindings[symbol] = given->second.dims()[i];
      }
    }
  }
  return bindings;
}

/// A training step with everything that its timelines need.
struct ModelStep {
  TrainingStep step;
  IdVector<NodeId, const Op*> ops;
  BufferRules rules;
  Bindings bindings;
  IdVector<ValueId, std::int64_t> bytes;

  ModelStep(TrainingStep prepared, const NamedTensors& inputs)
      : step(std::move(prepared)),
        ops(resolve_ops(*step.graph)),
        bindings(bindings_from(*step.graph, inputs)) {
    std::vector<ValueId> parameters;
    std::vector<ValueId> gradients;
    for (const Parameter& each : step.parameters) {
      parameters.push_back(each.value);
      gradients.push_back(each.gradient);
    }
    if (step.graph->data().micro_batches) {
      for (const GradientSum& each : step.graph->data().micro_batches->sums) {
        gradients.insert(gradients.end(), {each.buffer, each.gradient});
      }
    }
    rules = buffer_rules(*step.graph, ops, parameters, gradients);
    count_bytes();
  }

  /// Updates the prediction with the sizes that a run found.
  void take_sizes(const std::map<std::string, std::int64_t>& found) {
    for (const auto& [name, size] : found) {
      bindings[step.graph->symbols().find(name).value()] = size;
    }
    count_bytes();
  }

  void count_bytes() {
    std::vector<ValueId> unknown;
    bytes = value_bytes(*step.graph, bindings, unknown);
  }

  Dataflow without_plans() const { return Dataflow(*step.graph); }

  /// The dataflow with every plan of ONNX Runtime's levels applied.
  Dataflow with_all_plans(bool with_compromise) const {
    const Opportunities found = find_opportunities(*step.graph, ops, step.boundary, {1, false});
    return apply_plans(*step.graph, ops, found,
                       select_plans(found, config_of_all(found, with_compromise)));
  }

  /// The dataflow with every plan of one of our own strategies applied.
  Dataflow with_all_of(PlanType type) const {
    const Opportunities found = find_opportunities(*step.graph, ops, step.boundary, {1, false});
    RecomputeConfig config;
    for (const NodePlan& plan : found.extensions) {
      if (plan.type == type) config[plan.cluster] = {type, -1};
    }
    return apply_plans(*step.graph, ops, found, select_plans(found, config));
  }

  RunPlan plan(const Dataflow& dataflow, const OrderStrategy& strategy,
               const UpdateChoice& update = {}, std::string_view fusion = "none") const {
    RunPlan made{step.graph, dataflow, {}, {}, {update, step.parameters}};
    with_input(dataflow, update, nullptr, [&](const OrderInput& input) {
      made.groups = find_fusion(fusion).groups({input, strategy, {}});
      made.timeline = timeline_in(input, strategy, made.groups);
    });
    return made;
  }

  /// The plan of a dataflow with offloads whose copies overlap. @param transfer seconds of a copy;
  /// every node takes 1 s
  RunPlan overlapped(const Dataflow& dataflow, const OrderStrategy& strategy, double transfer,
                     std::string_view fusion = "none") const {
    RunPlan made = plan(dataflow, strategy, {}, fusion);
    NodeTimes seconds(dataflow.topology.nodes(), 1);
    for (const NodeId node : made.timeline.order) {
      if (is_copy(dataflow, node)) seconds[node] = transfer;
    }
    OverlappedOrder found = overlap_copies(dataflow, made.timeline, made.groups, seconds);
    made.copies = std::move(found.copies);
    with_input(dataflow, {}, &made.copies, [&](const OrderInput& input) {
      made.timeline = timeline_in(input, std::move(found.order), made.groups);
    });
    return made;
  }

  RunPlan default_plan() const { return plan(without_plans(), order_strategies()[0]); }

 private:
  /// Hands the input of orders to `use`. @param copies that overlap; null: none do
  template <class Use>
  void with_input(const Dataflow& dataflow, const UpdateChoice& update, const CopySchedule* copies,
                  const Use& use) const {
    const UpdateMemory memory = update_memory(*step.graph, step.parameters, update);
    const IdVector<NodeId, std::int64_t> no_workspace(step.graph->nodes().size(), 0);
    use(OrderInput{*step.graph,
                   dataflow,
                   forward_ends(*step.graph, step.boundary),
                   {rules, bytes, memory, no_workspace, nullptr, copies}});
  }
};

inline RunResult run_on_cpu(const RunPlan& plan, const NamedTensors& inputs) {
  return make_runner("cpu")->run(plan, inputs, {}, {});
}

/// Runs a dataflow of the step and expects the memory that is predicted with the sizes of the run.
inline RunResult run_as_predicted(ModelStep& step, const Dataflow& dataflow,
                                  const NamedTensors& inputs) {
  RunResult result = run_on_cpu(step.plan(dataflow, order_strategies()[0]), inputs);
  step.take_sizes(result.measurement.data_dependent);
  const RunPlan plan = step.plan(dataflow, order_strategies()[0]);
  EXPECT_EQ(largest_difference(result.measurement.live_bytes, plan.timeline.live_bytes), 0);
  return result;
}

/// The difference of the elements; infinite if dims or types differ.
inline Difference difference(const Tensor& actual, const Tensor& expected) {
  if (actual.dims() != expected.dims() || actual.element() != expected.element()) {
    return {std::numeric_limits<double>::infinity()};
  }
  return stashscope::difference(numbers(actual), numbers(expected));
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  const TensorBytes left = a.load();
  const TensorBytes right = b.load();
  return a.element() == b.element() && a.dims() == b.dims() &&
         std::equal(left.bytes.begin(), left.bytes.end(), right.bytes.begin(), right.bytes.end());
}

}  // namespace stashscope::testing_run
