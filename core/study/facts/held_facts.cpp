#include "core/study/facts/held_facts.h"

#include "core/graph/captured_step.h"
#include "core/study/facts/node_facts.h"

namespace stashscope {

namespace {

/// The slot of the last read of a buffer, or the slot in which the buffer is allocated if nothing
/// reads it.
std::size_t last_use(const Study& study, BufferId buffer) {
  const auto read = last_read(study, buffer);
  return read ? read->slot : study.current->timeline.buffers[buffer].first_slot;
}

/// The forward node for which autograd holds the storage longest. Invalid if autograd does not hold
/// the storage.
NodeId saved_for(const CapturedStep& captured, StorageId storage) {
  const SavedTensor* longest = nullptr;
  for (const SavedTensor& each : captured.saved) {
    if (each.storage != storage) continue;
    const bool is_longer =
        longest == nullptr || !each.released.valid() ||
        (longest->released.valid() && each.released.index() > longest->released.index());
    if (is_longer) longest = &each;
  }
  return longest == nullptr ? NodeId() : longest->node;
}

}  // namespace

std::optional<Hold> hold_beyond_reads(const Study& study, BufferId buffer) {
  const auto& captured = study.graph().data().captured;
  const Buffer& held = study.current->timeline.buffers[buffer];
  if (captured == nullptr || held.persistent || held.state) return std::nullopt;
  if (held.last_slot <= last_use(study, buffer)) return std::nullopt;
  const StorageId storage = captured->storage_of[study.current->dataflow.origin(held.root)];
  const CapturedStorage& facts = captured->storages[storage];
  Hold hold{Hold::Holder::script, held.last_slot, {}};
  const bool by_python = !facts.python_last.valid() || facts.python_last == facts.last;
  const NodeId saved = saved_for(*captured, storage);
  if (!facts.last.valid() || held.returned) {
    hold.holder = Hold::Holder::caller;
  } else if (saved.valid() && !by_python) {
    hold.holder = Hold::Holder::autograd;
    hold.node = saved;
  }
  return hold;
}

}  // namespace stashscope
