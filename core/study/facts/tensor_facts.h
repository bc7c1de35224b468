#pragma once

#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// Shape and element type: `[batch, 768] float32`. An unknown shape is `[]`.
std::string type_text(const Graph& graph, const TensorType& type);

/// Shape and element type with the dimension values of the study: `[137, 768] float32`. A dimension
/// without a value keeps its formula.
std::string sized_type_text(const Study& study, const TensorType& type);
/// The shape in the words that users have for sizes: `[batch, 768]`. Empty if the shape is unknown,
/// or if all its dimensions are numbers.
std::string named_shape_text(const Study& study, const TensorType& type);

/// The name of a role in texts, such as `optimizer state`.
std::string_view name_of(ValueRole role);

/// A description of a live tensor.
struct AliveTensor {
  std::string name;
  std::string shape;        ///< shape and element type, see `type_text`
  std::string sized_shape;  ///< see `sized_type_text`
  std::string role;
  std::int64_t bytes = 0;
};
AliveTensor describe_buffer(const Study& study, const Variant& variant, BufferId id);

/// The `limit` largest tensors alive at the peak of a variant.
std::vector<AliveTensor> largest_at_peak(const Study& study, const Variant& variant,
                                         std::size_t limit);

}  // namespace stashscope
