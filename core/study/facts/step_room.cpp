#include "core/study/facts/step_room.h"

#include <algorithm>

#include "core/graph/graph.h"

namespace stashscope {

namespace {

/// Whether no pass can make the step fit. @pre the floor of the step exceeds the memory
bool no_pass_fits(const Study& study, const StepRoom& room) {
  if (study.graph().data().captured) return true;
  const BandBytes& parts = room.floor.parts;
  return of(parts, Band::parameters) + of(parts, Band::gradients) +
             of(parts, Band::optimizer_states) >
         room.memory;
}

}  // namespace

StepRoom room_of(const Study& study, std::optional<std::int64_t> reserved_bytes) {
  StepRoom room;
  room.memory = memory_to_fit(study);
  room.later = later_steps(study, *study.current);
  room.left = room.memory - std::max(room.later.peak_bytes, reserved_bytes.value_or(0));
  room.is_narrow = study.choices.times.reserve_percent == 0 && room.left >= 0 &&
                   room.left < room.memory / (100 / narrow_percent);
  room.tensors_fit = room.memory <= 0 || room.later.peak_bytes <= room.memory;
  // The interface thread calls this after every change, and the floor takes long.
  if (room.tensors_fit) return room;
  room.floor = peak_floor(study);
  room.no_plan_fits = room.floor.bytes > room.memory;
  room.nothing_fits = room.no_plan_fits && no_pass_fits(study, room);
  return room;
}

}  // namespace stashscope
