#include "core/study/facts/step_room.h"

#include "core/graph/graph.h"

namespace stashscope {

namespace {

/// Whether passes cannot make a step fit whose floor exceeds the memory.
bool no_pass_fits(const Study& study, const StepRoom& room) {
  if (study.graph().data().captured) return true;
  const BandBytes& parts = room.floor.parts;
  return of(parts, Band::parameters) + of(parts, Band::gradients) +
             of(parts, Band::optimizer_states) >
         room.memory;
}

}  // namespace

StepRoom room_of(const Study& study) {
  StepRoom room;
  room.memory = memory_to_fit(study);
  room.later = later_steps(study, *study.current);
  room.left = room.memory - room.later.peak_bytes;
  room.floor = peak_floor(study);
  room.is_narrow = study.choices.times.reserve_percent == 0 && room.left >= 0 &&
                   room.left < room.memory / (100 / narrow_percent);
  room.no_plan_fits = room.memory > 0 && room.left < 0 && room.floor.bytes > room.memory;
  room.nothing_fits = room.no_plan_fits && no_pass_fits(study, room);
  return room;
}

}  // namespace stashscope
