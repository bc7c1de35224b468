#pragma once

#include "core/base/progress.h"
#include "core/run/cuda/codegen/lowering.h"
#include "core/run/cuda/execute/host_values.h"

namespace stashscope::cuda {

/// Where an operand is during a step.
struct Place {
  enum class Kind : std::uint8_t {
    nothing,   ///< operand left out
    buffer,    ///< buffer of the timeline, in device memory
    gradient,  ///< gradient that the YieldOp's caller returns, outside of all buffers
    scratch,   ///< scratch memory of the node
    host,      ///< page-locked host memory that replaces a buffer of the timeline
    run,       ///< a 64-bit integer: the number of the run, 1 for the first run
  };

  Kind kind = Kind::nothing;
  std::uint32_t index = 0;  ///< of a buffer, a gradient or a piece of scratch memory
  std::int64_t offset = 0;  ///< bytes from the start of the buffer, gradient or scratch memory
};

struct PlacedKernel {
  KernelId kernel;
  LaunchShape shape;
  std::vector<Place> operands;
};
struct PlacedMatmul {
  MatmulId matmul;
  Place a;
  Place b;
  Place bias;
  Place d;
};
struct PlacedConvolution {
  ConvolutionId convolution;
  std::array<Place, 3> operands;
};
struct PlacedCopy {
  Place from;
  Place to;
  std::int64_t bytes = 0;
};
struct PlacedRowCopy {
  RowCopy shape;
  Place from;
  Place to;
};
struct PlacedZero {
  Place to;
  std::int64_t bytes = 0;
};
using PlacedCall = std::variant<PlacedKernel, PlacedMatmul, PlacedConvolution, PlacedCopy,
                                PlacedRowCopy, PlacedZero>;

/// Elements that the host computed, to be copied to a place.
struct Upload {
  Place to;
  kernels::TensorView from;
};

/// The work of the device in one slot of the execution order.
struct ProgramStep {
  std::vector<BufferId> allocates;  ///< before the calls
  std::vector<BufferId> releases;   ///< after the calls
  std::vector<Upload> uploads;
  std::vector<PlacedCall> calls;
  std::vector<std::int64_t> scratch_bytes;  ///< allocated while the calls run
  std::int64_t workspace_bytes =
      0;  ///< the most that a library call needs; allocated while the calls run
};

/// A training step prepared for a device; holds everything that is known before the step runs.
struct Program {
  std::vector<ProgramStep> steps;  ///< by slot of the execution order
  ProgramStep updates;             ///< runs after the last slot; consists of calls only
  IdVector<ValueId, OperandType> types;
  IdVector<ValueId, Place> places;
  std::vector<Tensor> gradients;  ///< returned by the caller of the YieldOp
  IdVector<BufferId, bool> on_host;
  /// The timeline's buffer sizes, corrected where they depend on data that the host knows.
  IdVector<BufferId, std::int64_t> buffer_bytes;
  std::map<std::string, std::int64_t> data_dependent;  ///< data-dependent dims by name
  HostValues host;
};

/// Prepares the step without allocating its buffers. Throws an Error that names the node if no
/// kernel supports the node, or if shapes depend on elements that only the device knows.
Program make_program(const RunPlan& plan, const NamedTensors& inputs, const RunSettings& settings,
                     Device& device, const Progress& progress);

}  // namespace stashscope::cuda
