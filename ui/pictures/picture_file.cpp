#include "ui/pictures/picture_file.h"

#include <QBuffer>
#include <QPdfWriter>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/text.h"
#include "ui/pictures/svg_device.h"

namespace stashscope::ui {

namespace {

constexpr double png_zoom = 2;
/// Limits of an image in pixels: many programs refuse larger images, or need gigabytes to open
/// them.
constexpr double longest_png = 16'384;
constexpr double most_png_pixels = 100e6;
/// The longest side of a page that PDF readers accept, in points.
constexpr double longest_pdf = 14'400;
constexpr double points_per_inch = 72;

std::string png_of(const Picture& picture) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  if (!image_of(picture).save(&buffer, "PNG")) fail_run("", "the image cannot be encoded");
  return bytes.toStdString();
}

std::string pdf_of(const Picture& picture) {
  // Fonts in points have the same size as on the screen if the page has the screen's resolution.
  const int resolution = screen_resolution();
  const QSizeF points = picture.size * points_per_inch / resolution;
  const double shrink = std::min(1.0, longest_pdf / std::max(points.width(), points.height()));
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter writer(&buffer);
    writer.setTitle(picture.title);
    writer.setCreator(QStringLiteral("Stashscope"));
    writer.setResolution(resolution);
    writer.setPageMargins({});
    writer.setPageSize(
        QPageSize(points * shrink, QPageSize::Point, QString(), QPageSize::ExactMatch));
    QPainter painter(&writer);
    painter.scale(shrink, shrink);
    picture.paint(painter);
  }
  return bytes.toStdString();
}

}  // namespace

PictureFormat picture_format(const std::string& path) {
  std::string suffix = std::filesystem::path(path).extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (suffix == ".svg") return PictureFormat::svg;
  if (suffix == ".png") return PictureFormat::png;
  if (suffix == ".pdf") return PictureFormat::pdf;
  fail_usage(printable(path), "the suffix names no picture format",
             "use the suffix .svg, .png or .pdf");
}

double png_scale(QSizeF picture) {
  const double longest = std::max(picture.width(), picture.height());
  const double pixels = picture.width() * picture.height();
  return std::min({png_zoom, longest_png / longest, std::sqrt(most_png_pixels / pixels)});
}

QImage image_of(const Picture& picture) {
  const double zoom = png_scale(picture.size);
  QImage image((picture.size * zoom).toSize().expandedTo({1, 1}), QImage::Format_RGB32);
  if (image.isNull()) fail_run("", "there is no memory for the image");
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.scale(zoom, zoom);
  picture.paint(painter);
  return image;
}

std::string encoded(const Picture& picture, PictureFormat format) {
  switch (format) {
    case PictureFormat::png:
      return png_of(picture);
    case PictureFormat::pdf:
      return pdf_of(picture);
    default:
      return picture.svg ? picture.svg() : painted_svg(picture);
  }
}

}  // namespace stashscope::ui
