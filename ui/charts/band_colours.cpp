#include "ui/charts/band_colours.h"

#include <QString>
#include <array>

#include "core/layout/scene/band_colour.h"

namespace stashscope::ui {

namespace {

using Colours = std::array<QRgb, band_count>;

constexpr Colours on_dark = {0x66717f, 0xa0525f, 0xb0a58e, 0x7d55a8,
                             0xb5702a, 0x2f74b8, 0x3f8a57, 0xa8962f};
/// Bright colours: a label on them is black, with a contrast of at least 7:1.
constexpr Colours on_black = {0x98a0aa, 0xff9aa8, 0xefe8d8, 0xc79bff,
                              0xff9d3c, 0x4aa8ff, 0x5fd38a, 0xffe14d};

}  // namespace

QColor band_colour(Band band, const Theme& theme) {
  const auto index = static_cast<std::size_t>(band);
  if (theme.high_contrast) return QColor(on_black[index]);
  if (theme.dark) return QColor(on_dark[index]);
  const std::string_view name = layout::band_colour(band);
  return QColor(QString::fromLatin1(name.data(), std::ssize(name)));
}

}  // namespace stashscope::ui
