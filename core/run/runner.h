#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/memory/fusion.h"
#include "core/run/trace.h"

namespace stashscope {

/// One step to execute: the graph, its dataflow with clones, and the order and buffers of its
/// timeline. Optimizer states are there, but no parameter is updated.
struct RunPlan {
  std::shared_ptr<const Graph> graph;
  Dataflow dataflow;
  Timeline timeline;
  FusedGroups groups = {};  ///< as the timeline has them
};

/// Tensors by name.
using NamedTensors = std::map<std::string, Tensor>;

struct RunResult {
  NamedTensors outputs;  ///< graph outputs by name
  Measurement measurement;
};

/// Executes graphs on one kind of device.
class Runner {
 public:
  virtual ~Runner() = default;

  /// Throws an input Error that lists all operators it has no kernel for, before anything is
  /// allocated.
  virtual void check(const Graph& graph) const = 0;

  /// Runs one step. Graph inputs (and gradients that come back from the YieldOp; ones when not
  /// given) are taken from `inputs`, what is missing is an Error that names it. Every event goes to
  /// `sink` as it happens. Throws a run Error that names the node when a kernel fails.
  virtual RunResult run(const RunPlan& plan, const NamedTensors& inputs, const TraceSink& sink,
                        const Progress& progress) const = 0;
};

/// The runner of `cpu`, `cuda` or `cuda:N`. Throws a usage Error for other names and a run Error
/// that says why a device is not available.
std::unique_ptr<Runner> make_runner(const std::string& device);

/// Throws a usage Error when `device` is not spelled `none`, `cpu`, `cuda` or `cuda:N`.
void check_device_name(const std::string& device);

/// What the user can choose from, with the reason when a device is not available.
struct DeviceInfo {
  std::string name;
  std::string description;
  bool available = false;
};
std::vector<DeviceInfo> list_devices();

}  // namespace stashscope
