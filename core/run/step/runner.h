#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/memory/fusion.h"
#include "core/memory/optimizer.h"
#include "core/run/measurement/trace.h"

namespace stashscope {

/// Which parameters an optimizer changes after a step, and by what.
struct ParameterUpdate {
  UpdateChoice choice;
  std::vector<Parameter> parameters;  ///< those without a gradient stay as they are
};

/// One step to execute: the graph, its dataflow with clones, and the order and buffers of its
/// timeline. Optimizer states are there; parameters change only where a runner is asked to update
/// them.
struct RunPlan {
  std::shared_ptr<const Graph> graph;
  Dataflow dataflow;
  Timeline timeline;
  FusedGroups groups = {};      ///< as the timeline has them
  ParameterUpdate update = {};  ///< of the timeline's states
};

/// Tensors by name.
using NamedTensors = std::map<std::string, Tensor>;

struct RunResult {
  NamedTensors outputs;  ///< graph outputs by name
  Measurement measurement;
};

/// A step with its data on the device, to be run again and again.
class LoadedStep {
 public:
  virtual ~LoadedStep() = default;

  /// Runs the step once. Its events go to `sink`. Throws a run Error that names the node when a
  /// kernel fails, OutOfMemory when the device is full.
  virtual RunResult run(const TraceSink& sink, const Progress& progress) = 0;
};

/// Executes graphs on one kind of device.
class Runner {
 public:
  virtual ~Runner() = default;

  /// Throws an input Error that lists all operators it has no kernel for, before anything is
  /// allocated.
  virtual void check(const Graph& graph) const = 0;

  /// Graph inputs (and gradients that come back from the YieldOp; ones when not given) are taken
  /// from `inputs`, what is missing is an Error that names it. Refers to its arguments.
  virtual std::unique_ptr<LoadedStep> load(const RunPlan& plan,
                                           const NamedTensors& inputs) const = 0;

  /// Runs one step.
  RunResult run(const RunPlan& plan, const NamedTensors& inputs, const TraceSink& sink,
                const Progress& progress) const {
    return load(plan, inputs)->run(sink, progress);
  }
};

/// How a GPU runs steps; the processor runs them with outputs and traces, or not at all.
struct RunSettings {
  bool wants_outputs = true;      ///< else the result has none: they need not come back to the host
  bool traces = true;             ///< else nothing is measured but the whole step
  bool rounds_to_tf32 = false;    ///< matrix products of float32 may round operands to 19 bits
  bool updates = false;           ///< parameters change after each run, as the plan's update says
  double learning_rate = 1e-3;    ///< of updates
  std::int64_t memory_limit = 0;  ///< bytes of a smaller device to stand for; 0: the device's own
};

/// That the device cannot hold a step.
class OutOfMemory : public Error {
 public:
  /// @param available_bytes what the device has for tensors, workspaces left out
  OutOfMemory(const std::string& where, const std::string& what, std::int64_t available_bytes,
              const std::string& hint = {})
      : Error(ErrorKind::run, where, what, hint), available_bytes_(available_bytes) {}

  std::int64_t available_bytes() const { return available_bytes_; }

 private:
  std::int64_t available_bytes_;
};

}  // namespace stashscope
