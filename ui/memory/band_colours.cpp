#include "ui/memory/band_colours.h"

namespace stashscope::ui {

QColor band_colour(Band band, bool dark) {
  switch (band) {
    case Band::parameters:
      return dark ? QColor(0x6b7683) : QColor(0x9aa7b5);
    case Band::constants:
      return dark ? QColor(0x474e56) : QColor(0xc9d1d9);
    case Band::optimizer_states:
      return dark ? QColor(0x8d72a8) : QColor(0xb79bd0);
    case Band::gradients:
      return dark ? QColor(0xb5824f) : QColor(0xe8b27d);
    case Band::stashed:
      return dark ? QColor(0x4f7fba) : QColor(0x8dbbe6);
    case Band::activations:
      return dark ? QColor(0x5f9070) : QColor(0xa9d6b8);
    case Band::workspace:
      return dark ? QColor(0x9b9146) : QColor(0xded27a);
  }
  return {};
}

}  // namespace stashscope::ui
