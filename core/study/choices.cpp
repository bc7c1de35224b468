#include "core/study/choices.h"

namespace stashscope {

bool same_step(const Choices& a, const Choices& b) {
  Choices elsewhere = a;
  elsewhere.device = b.device;
  return elsewhere == b;
}

Probe effective_probe(const Choices& choices) {
  Probe probe = choices.probe;
  if (choices.level > 0) {
    probe.level = 1;
    probe.layer_boundary = true;
  }
  return probe;
}

}  // namespace stashscope
