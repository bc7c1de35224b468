#include "core/study/choices.h"

namespace stashscope {

bool same_step(const Choices& a, const Choices& b) {
  Choices elsewhere = a;
  elsewhere.device = b.device;
  return elsewhere == b;
}

Probe effective_probe(const Choices& choices) {
  return choices.level > 0 ? Probe{1, true} : choices.probe;
}

}  // namespace stashscope
