#include "ui/charts/column_image.h"

#include <QTransform>
#include <algorithm>
#include <cmath>

namespace stashscope::ui {

ColumnImage::ColumnImage(int columns, int rows, QRgb background)
    : columns_(std::max(1, columns)),
      rows_(std::max(1, rows)),
      pixels_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_), background) {}

void ColumnImage::blend(int column, int from, int to, QRgb colour, double share) {
  from = std::max(0, from);
  to = std::min(rows(), to);
  if (column < 0 || column >= columns() || from >= to) return;
  QRgb* const pixels = row_of(column);
  std::transform(pixels + from, pixels + to, pixels + from,
                 [=](QRgb background) { return mixed(background, colour, share); });
}

QImage ColumnImage::upright() const {
  const QImage turned(reinterpret_cast<const uchar*>(pixels_.data()), rows_, columns_,
                      rows_ * static_cast<int>(sizeof(QRgb)), QImage::Format_RGB32);
  return turned.transformed(QTransform().rotate(-90));
}

QRgb mixed(QRgb background, QRgb colour, double share) {
  const int weight = static_cast<int>(std::lround(256 * std::clamp(share, 0.0, 1.0)));
  const auto mix = [weight](int a, int b) { return a + (b - a) * weight / 256; };
  return qRgb(mix(qRed(background), qRed(colour)), mix(qGreen(background), qGreen(colour)),
              mix(qBlue(background), qBlue(colour)));
}

}  // namespace stashscope::ui
