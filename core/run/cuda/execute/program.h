#pragma once

#include "core/base/progress.h"
#include "core/run/cuda/codegen/lowering.h"
#include "core/run/cuda/execute/host_values.h"

namespace stashscope::cuda {

/// Where an operand lies when a step runs.
struct Place {
  enum class Kind : std::uint8_t {
    nothing,   ///< an operand that is left out
    buffer,    ///< of the timeline
    gradient,  ///< handed back for an operand of the YieldOp, in memory of the caller's
    scratch,   ///< of the node
    host,      ///< page-locked memory that stands for a buffer of the timeline
    run,       ///< a 64-bit integer: which run this is, 1 for the first
  };

  Kind kind = Kind::nothing;
  std::uint32_t index = 0;  ///< of a buffer, a gradient or a piece of scratch memory
  std::int64_t offset = 0;  ///< bytes from its start
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

/// Elements that the host computed, for a buffer.
struct Upload {
  Place to;
  kernels::TensorView from;
};

/// What one step of the order does on the device.
struct ProgramStep {
  std::vector<BufferId> allocates;  ///< before its calls
  std::vector<BufferId> releases;   ///< after them
  std::vector<Upload> uploads;
  std::vector<PlacedCall> calls;
  std::vector<std::int64_t> scratch_bytes;  ///< there while the calls run
  std::int64_t workspace_bytes = 0;         ///< what the libraries need, likewise
};

/// A step made ready for a device: all that can be known before it runs.
struct Program {
  std::vector<ProgramStep> steps;  ///< by step of the order
  ProgramStep updates;             ///< after the last one: only calls
  IdVector<ValueId, OperandType> types;
  IdVector<ValueId, Place> places;
  std::vector<Tensor> gradients;  ///< handed back by the caller of the YieldOp
  IdVector<BufferId, bool> on_host;
  /// The timeline's, or other ones where sizes depend on data that the host knows.
  IdVector<BufferId, std::int64_t> buffer_bytes;
  std::map<std::string, std::int64_t> data_dependent;  ///< these sizes by name
  HostValues host;
};

/// Throws an Error that names the node when no kernel does what it asks for, or when its shapes
/// depend on what only the device knows. Nothing of the step is allocated.
Program make_program(const RunPlan& plan, const NamedTensors& inputs, const RunSettings& settings,
                     Device& device, const Progress& progress);

}  // namespace stashscope::cuda
