#include "ui/graph/graph_export.h"

#include "core/layout/svg/svg.h"
#include "core/report/graph_picture.h"
#include "ui/graph/graph_painter.h"
#include "ui/graph/legend_layout.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

constexpr double picture_margin = 32;
constexpr double header = 64;
constexpr int heading_pixels = 15;
/// Minimum width of a page, because the header needs room for title and legend.
constexpr double least_width = 640;

void paint_page(QPainter& painter, const GraphScene& scene, const QString& title) {
  const Theme theme = light_theme();
  const QRectF page(QPointF(), page_size(scene.drawing()));
  const QRectF bounds = to_qt(scene.drawing().bounds);
  const Camera camera{1, QPointF(picture_margin, picture_margin + header) - bounds.topLeft()};
  const GraphTexts texts =
      place_texts(scene, camera, page, {Detail::print, std::nullopt, std::nullopt});
  GraphPainter(scene, camera, theme, std::nullopt, Detail::print).paint(painter, page, texts);
  painter.setPen(theme.text);
  painter.setFont(graph_font(heading_pixels));
  const QRectF line(picture_margin, picture_margin / 2, page.width() - 2 * picture_margin, 24);
  painter.drawText(
      line, Qt::AlignLeft | Qt::AlignVCenter,
      painter.fontMetrics().elidedText(title, Qt::ElideMiddle, static_cast<int>(line.width())));
  painter.setFont(graph_font(detail_pixels));
  const LegendLayout legend(legend_content(scene.drawing(), scene.colouring()),
                            QFontMetricsF(painter.font()), line.width(), 1);
  legend.paint(painter, line.bottomLeft(), theme);
}

}  // namespace

QSizeF page_size(const layout::Drawing& drawing) {
  return {std::max(drawing.bounds.width, least_width) + 2 * picture_margin,
          drawing.bounds.height + 2 * picture_margin + header};
}

Picture whole_graph(const std::shared_ptr<const GraphPicture>& picture, layout::Colouring colouring,
                    const QString& file) {
  const QString title = shown(picture_title(*picture->study, file.toStdString()));
  return {title, page_size(picture->drawing),
          [picture, colouring, title](QPainter& painter) {
            GraphScene scene(picture);
            scene.colour_by(colouring);
            paint_page(painter, scene, title);
          },
          [picture, colouring, title] {
            return layout::to_svg(picture->drawing, title.toStdString(), colouring);
          }};
}

}  // namespace stashscope::ui
