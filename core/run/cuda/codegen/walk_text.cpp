#include "core/run/cuda/codegen/walk_text.h"

#include "core/run/cuda/codegen/call_text.h"

namespace stashscope::cuda {

void WalkText::add(std::int64_t size, std::int64_t stride) {
  if (size == 1) return;
  axes_.push_back(std::to_string(size));
  axes_.push_back(std::to_string(stride));
  count_ *= size;
}

std::string WalkText::text() const { return with_arguments("Walk", axes_); }

}  // namespace stashscope::cuda
