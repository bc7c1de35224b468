#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// A tensor that a choice frees or shrinks. It stands for others like it.
struct FreedTensor {
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t bytes_after = 0;  ///< 0: not alive at the peak any more
  bool was_at_peak = true;       ///< false: it was alive at other moments only
  std::size_t alike = 0;         ///< other tensors of the same operator that shrink as much
};

/// Compares the step `before` with the step `after` that replaces it. Returns the tensor at the
/// peak of `before` that is not persistent and shrinks most, where a tensor that is not alive at
/// the peak of `after` shrinks to 0. If no such tensor shrinks by at least `least_bytes`, returns
/// the largest tensor of `before` that `after` does not have. Nothing if there is none. Tensors of
/// the two steps are the same if their names are equal.
/// @param study the study of `before`
/// @param other the study of `after`
std::optional<FreedTensor> largest_freed(const Study& study, const Variant& before,
                                         const Study& other, const Variant& after,
                                         std::int64_t least_bytes);

/// The largest of `values` that is alive at the peak of a timeline, or else the largest one.
/// Nothing if no value has a buffer.
std::optional<FreedTensor> largest_of(const Study& study, const Timeline& timeline,
                                      const std::vector<ValueId>& values);

/// `h.0.attn.Softmax (604 MiB, and 11 more like it)`.
std::string words_of(const FreedTensor& tensor);

}  // namespace stashscope
