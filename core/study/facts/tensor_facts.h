#pragma once

#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// Shape and element type: `[batch, 768] float32`. An unknown shape is `[]`.
std::string type_text(const Graph& graph, const TensorType& type);

/// A description of a live tensor.
struct AliveTensor {
  std::string name;
  std::string shape;  ///< shape and element type, see `type_text`
  std::string role;
  std::int64_t bytes = 0;
};
AliveTensor describe_buffer(const Study& study, const Variant& variant, BufferId id);

/// The `limit` largest tensors alive at the peak of a variant.
std::vector<AliveTensor> largest_at_peak(const Study& study, const Variant& variant,
                                         std::size_t limit);

}  // namespace stashscope
