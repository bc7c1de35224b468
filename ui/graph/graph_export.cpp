#include "ui/graph/graph_export.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <cmath>

#include "core/layout/svg/svg.h"
#include "core/report/graph_picture.h"
#include "core/study/choices/node_names.h"
#include "ui/graph/graph_painter.h"
#include "ui/graph/legend_layout.h"
#include "ui/text/counted.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

constexpr double picture_margin = 32;
constexpr double header = 64;
constexpr int heading_pixels = 15;
/// Minimum width of a page, because the header needs room for the legend.
constexpr double least_width = 640;

/// The scene as the view shows it. The selection is marked only in the picture of a part.
GraphScene scene_of(const std::shared_ptr<const GraphPicture>& picture, const GraphLook& look) {
  GraphScene scene(picture);
  scene.colour_by(look.colouring);
  if (look.hops) scene.mark(look.selection, look.hops);
  scene.show_alive_at(look.slot);
  return scene;
}

void paint_header(QPainter& painter, const GraphScene& scene, const Theme& theme, double width,
                  const QString& title) {
  painter.setPen(theme.text);
  painter.setFont(graph_font(heading_pixels));
  const QRectF line(picture_margin, picture_margin / 2, width - 2 * picture_margin, 24);
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, title);
  painter.setFont(graph_font(detail_pixels));
  const LegendLayout legend(legend_content(scene.drawing(), scene.colouring()),
                            QFontMetricsF(painter.font()), line.width(), 1);
  legend.paint(painter, line.bottomLeft(), theme);
}

void paint_page(QPainter& painter, const GraphScene& scene, const QString& title) {
  const Theme theme = light_theme();
  const QRectF shown = to_qt(scene.isolated_bounds());
  const QRectF page(QPointF(), page_size(scene.isolated_bounds(), title));
  const Camera camera{1, QPointF(picture_margin, picture_margin + header) - shown.topLeft()};
  painter.fillRect(page, theme.canvas);
  painter.save();
  const double m = picture_margin;
  const bool is_part = scene.isolated_bounds() != scene.drawing().bounds;
  const QRectF room =
      is_part ? camera.to_screen(shown).adjusted(-m, -m, m, m) : page.adjusted(0, header, 0, 0);
  painter.setClipRect(room);
  const GraphTexts texts =
      place_texts(scene, camera, room, {Detail::print, std::nullopt, std::nullopt});
  GraphPainter(scene, camera, theme, std::nullopt, Detail::print).paint(painter, room, texts);
  painter.restore();
  paint_header(painter, scene, theme, page.width(), title);
}

std::optional<layout::SvgFocus> focus_of(const GraphScene& scene) {
  const auto clear = scene.clear_part();
  if (!clear) return std::nullopt;
  std::vector<bool> selected;
  for (const Mark mark : scene.marks()) selected.push_back(mark == Mark::selected);
  return layout::SvgFocus{scene.isolated_bounds(), *clear, std::move(selected)};
}

QString title_of(const GraphPicture& picture, const GraphLook& look, const QString& file) {
  const Study& study = *picture.study;
  const QString title = shown(picture_title(study, file.toStdString()));
  if (!look.hops || look.selection.nodes.empty()) return title;
  const NodeId node = look.selection.node;
  const QString name = node.valid()
                           ? shown(titled_name(study.graph(), study.current->dataflow, node))
                           : look.selection.title;
  return QCoreApplication::translate("GraphExport", "%1. Only %2 and what is %3 away")
      .arg(title, name,
           counted(*look.hops, QCoreApplication::translate("GraphExport", "1 tensor"),
                   QCoreApplication::translate("GraphExport", "at most %1 tensors")));
}

}  // namespace

QSizeF page_size(const layout::Rect& shown, const QString& title) {
  // The title is never cut, because the peak is at its end.
  const QFontMetricsF metrics(graph_font(heading_pixels));
  const double width =
      std::max({shown.width, least_width, std::ceil(metrics.horizontalAdvance(title)) + 2});
  return {width + 2 * picture_margin, shown.height + 2 * picture_margin + header};
}

Picture exported_graph(const std::shared_ptr<const GraphPicture>& picture, const GraphLook& look,
                       const QString& file) {
  const QString title = title_of(*picture, look, file);
  return {title, page_size(scene_of(picture, look).isolated_bounds(), title),
          [picture, look, title](QPainter& painter) {
            paint_page(painter, scene_of(picture, look), title);
          },
          [picture, look, title] {
            return layout::to_svg(picture->drawing, title.toStdString(), look.colouring,
                                  focus_of(scene_of(picture, look)));
          }};
}

}  // namespace stashscope::ui
