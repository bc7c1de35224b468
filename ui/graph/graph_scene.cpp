#include "ui/graph/graph_scene.h"

#include <QGuiApplication>
#include <tuple>

#include "ui/theme/text_size.h"

namespace stashscope::ui {

QFont graph_font(double pixels) {
  QFont font = QGuiApplication::font();
  font.setPixelSize(std::max(1, qRound(pixels)));
  return font;
}

QFont caption_font(double pixels) { return graph_font(pixels * text_scale()); }

GraphScene::GraphScene(std::shared_ptr<const GraphPicture> shown)
    : picture_(std::move(shown)),
      marks_(drawing().boxes.size(), Mark::none),
      block_marks_(drawing().boxes.size(), Mark::none),
      inner_heights_(layout::inner_heights(drawing())),
      steps_(inner_heights_),
      texts_(picture_) {
  std::sort(steps_.begin(), steps_.end());
  steps_.erase(std::unique(steps_.begin(), steps_.end()), steps_.end());
  rank();
  colour_by(colouring_);
  show_above(0);
}

/// Ranks groups before nodes and outer groups before inner groups. Boxes of equal rank are sorted
/// by stashed bytes, then by bytes, largest first.
void GraphScene::rank() {
  const auto& boxes = drawing().boxes;
  std::vector<int> depths(boxes.size(), 0);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].parent != layout::outside) depths[i] = depths[boxes[i].parent] + 1;
    by_rank_.push_back(static_cast<std::uint32_t>(i));
  }
  const auto key = [&](std::uint32_t box) {
    const bool is_node = boxes[box].shows.node.valid();
    const NodeMemory& memory = content(box).memory;
    return std::tuple(is_node, is_node ? 0 : depths[box], -memory.stashed_bytes, -memory.bytes);
  };
  std::stable_sort(by_rank_.begin(), by_rank_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
}

const layout::DrawnBox& GraphScene::content(std::size_t box) const {
  const layout::DrawnBox& drawn = drawing().boxes[box];
  return drawn.is_open() ? drawing().blocks[drawn.block] : drawn;
}

void GraphScene::show_above(double least) {
  const auto level = static_cast<std::size_t>(
      std::lower_bound(steps_.begin(), steps_.end(), least) - steps_.begin());
  if (level_ == level) return;
  level_ = level;
  shown_ = layout::shown_part(drawing(), inner_heights_, least);
}

void GraphScene::colour_by(layout::Colouring colouring) {
  colouring_ = colouring;
  colours_.clear();
  for (std::size_t i = 0; i < drawing().boxes.size(); ++i) {
    const auto colour = layout::main_colour(drawing(), content(i), colouring);
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
  for (std::size_t box = marks_.size(); box-- > 0;) {
    const std::uint32_t parent = drawing().boxes[box].parent;
    if (parent != layout::outside) marked[parent] += marked[box];
    const bool is_all = marked[box] == selection.nodes.size();
    block_marks_[box] = marked[box] == 0 ? Mark::none : is_all ? Mark::selected : Mark::part;
  }
  near_.reset();
  if (!hops || nodes.empty()) return;
  const Topology& topology = picture_->study->current->dataflow.topology;
  near_ = layout::part_with(drawing(), layout::nodes_near(topology, nodes, *hops));
}

/// Whether a line belongs to the selection: one of its two boxes has `Mark::selected`, or both have
/// `Mark::part`.
bool GraphScene::is_strong(std::uint32_t from, std::uint32_t to) const {
  const Mark start = mark_of(from);
  const Mark end = mark_of(to);
  return start == Mark::selected || end == Mark::selected ||
         (start == Mark::part && end == Mark::part);
}

Mark GraphScene::mark_of(std::size_t box) const {
  const bool is_block = drawing().boxes[box].is_open() && shown_.leaves[box] != 0;
  return is_block ? block_marks_[box] : marks_[box];
}

Strength GraphScene::bundle_strength(const layout::StashBundle& bundle) const {
  if (is_strong(bundle.from, bundle.to)) return Strength::strong;
  const bool is_faded =
      std::all_of(bundle.stash_edges.begin(), bundle.stash_edges.end(),
                  [this](std::uint32_t edge) { return is_faded_stash_edge(edge); });
  return is_faded ? Strength::faded : Strength::normal;
}

Strength GraphScene::edge_strength(std::size_t edge) const {
  const layout::DrawnEdge& drawn = drawing().edges[edge];
  if (is_strong(drawn.from, drawn.to)) return Strength::strong;
  const bool is_faded = (near_ && !near_->edges[edge]) || (alive_ && !alive_->edges[edge]);
  return is_faded ? Strength::faded : Strength::normal;
}

Strength GraphScene::stash_edge_strength(std::size_t stash_edge) const {
  const layout::StashEdge& drawn = drawing().stash_edges[stash_edge];
  if (is_strong(drawn.from, drawn.to)) return Strength::strong;
  return is_faded_stash_edge(stash_edge) ? Strength::faded : Strength::normal;
}

/// Whether the curve of a stashed activation is faded. The activation counts as alive while the box
/// that makes it has a tensor in memory.
bool GraphScene::is_faded_stash_edge(std::size_t stash_edge) const {
  if (near_ && !near_->stash_edges[stash_edge]) return true;
  return alive_ && !alive_->boxes[drawing().stash_edges[stash_edge].from];
}

void GraphScene::show_alive_at(std::optional<std::size_t> slot) {
  alive_.reset();
  if (!slot) return;
  const Variant& variant = *picture_->study->current;
  alive_ = layout::part_with(drawing(),
                             layout::nodes_alive_at(variant.dataflow, variant.timeline, *slot));
}

std::optional<layout::DrawingPart> GraphScene::clear_part() const {
  if (near_ && alive_) return layout::common_part(*near_, *alive_);
  return near_ ? near_ : alive_;
}

layout::Rect GraphScene::isolated_bounds() const {
  const auto bounds = near_ ? layout::bounds_of(drawing(), *near_) : std::nullopt;
  return bounds.value_or(drawing().bounds);
}

std::size_t GraphScene::boxes_near() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    if (!drawing().boxes[i].is_open() && (!near_ || near_->boxes[i])) ++count;
  }
  return count;
}

}  // namespace stashscope::ui
