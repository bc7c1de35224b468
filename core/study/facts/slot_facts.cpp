#include "core/study/facts/slot_facts.h"

#include <array>

#include "core/graph/captured_step.h"
#include "core/study/choices/node_names.h"
#include "core/study/facts/plan_facts.h"

namespace stashscope {

namespace {

constexpr std::array<std::string_view, 4> phase_names = {"forward", "recompute", "backward",
                                                         "optimizer"};

SlotPhase captured_phase(CapturedPhase phase) {
  switch (phase) {
    case CapturedPhase::forward:
      return SlotPhase::forward;
    case CapturedPhase::recompute:
      return SlotPhase::recompute;
    case CapturedPhase::backward:
      return SlotPhase::backward;
    case CapturedPhase::optimizer:
      return SlotPhase::optimizer;
  }
  return SlotPhase::forward;
}

SlotPhase phase_of(const Study& study, const Variant& variant, std::size_t slot) {
  const NodeId node = variant.timeline.order[slot];
  const bool is_added = variant.dataflow.is_clone(node);
  if (is_added && variant.dataflow.kind(node) == AddedKind::recompute) return SlotPhase::recompute;
  const CapturedStep* const captured = study.graph().data().captured.get();
  if (captured != nullptr && !is_added) return captured_phase(captured->phases[node]);
  if (slot >= variant.update_slot) return SlotPhase::optimizer;
  return slot < variant.forward_slots ? SlotPhase::forward : SlotPhase::backward;
}

}  // namespace

std::string_view name_of(SlotPhase phase) { return phase_names[static_cast<std::size_t>(phase)]; }

std::vector<SlotFacts> slot_facts(const Study& study, const Variant& variant) {
  std::vector<SlotFacts> slots;
  for (std::size_t slot = 0; slot < variant.timeline.order.size(); ++slot) {
    const NodeId node = variant.timeline.order[slot];
    const NodeId original = variant.dataflow.origin(node);
    const Node& shown = study.graph().node(original);
    const NodeOrigin source = shown.origin != nullptr ? *shown.origin : NodeOrigin();
    slots.push_back({shown_name(study.graph(), variant.dataflow, node), shown.op_type,
                     layer_of(study.graph(), original), phase_of(study, variant, slot), source.file,
                     source.line});
  }
  return slots;
}

}  // namespace stashscope
