#pragma once

#include "core/run/cuda/codegen/kernel_texts.h"
#include "core/run/cuda/execute/program.h"

namespace stashscope::cuda {

/// The places of the operands of a node, or of a member of a fused group.
struct NodePlaces {
  std::vector<Place> inputs;
  std::vector<Place> outputs;
};

/// Adds lowered calls to the steps of a program, with the places of their operands, and compiles
/// the kernels of all these calls.
class CallPlacer {
 public:
  explicit CallPlacer(Device& device) : device_(device) {}

  /// @param places the places of the node, or of each member of a fused group
  void add(const Lowered& lowered, const std::vector<NodePlaces>& places, ProgramStep& step);

  /// Compiles the kernels (equal kernels only once) and enters their ids into the program's calls.
  /// Until then, the id in a call is the index of the kernel in the collected texts.
  void compile(Program& program) const;

 private:
  Device& device_;
  KernelTexts texts_;
};

}  // namespace stashscope::cuda
