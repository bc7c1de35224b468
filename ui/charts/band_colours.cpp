#include "ui/charts/band_colours.h"

#include <QString>

#include "core/layout/scene/band_colour.h"

namespace stashscope::ui {

QColor band_colour(Band band, bool dark) {
  const std::string_view name = layout::band_colour(band);
  const QColor colour(QString::fromLatin1(name.data(), std::ssize(name)));
  return dark ? colour.darker(150) : colour;
}

}  // namespace stashscope::ui
