#pragma once

#include <vector>

#include "core/ops/rules/op.h"
#include "core/run/shared/kernel.h"

namespace stashscope::kernels {

struct OutputDims {
  ElementType element;
  std::vector<std::int64_t> dims;
};

/// What a node makes: from its operator's shape rule on the actual dims and elements, or from the
/// data. Inputs without data have dims only. Throws a run Error when neither tells. @param symbols
/// where unknown dims get their names
std::vector<OutputDims> output_dims(const Kernel& kernel, const Op& op,
                                    const KernelContext& context, SymbolTable& symbols);

}  // namespace stashscope::kernels
