#pragma once

#include <vector>

#include "core/ops/rules/op.h"
#include "core/run/shared/kernel.h"

namespace stashscope::kernels {

struct OutputDims {
  ElementType element;
  std::vector<std::int64_t> dims;
};

/// Element types and dims of a node's outputs. The operator's shape rule computes them from the
/// actual dims of the inputs and from the elements of small integer, boolean or float32 inputs. If
/// the kernel has a size function, this function gives the dims instead. Throws a run Error when
/// the dims cannot be determined. @param symbols the table in which unknown dims get names
std::vector<OutputDims> output_dims(const Kernel& kernel, const Op& op,
                                    const KernelContext& context, SymbolTable& symbols);

}  // namespace stashscope::kernels
