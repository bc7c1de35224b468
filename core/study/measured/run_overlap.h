#pragma once

#include "core/study/step/study.h"

namespace stashscope {

/// Whether the copies of offloaded tensors ran beside the nodes in a run of the variant, so that
/// nobody timed them. Runs on a GPU make each copy at its node, and time it.
inline bool ran_with_overlap(const Variant& variant, const Measurement& measured) {
  return !variant.copies.empty() && !measured.device.starts_with("cuda");
}

}  // namespace stashscope
