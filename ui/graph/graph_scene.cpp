#include "ui/graph/graph_scene.h"

#include <QFontMetricsF>
#include <QGuiApplication>

#include "ui/models/texts.h"
#include "ui/theme/text_size.h"

namespace stashscope::ui {

namespace {

/// Left of the text on a box: the strip that tells the lifetime.
constexpr double text_inset = 24;

QPainterPath path_of(const layout::Curve& curve) {
  QPainterPath path(to_qt(curve.front()));
  for (std::size_t i = 1; i + 2 < curve.size(); i += 3) {
    path.cubicTo(to_qt(curve[i]), to_qt(curve[i + 1]), to_qt(curve[i + 2]));
  }
  return path;
}

}  // namespace

QFont graph_font(double pixels) {
  QFont font = QGuiApplication::font();
  font.setPixelSize(std::max(1, qRound(pixels)));
  return font;
}

QFont caption_font(double pixels) { return graph_font(pixels * text_scale()); }

GraphScene::GraphScene(std::shared_ptr<const GraphPicture> shown)
    : picture(std::move(shown)), marks(drawing().boxes.size(), Mark::none) {
  for (const layout::DrawnEdge& edge : drawing().edges) edges.push_back(path_of(edge.curve));
  for (const layout::Bridge& bridge : drawing().bridges) bridges.push_back(path_of(bridge.curve));
  const QFontMetricsF title_metrics(graph_font(title_pixels));
  const QFontMetricsF detail_metrics(graph_font(detail_pixels));
  for (const layout::DrawnBox& box : drawing().boxes) {
    const double width = box.rect.width - text_inset;
    titles.push_back(title_metrics.elidedText(ui::shown(box.title), Qt::ElideRight, width));
    details.push_back(detail_metrics.elidedText(ui::shown(box.detail), Qt::ElideRight, width));
  }
}

void GraphScene::mark(const Selection& selection) {
  std::fill(marks.begin(), marks.end(), Mark::none);
  const auto& box_of = drawing().box_of;
  std::vector<std::size_t> marked(marks.size(), 0);
  for (const NodeId node : selection.nodes) {
    if (box_of.contains(node)) ++marked[box_of[node]];
  }
  for (std::size_t box = 0; box < marks.size(); ++box) {
    if (marked[box] == 0) continue;
    const bool is_all = marked[box] == selection.nodes.size();
    marks[box] = is_all ? Mark::selected : Mark::part;
  }
}

}  // namespace stashscope::ui
