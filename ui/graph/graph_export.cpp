#include "ui/graph/graph_export.h"

#include <QBuffer>
#include <QImage>
#include <QPdfWriter>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/layout/svg/svg.h"
#include "ui/graph/graph_painter.h"
#include "ui/graph/legend.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

constexpr double picture_margin = 32;
constexpr double header = 64;
constexpr int heading_pixels = 15;
/// Minimum width of a page: the header needs room for title and legend.
constexpr double least_width = 640;
constexpr double png_zoom = 2;
/// Limits of an image in pixels: many programs refuse larger ones, or need gigabytes to open them.
constexpr double longest_png = 16'384;
constexpr double most_png_pixels = 100e6;
/// The largest page that PDF readers accept, in points.
constexpr double longest_pdf = 14'400;
constexpr int points_per_inch = 72;

/// Paints the page, scaled by `zoom`.
void paint_page(QPainter& painter, const GraphScene& scene, const std::string& title, double zoom,
                Detail detail) {
  const Theme theme = light_theme();
  const QRectF page(QPointF(), page_size(scene.drawing()) * zoom);
  const QRectF bounds = to_qt(scene.drawing().bounds);
  const Camera camera{zoom,
                      (QPointF(picture_margin, picture_margin + header) - bounds.topLeft()) * zoom};
  const GraphTexts texts = place_texts(scene, camera, page, {detail, std::nullopt, std::nullopt});
  GraphPainter(scene, camera, theme, std::nullopt, detail).paint(painter, page, texts);
  painter.save();
  painter.scale(zoom, zoom);
  painter.setPen(theme.text);
  painter.setFont(graph_font(heading_pixels));
  const QRectF line(picture_margin, picture_margin / 2, page.width() / zoom - 2 * picture_margin,
                    24);
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(shown(title), Qt::ElideMiddle,
                                                    static_cast<int>(line.width())));
  paint_legend(painter, line.translated(0, line.height()),
               legend_content(scene.drawing(), scene.colouring()), theme,
               graph_font(detail_pixels));
  painter.restore();
}

std::string png_of(const GraphScene& scene, const std::string& title) {
  const QSizeF page = page_size(scene.drawing());
  const double zoom = png_scale(page);
  QImage image((page * zoom).toSize().expandedTo({1, 1}), QImage::Format_RGB32);
  if (image.isNull()) fail_run("", "there is no memory for the image");
  QPainter painter(&image);
  paint_page(painter, scene, title, zoom, Detail::print);
  painter.end();
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  if (!image.save(&buffer, "PNG")) fail_run("", "the image cannot be encoded");
  return bytes.toStdString();
}

std::string pdf_of(const GraphScene& scene, const std::string& title) {
  const QSizeF page = page_size(scene.drawing());
  const double shrink = std::min(1.0, longest_pdf / std::max(page.width(), page.height()));
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter writer(&buffer);
    writer.setTitle(shown(title));
    writer.setCreator(QStringLiteral("Stashscope"));
    writer.setResolution(points_per_inch);
    writer.setPageMargins({});
    writer.setPageSize(
        QPageSize(page * shrink, QPageSize::Point, QString(), QPageSize::ExactMatch));
    QPainter painter(&writer);
    painter.scale(shrink, shrink);
    paint_page(painter, scene, title, 1, Detail::print);
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

QSizeF page_size(const layout::Drawing& drawing) {
  return {std::max(drawing.bounds.width, least_width) + 2 * picture_margin,
          drawing.bounds.height + 2 * picture_margin + header};
}

double png_scale(QSizeF picture) {
  const double longest = std::max(picture.width(), picture.height());
  const double pixels = picture.width() * picture.height();
  return std::min({png_zoom, longest_png / longest, std::sqrt(most_png_pixels / pixels)});
}

void export_picture(const std::shared_ptr<const GraphPicture>& picture, layout::Colouring colouring,
                    const std::string& title, const std::string& path) {
  const PictureFormat format = picture_format(path);
  if (format == PictureFormat::svg) {
    write_file_atomically(path, layout::to_svg(picture->drawing, title, colouring));
    return;
  }
  GraphScene scene(picture);
  scene.colour_by(colouring);
  write_file_atomically(path,
                        format == PictureFormat::png ? png_of(scene, title) : pdf_of(scene, title));
}

}  // namespace stashscope::ui
