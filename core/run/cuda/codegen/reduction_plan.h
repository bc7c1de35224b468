#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/run/cuda/codegen/call_text.h"

namespace stashscope::cuda {

/// Source, reducer and sink of a reduction, as text for kernels/reduce.cuh.
struct ReductionTexts {
  std::string reducer;           ///< a type
  std::int64_t state_bytes = 4;  ///< size of one state of the reducer
  std::int64_t width = 1;        ///< the most elements that the source reads at once
  /// Each function returns the text of an object and adds the parameters of the object to the call.
  std::function<std::string(CallText&)> source = {};
  std::function<std::string(CallText&)> sink = {};
};

/// Adds calls that reduce a dense tensor of `dims` to a tensor of dims `kept`, which has size 1 on
/// the reduced axes and at least one element. With few results, a first call writes partial results
/// to scratch memory, so that the whole device has work. Throws a run Error if an index range is
/// too large for require_int.
void add_reduction(Lowered& lowered, const std::vector<std::int64_t>& dims,
                   const std::vector<std::int64_t>& kept, const ReductionTexts& texts);

}  // namespace stashscope::cuda
