#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/memory/copy_schedule.h"
#include "core/memory/fusion.h"
#include "core/memory/optimizer.h"
#include "core/run/measurement/trace.h"

namespace stashscope {

/// Which parameters an optimizer updates after a step, and how.
struct ParameterUpdate {
  UpdateChoice choice;
  std::vector<Parameter> parameters;  ///< parameters without a gradient stay unchanged
};

/// One training step to execute: the graph, its dataflow with clones, and a timeline with the
/// execution order and the buffers. Every run allocates the optimizer states, but parameters change
/// only when `RunSettings::updates` is set.
struct RunPlan {
  std::shared_ptr<const Graph> graph;
  Dataflow dataflow;
  Timeline timeline;
  FusedGroups groups = {};      ///< the fused groups of the timeline
  ParameterUpdate update = {};  ///< the update whose states the timeline contains
  /// The copies between device and host that run at the same time as other nodes. The timeline
  /// keeps the copied tensors until the copies end. A runner may also complete each copy in the
  /// slot of the node that starts the copy. This changes only the time that the step takes.
  CopySchedule copies = {};
};

/// Tensors by name.
using NamedTensors = std::map<std::string, Tensor>;

struct RunResult {
  NamedTensors outputs;  ///< graph outputs by name
  Measurement measurement;
};

/// A training step whose data is on the device, ready to run any number of times.
class LoadedStep {
 public:
  virtual ~LoadedStep() = default;

  /// Runs the step once and sends its events to `sink`. Throws a run Error that names the node when
  /// a kernel fails, OutOfMemory when the device is full, and a cancelled Error when `progress` is
  /// cancelled.
  virtual RunResult run(const TraceSink& sink, const Progress& progress) = 0;
};

/// Executes graphs on one kind of device.
class Runner {
 public:
  virtual ~Runner() = default;

  /// Throws an input Error that lists all operators without a kernel. Allocates nothing.
  virtual void check(const Graph& graph) const = 0;

  /// Loads the data of a step to the device. (On the CPU, every run loads the data instead.)
  /// Loading throws an input Error that names a missing input. `inputs` holds the graph inputs and
  /// may hold the gradients that the YieldOp's caller returns (all ones when absent). The result
  /// keeps references to both arguments.
  virtual std::unique_ptr<LoadedStep> load(const RunPlan& plan,
                                           const NamedTensors& inputs) const = 0;

  /// Runs one step.
  RunResult run(const RunPlan& plan, const NamedTensors& inputs, const TraceSink& sink,
                const Progress& progress) const {
    return load(plan, inputs)->run(sink, progress);
  }
};

/// How a GPU runs steps. A run on the CPU always returns its outputs and always measures each node.
/// make_runner rejects settings that the CPU does not support.
struct RunSettings {
  bool wants_outputs = true;      ///< if false, outputs are neither copied to the host nor returned
  bool traces = true;             ///< if false, only time and peak bytes of the step are measured
  bool rounds_to_tf32 = false;    ///< float32 products and convolutions may round to 19 bits
  bool updates = false;           ///< parameters change after each run, as the plan's update says
  double learning_rate = 1e-3;    ///< learning rate of the updates
  std::int64_t memory_limit = 0;  ///< in bytes, to simulate a smaller device; 0: no limit
};

/// The device cannot hold a step.
class OutOfMemory : public Error {
 public:
  /// @param available_bytes an estimate of the bytes that the device has for tensors, without the
  /// bytes that workspaces need
  OutOfMemory(const std::string& where, const std::string& what, std::int64_t available_bytes,
              const std::string& hint = {})
      : Error(ErrorKind::run, where, what, hint), available_bytes_(available_bytes) {}

  std::int64_t available_bytes() const { return available_bytes_; }

 private:
  std::int64_t available_bytes_;
};

}  // namespace stashscope
