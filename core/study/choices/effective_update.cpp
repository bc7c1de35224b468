#include "core/study/choices/effective_update.h"

#include "core/graph/captured_step.h"

namespace stashscope {

UpdateChoice effective_update(const Graph& graph, const UpdateChoice& chosen) {
  const CapturedStep* const captured = graph.data().captured.get();
  return captured != nullptr && captured->has_optimizer() ? UpdateChoice() : chosen;
}

}  // namespace stashscope
