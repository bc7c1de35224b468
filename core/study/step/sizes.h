#pragma once

#include <memory>

#include "core/study/step/study.h"

namespace stashscope {

/// The sizes of a step's tensors under these dimension values. Throws a usage Error for values that
/// the model rejects, and an input Error for sizes beyond 64 bits.
std::shared_ptr<const Sizes> sizes_under(const PreparedStep& prepared, const SizeChoices& dims);

}  // namespace stashscope
