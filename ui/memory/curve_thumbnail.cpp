#include "ui/memory/curve_thumbnail.h"

#include <QPainter>

#include "ui/memory/data_layer.h"

namespace stashscope::ui {

namespace {

constexpr QSize thumbnail_half(240, 80);
/// Device pixels for each pixel of a widget. Curves are as thick as on a screen with this ratio.
constexpr double thumbnail_ratio = 2;

}  // namespace

QImage curve_thumbnail(const std::shared_ptr<const Study>& study) {
  const MemoryCurves curves = curves_of(study, nullptr);
  if (curves.empty()) return {};
  const MemoryLook look;
  StepAxis axis;
  axis.right = thumbnail_half.width() / thumbnail_ratio;
  axis = whole(with_steps(axis, length_of(curves, look.unit)));
  QImage image(thumbnail_half.width(), 2 * thumbnail_half.height(), QImage::Format_RGB32);
  QPainter painter(&image);
  int top = 0;
  for (const Theme& theme : {light_theme(), dark_theme()}) {
    const DataLayer data{curves, look, axis, highest_of(curves) * 21 / 20 + 1, BufferId(), theme};
    painter.drawImage(0, top, data.draw(thumbnail_half, thumbnail_ratio));
    top += thumbnail_half.height();
  }
  return image;
}

QImage in_theme(const QImage& thumbnail, const Theme& theme) {
  const QSize half = thumbnail_half;
  if (thumbnail.size() != QSize(half.width(), 2 * half.height())) return {};
  return thumbnail.copy(QRect(QPoint(0, theme.dark ? half.height() : 0), half));
}

}  // namespace stashscope::ui
