#include "ui/charts/curve_colours.h"

#include <array>

namespace stashscope::ui {

namespace {

struct Shades {
  QRgb light;
  QRgb dark;
};

/// The colours of pinned curves. Colour-blind users, too, can distinguish them from each other,
/// from the accent colour and from the measured curve.
constexpr std::array<Shades, 4> shades = {{{0xff7b3fa0, 0xffc79be6},
                                           {0xff0f7b5f, 0xff52c7a5},
                                           {0xffb8306f, 0xfff08ab8},
                                           {0xff6b6420, 0xffcfc46a}}};

}  // namespace

QColor pinned_colour(std::size_t slot, bool dark) {
  const Shades& own = shades[slot % shades.size()];
  return QColor(dark ? own.dark : own.light);
}

}  // namespace stashscope::ui
