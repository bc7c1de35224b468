#include "core/study/choices/effective_update.h"

#include "core/base/error.h"
#include "core/graph/captured_step.h"

namespace stashscope {

UpdateChoice effective_update(const Graph& graph, const UpdateChoice& chosen) {
  if (chosen.release_gradients && graph.data().micro_batches != nullptr) {
    fail_usage("released gradients",
               "cannot be combined with micro-batches, whose gradients are added up until the end "
               "of the step",
               "leave out one of the two");
  }
  const CapturedStep* const captured = graph.data().captured.get();
  return captured != nullptr && captured->has_optimizer() ? UpdateChoice() : chosen;
}

}  // namespace stashscope
