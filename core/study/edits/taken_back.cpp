#include "core/study/edits/taken_back.h"

namespace stashscope {

Choices taken_back(const Choices& now, const Choices& first) {
  Choices back = first;
  back.dims = now.dims;
  back.graph.same_dims = now.graph.same_dims;
  back.times = now.times;
  back.device = now.device;
  return back;
}

}  // namespace stashscope
