#include "ui/graph/graph_scene.h"

#include <QFontMetricsF>
#include <QGuiApplication>

#include "ui/text/texts.h"
#include "ui/theme/text_size.h"

namespace stashscope::ui {

namespace {

/// Space left of the text on a box, for the strip of its colour.
constexpr double text_inset = 24;

QString cut(const std::string& text, int pixels, double width) {
  const QString all = shown(text);
  if (all.isEmpty()) return QStringLiteral("");
  return QFontMetricsF(graph_font(pixels)).elidedText(all, Qt::ElideRight, width);
}

}  // namespace

QFont graph_font(double pixels) {
  QFont font = QGuiApplication::font();
  font.setPixelSize(std::max(1, qRound(pixels)));
  return font;
}

QFont caption_font(double pixels) { return graph_font(pixels * text_scale()); }

GraphScene::GraphScene(std::shared_ptr<const GraphPicture> shown)
    : picture_(std::move(shown)),
      marks_(drawing().boxes.size(), Mark::none),
      titles_(drawing().boxes.size()),
      details_(drawing().boxes.size()) {
  colour_by(colouring_);
}

void GraphScene::colour_by(layout::Colouring colouring) {
  colouring_ = colouring;
  colours_.clear();
  for (const layout::DrawnBox& box : drawing().boxes) {
    const auto colour = layout::main_colour(drawing(), box, colouring);
    colours_.push_back(colour ? std::optional(to_qt(*colour)) : std::nullopt);
  }
}

void GraphScene::mark(const Selection& selection, std::optional<int> hops) {
  std::fill(marks_.begin(), marks_.end(), Mark::none);
  const auto& box_of = drawing().box_of;
  std::vector<NodeId> nodes;
  std::vector<std::size_t> marked(marks_.size(), 0);
  for (const NodeId node : selection.nodes) {
    if (!box_of.contains(node)) continue;
    nodes.push_back(node);
    ++marked[box_of[node]];
  }
  for (std::size_t box = 0; box < marks_.size(); ++box) {
    if (marked[box] == 0) continue;
    const bool is_all = marked[box] == selection.nodes.size();
    marks_[box] = is_all ? Mark::selected : Mark::part;
  }
  near_.reset();
  if (!hops || nodes.empty()) return;
  const Topology& topology = picture_->study->current->dataflow.topology;
  near_ = layout::part_with(drawing(), layout::nodes_near(topology, nodes, *hops));
}

/// Whether a line belongs to the selection: it touches the selected box, or connects two partly
/// marked boxes.
bool GraphScene::is_strong(std::uint32_t from, std::uint32_t to) const {
  return marks_[from] == Mark::selected || marks_[to] == Mark::selected ||
         (marks_[from] == Mark::part && marks_[to] == Mark::part);
}

Strength GraphScene::edge_strength(std::size_t edge) const {
  const layout::DrawnEdge& drawn = drawing().edges[edge];
  if (is_strong(drawn.from, drawn.to)) return Strength::strong;
  return near_ && !near_->edges[edge] ? Strength::faded : Strength::normal;
}

Strength GraphScene::stash_edge_strength(std::size_t stash_edge) const {
  const layout::StashEdge& drawn = drawing().stash_edges[stash_edge];
  if (is_strong(drawn.from, drawn.to)) return Strength::strong;
  return near_ && !near_->stash_edges[stash_edge] ? Strength::faded : Strength::normal;
}

std::size_t GraphScene::boxes_near() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    if (!drawing().boxes[i].is_open() && !is_faded(i)) ++count;
  }
  return count;
}

const QString& GraphScene::title(std::size_t box) const {
  const layout::DrawnBox& drawn = drawing().boxes[box];
  if (titles_[box].isNull()) {
    titles_[box] = cut(drawn.title, title_pixels, drawn.rect.width - text_inset);
  }
  return titles_[box];
}

const QString& GraphScene::detail(std::size_t box) const {
  const layout::DrawnBox& drawn = drawing().boxes[box];
  if (details_[box].isNull()) {
    details_[box] = cut(drawn.detail, detail_pixels, drawn.rect.width - text_inset);
  }
  return details_[box];
}

}  // namespace stashscope::ui
