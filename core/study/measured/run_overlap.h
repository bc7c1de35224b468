#pragma once

#include "core/study/step/study.h"

namespace stashscope {

/// Whether the copies of offloaded tensors overlapped with nodes in a run of the variant. The
/// duration of such copies is not measured. A run on a GPU does not overlap copies, and times each
/// copy.
inline bool ran_with_overlap(const Variant& variant, const Measurement& measured) {
  return !variant.copies.empty() && !measured.device.starts_with("cuda");
}

}  // namespace stashscope
